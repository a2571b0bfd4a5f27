"""Gymnasium's vector wrappers work with the vector environments of plr."""

import gymnasium
import numpy as np
import plr
import pytest
from gymnasium.spaces import Box
from gymnasium.wrappers import vector as wrappers


def native():
    return plr.make_vec("minigrid/MiniGrid-DoorKey-5x5-v0", 4, levels=10, autoreset_mode="NextStep", copy=True,
                        render_mode="rgb_array", observation="view")


def own():
    def make():
        return gymnasium.make("CartPole-v1", render_mode="rgb_array")

    return plr.LevelVectorEnv(make, 4, levels=10, autoreset_mode="NextStep")


def halved(observations):
    return (observations / 2).astype(np.float32)


def half_space(envs, single):
    space = envs.single_observation_space if single else envs.observation_space
    return Box(-np.inf, np.inf, space.shape, np.float32)


WRAPPERS = {
    "ClipReward": lambda envs: wrappers.ClipReward(envs, 0, 0.5),
    "DictInfoToList": wrappers.DictInfoToList,
    "DtypeObservation": lambda envs: wrappers.DtypeObservation(envs, np.float32),
    "FlattenObservation": wrappers.FlattenObservation,
    "NormalizeObservation": wrappers.NormalizeObservation,
    "NormalizeReward": wrappers.NormalizeReward,
    "NumpyToTorch": lambda envs: wrappers.NumpyToTorch(envs),
    "RecordEpisodeStatistics": wrappers.RecordEpisodeStatistics,
    "RescaleObservation": lambda envs: wrappers.RescaleObservation(
        wrappers.TransformObservation(
            envs, lambda x: np.clip(x, -9, 9).astype(np.float32),
            single_observation_space=Box(-9, 9, envs.single_observation_space.shape, np.float32)), 0.0, 1.0),
    "ReshapeObservation": lambda envs: wrappers.ReshapeObservation(
        envs, (*envs.single_observation_space.shape, 1)),
    "TransformAction": lambda envs: wrappers.TransformAction(envs, lambda actions: actions),
    "TransformObservation": lambda envs: wrappers.TransformObservation(
        envs, halved, single_observation_space=half_space(envs, True)),
    "TransformReward": lambda envs: wrappers.TransformReward(envs, lambda rewards: rewards + 1),
    "VectorizeTransformObservation": lambda envs: wrappers.VectorizeTransformObservation(
        envs, gymnasium.wrappers.FlattenObservation),
    "VectorizeTransformReward": lambda envs: wrappers.VectorizeTransformReward(
        envs, gymnasium.wrappers.TransformReward, func=lambda reward: reward + 1),
}


@pytest.mark.parametrize("make", [native, own])
@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_steps_through_the_ends_of_episodes(make, name):
    if name == "NumpyToTorch":
        pytest.importorskip("torch")
        pytest.importorskip("array_api_compat")
    plain = make()
    envs = WRAPPERS[name](make())
    plain.reset(seed=1)
    envs.reset(seed=1)
    random = np.random.default_rng(1)
    num_ended = 0
    for _ in range(270):
        actions = random.integers(0, plain.single_action_space.n, 4)
        if name == "NumpyToTorch":
            import torch
            *_, terminated, truncated, _ = envs.step(torch.from_numpy(actions))
        else:
            *_, terminated, truncated, _ = envs.step(actions)
        _, _, expected_terminated, expected_truncated, _ = plain.step(actions)
        assert (np.asarray(terminated) == expected_terminated).all()
        assert (np.asarray(truncated) == expected_truncated).all()
        num_ended += (expected_terminated | expected_truncated).sum()
    assert num_ended >= 4
    envs.close()


@pytest.mark.parametrize("wrapper", [wrappers.ClipAction, lambda envs: wrappers.RescaleAction(envs, -1.0, 1.0)])
def test_a_wrapper_of_continuous_actions_steps(wrapper):
    envs = wrapper(plr.LevelVectorEnv("Pendulum-v1", 2, levels=10, autoreset_mode="NextStep"))
    envs.reset(seed=1)
    ended = [envs.step(np.array([[0.5], [-0.5]], np.float32))[3] for _ in range(205)]
    assert np.sum(ended, axis=0).tolist() == [1, 1]


@pytest.mark.parametrize("make", [native, own])
def test_episode_statistics_are_those_of_final_info(make):
    envs = wrappers.RecordEpisodeStatistics(make())
    envs.reset(seed=1)
    told = []
    for _ in range(300):
        *_, info = envs.step(envs.action_space.sample())
        if "episode" in info:
            ended = info["_final_info"]
            ours = info["final_info"]["episode"]
            told += zip(info["episode"]["r"][ended], ours["r"][ended], info["episode"]["l"][ended], ours["l"][ended])
    assert len(told) > 3
    assert all(theirs == pytest.approx(our_own) and length == our_length
               for theirs, our_own, length, our_length in told)


@pytest.mark.parametrize("make", [native, own])
def test_videos_can_be_recorded(make, tmp_path):
    pytest.importorskip("moviepy")
    envs = wrappers.RecordVideo(make(), str(tmp_path), step_trigger=lambda step: step == 0, video_length=5)
    envs.reset(seed=1)
    for _ in range(8):
        envs.step(envs.action_space.sample())
    envs.close()
    assert list(tmp_path.glob("*.mp4"))
