"""Arguments of wrong types get messages that name them, in plr's words."""

import gymnasium
import numpy as np
import plr
import plr._core
import pytest

STORE = plr.LevelStore()
STORED = STORE.add(b"level")


def played(kind=plr.LevelReplay):
    sampler = kind(5)
    for level in range(5):
        sampler.choose(level)
    return sampler


def buffer():
    made = plr.LevelBuffer()
    made.insert(1, 0.5)
    return made


def planned():
    made = plr.RolloutReplay(50)
    made.plan(1)
    return made


def native(**options):
    made = plr.make_vec("minigrid/MiniGrid-Empty-5x5-v0", 1, render_mode="rgb_array", **options)
    made.reset(seed=1)
    return made


def own(**options):
    made = plr.LevelVectorEnv("CartPole-v1", 1, levels=5, **options)
    made.reset(seed=1)
    return made


ONE = dict(levels=[[1]], rewards=[[0.5]], values=[[0.5]], dones=[[True]], next_values=[0.5], logits=[[[0.0, 1.0]]],
           raw_rewards=[[0.5]], autoresets=[[False]])
STEP = {name: value[0] for name, value in ONE.items() if name != "next_values"}
# Name: (function that creates the callable, valid arguments)
CALLS = {
    "LevelReplay": (lambda: plr.LevelReplay, dict(levels=5, seed=1, temperature=0.5, transform="rank", buffer_size=9)),
    "Uniform": (lambda: plr.Uniform, dict(levels=5, seed=1, first_levels="drawn")),
    "Tscl": (lambda: plr.Tscl, dict(levels=5, seed=1, tscl_window=5)),
    "next_batch": (lambda: played().next_batch, dict(count=2)),
    "first": (lambda: plr.LevelReplay(5).first, dict(count=2)),
    "record": (lambda: played().record, dict(level=1, score=0.5, episode_return=1)),
    "Uniform.record": (lambda: played(plr.Uniform).record, dict(level=1, score=0.5, episode_return=1)),
    "record_batch": (lambda: played().record_batch, dict(levels=[1], scores=[1], returns=[1], finished=[True])),
    "choose": (lambda: played().choose, dict(level=1)),
    "Uniform.choose": (lambda: played(plr.Uniform).choose, dict(level=1)),
    "Tscl.choose": (lambda: played(plr.Tscl).choose, dict(level=1)),
    "progress": (lambda: played(plr.Tscl).progress, dict(level=1)),
    "load_state_dict": (lambda: played().load_state_dict, dict(state=played().state_dict())),
    "LevelSet.range": (lambda: plr.LevelSet.range, dict(first=1, count=2)),
    "LevelSet.stream": (lambda: plr.LevelSet.stream, dict(first=1, count=2)),
    "LevelSet.list": (lambda: plr.LevelSet.list, dict(ids=[1, 2])),
    "LevelSet.getitem": (lambda: plr.LevelSet.range(0, 9).__getitem__, dict(index=1)),
    "EpisodeScorer": (lambda: plr.EpisodeScorer, dict(num_envs=1, rollout_length=2, gamma=0.5)),
    "EpisodeScorer.score": (lambda: plr.EpisodeScorer(1, 2).score, ONE),
    "EpisodeScorer.step": (lambda: plr.EpisodeScorer(1, 2).step, STEP),
    "EpisodeScorer.end_rollout": (lambda: plr.EpisodeScorer(1, 2).end_rollout, dict(next_values=[0.5])),
    "score_rollout": (lambda: plr.score_rollout, dict(
        rewards=[[1.0]], values=[[1.0]], dones=[[True]], next_values=[1.0], best_returns=[1.0], gamma=0.5,
        gae_lambda=0.5)),
    "LevelStore.add": (lambda: plr.LevelStore().add, dict(level=b"level")),
    "LevelStore.bytes": (lambda: STORE.bytes, dict(id=STORED)),
    "LevelStore.keep": (lambda: STORE.keep, dict(ids=[STORED])),
    "LevelStore.contains": (lambda: STORE.__contains__, dict(id=STORED)),
    "LevelBuffer": (lambda: plr.LevelBuffer, dict(seed=1, buffer_temperature=0.5)),
    "LevelBuffer.insert": (lambda: buffer().insert, dict(level=2, score=0.5, best_return=1)),
    "LevelBuffer.update": (lambda: buffer().update, dict(slot=0, score=0.5, best_return=1)),
    "LevelBuffer.best_return": (lambda: buffer().best_return, dict(level=1)),
    "RolloutReplay": (lambda: plr.RolloutReplay, dict(
        levels=50, seed=1, env="maze/random-25", store=STORE, edit=lambda parent, edits: parent,
        optimal_return=lambda level: 1.0)),
    "Sfl": (lambda: plr.Sfl, dict(levels=plr.LevelSet.stream(0, 10**6), seed=1)),
    "plan": (lambda: plr.RolloutReplay(50).plan, dict(num_envs=2)),
    "RolloutReplay.record": (lambda: planned().record, dict(
        results=plr.score_rollout([[1.0]], [[1.0]], [[True]], [1.0]))),
    "record_survey": (lambda: planned().record_survey, dict(success_rates=[])),
    "make_vec": (lambda: plr.make_vec, dict(
        name="maze/random-25", num_envs=2, levels=5, store=STORE, autoreset_mode="SameStep", render_mode="rgb_array",
        observation="view", view_size=5, see_agent=True)),
    "make_vec with a curriculum": (lambda: plr.make_vec, dict(name="maze/random-25", curriculum=plr.Uniform(5))),
    "reset": (lambda: native().reset, dict(seed=1)),
    "reset to levels": (lambda: lambda levels: native().reset(options={"levels": levels}), dict(levels=[1])),
    "reset by mask": (lambda: lambda mask: native().reset(options={"reset_mask": mask}), dict(mask=[True])),
    "step": (lambda: native().step, dict(actions=[1])),
    "difficulty": (lambda: native().difficulty, dict(level=1)),
    "Environment.mission": (lambda: native()._env.mission, dict(slot=0)),
    "Environment.frame": (lambda: native()._env.frame, dict(slot=0, tile_size=8)),
    "files_variable": (lambda: plr._core.files_variable, dict(name="maze/random-25")),
    "LevelVectorEnv": (lambda: plr.LevelVectorEnv, dict(
        make_env="CartPole-v1", num_envs=2, levels=5, processes=0, autoreset_mode="SameStep")),
    "LevelVectorEnv.reset": (lambda: own().reset, dict(seed=1)),
    "LevelVectorEnv.reset to levels": (lambda: lambda levels: own().reset(options={"levels": levels}),
                                       dict(levels=[1])),
    "LevelWrapper": (lambda: lambda **given: plr.LevelWrapper(gymnasium.make("CartPole-v1"), **given),
                     dict(levels=5)),
    "LevelWrapper.reset": (lambda: lambda level: plr.LevelWrapper(gymnasium.make("CartPole-v1")).reset(
        options={"level": level}), dict(level=5)),
    "LevelEnv": (lambda: plr.LevelEnv, dict(name="maze/random-25", levels=5, render_mode="rgb_array", view_size=5)),
    "load_run": (lambda: plr.load_run, {}),
}
WRONG = [None, "x", b"x", -1, 1.5, float("nan"), 2**70, [], [-1], ["x"], [[1, 2], [3]], {}, object(), np.array(-1),
         np.array([1.5]), lambda: None]


OTHER_WORDS = {"name": "environment", "make_env": "Environment", "levels": "scores must have the shape [0]",
               "ids": "levels: the set is empty"}  # how a message may call an argument


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_named_by_its_message(name):
    make, valid = CALLS[name]
    if valid:
        make()(**valid)  # is valid
    for argument in valid:
        for wrong in WRONG:
            try:
                make()(**{**valid, argument: wrong})
            except (TypeError, ValueError, IndexError, RuntimeError, gymnasium.error.Error) as error:
                text = str(error)
                assert "\n" not in text and "incompatible function arguments" not in text and "std::" not in text, (
                    argument, wrong, text)
                words = (argument.rstrip("s"), OTHER_WORDS.get(argument, argument))
                assert any(word in text for word in words), (argument, wrong, text)


def test_a_negative_level_is_refused_by_every_function_of_a_sampler():
    for sampler in (played(), played(plr.Uniform), played(plr.Tscl)):
        for call in (sampler.choose, lambda level: sampler.record(level, 1.0)):
            with pytest.raises(ValueError, match="^level must be from 0 to 18446744073709551615, not -1$"):
                call(-1)
            with pytest.raises(TypeError, match="^level must be a whole number, not float$"):
                call(1.5)
        with pytest.raises(TypeError, match="^score must be a number, not str$"):
            sampler.record(1, "high")
    assert -1 not in plr.LevelSet.range(0, 5) and "x" not in plr.LevelSet.range(0, 5)
    with pytest.raises(IndexError, match="^index must be below 5 and not negative, not -1$"):
        plr.LevelSet.range(0, 5)[-1]


def test_the_result_of_an_edit_is_checked():
    accel = plr.RolloutReplay(50, edit=lambda parent, num_edits: "child", num_edits=5, buffer_capacity=4,
                              buffer_min_fill_ratio=0, rollout_replay_probability=1.0)
    results = plr.score_rollout(np.ones((1, 4)), np.zeros((1, 4)), np.ones((1, 4), bool), np.zeros(4))
    with pytest.raises(TypeError, match="^the level that edit returns must be a whole number, not str$"):
        for _ in range(50):
            accel.plan(4)
            accel.record(results)
