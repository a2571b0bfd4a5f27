"""Prioritized Level Replay with Stable-Baselines3 on an environment of one's own."""

import pathlib
import re

import gymnasium
import numpy as np
import plr
import pytest
from gymnasium.spaces import Box, Discrete

stable_baselines3 = pytest.importorskip("stable_baselines3")
import plr.sb3  # noqa: E402
import torch  # noqa: E402
from stable_baselines3 import A2C, DQN, PPO  # noqa: E402
from stable_baselines3.common.callbacks import BaseCallback  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize  # noqa: E402

torch.set_num_threads(1)
DOCS = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


class Corridor(gymnasium.Env):
    """The level says where the exit is, left or right; 20 steps."""

    observation_space = Box(-1, 1, (3,), np.float32)
    action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.exit = int(self.np_random.integers(1, 5)) * int(self.np_random.choice([-1, 1]))
        self.position = self.steps = 0
        return self.observe(), {}

    def observe(self):
        return np.array([self.position / 25, np.sign(self.exit), self.steps / 20], np.float32)

    def step(self, action):
        self.position += 2 * int(action) - 1
        self.steps += 1
        won = self.position == self.exit
        return self.observe(), float(won), won, self.steps == 20 and not won, {"position": self.position}


def make_env():
    return Corridor()


def test_the_example_of_the_docs_has_at_most_8_lines_and_learns():
    (code,) = re.findall(r"```python\n(import plr, plr\.sb3\n.*?)```", DOCS.read_text(), re.S)
    lines = [line for line in code.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert len(lines) <= 8
    code = code.replace("100_000", "10_000").replace('"MlpPolicy", ', '"MlpPolicy", n_steps=128, seed=3, env=')
    names = {"make_env": make_env}
    exec(code, names)
    model, replay = names["model"], names["replay"]
    # 10 levels per exit, so that most are seen; a random policy solves about 60 %.
    assert replay.num_seen > 100 and len(replay.scores()) > 100
    model.get_env().close()
    mean, _ = evaluate_policy(model, plr.sb3.PlrVecEnv(plr.LevelVectorEnv(make_env, 4, levels=range(1000, 1200))), 100)
    assert mean > 0.95


class Spy(BaseCallback):
    """Keeps what the algorithm learns from."""

    def _on_training_start(self):
        self.rollouts = []

    def _on_rollout_start(self):
        self.dones, self.levels = [], []

    def _on_step(self):
        self.dones.append(self.locals["dones"].copy())
        self.levels.append([info["level"] for info in self.locals["infos"]])
        return True

    def _on_rollout_end(self):
        buffer = self.model.rollout_buffer
        self.rollouts.append(dict(levels=np.array(self.levels), rewards=buffer.rewards.copy(),
                                  values=buffer.values.copy(), dones=np.array(self.dones),
                                  advantages=buffer.advantages.copy(),
                                  next_values=self.locals["values"].numpy().flatten()))


@pytest.mark.parametrize("normalized", [False, True])
def test_scores_are_mean_absolute_advantages_of_the_rollout_buffer(normalized):
    replay = plr.LevelReplay(50, seed=2)
    env = plr.sb3.PlrVecEnv(plr.LevelVectorEnv(make_env, 4, curriculum=replay))
    spy = Spy()
    model = PPO("MlpPolicy", VecNormalize(env) if normalized else env, n_steps=48, batch_size=48, n_epochs=1, seed=1,
                gamma=0.97, gae_lambda=0.9)
    model.learn(1, callback=[plr.sb3.PlrCallback(open_episodes="commit", update_order="slot"), spy])
    (rollout,) = spy.rollouts
    # The last episode of a level decides its score; pieces end with the rollout.
    expected = {}
    for slot in range(4):
        ends = [*np.flatnonzero(rollout["dones"][:, slot]), 47]
        begin = 0
        for end in dict.fromkeys(int(end) for end in ends):
            level = rollout["levels"][begin, slot]
            assert (rollout["levels"][begin:end + 1, slot] == level).all()
            score = np.abs(rollout["advantages"][begin:end + 1, slot]).mean()
            expected.setdefault(int(level), []).append(score)
            begin = end + 1
    found = replay.scores()
    assert found.keys() == expected.keys() and len(found) > 5
    for level, scores in expected.items():
        assert any(found[level] == pytest.approx(score, abs=1e-6) for score in scores)


def test_a_run_is_the_same_with_and_without_processes():
    def trained(processes):
        replay = plr.LevelReplay(50, seed=2)
        envs = plr.LevelVectorEnv(make_env, 4, curriculum=replay, processes=processes, context="fork")
        model = PPO("MlpPolicy", plr.sb3.PlrVecEnv(envs), n_steps=32, batch_size=32, n_epochs=1, seed=1)
        model.learn(256, callback=plr.sb3.PlrCallback())
        envs.close()
        return replay.state_dict(), model.policy.state_dict()

    (state, weights), (other_state, other_weights) = trained(0), trained(2)
    assert state == other_state
    assert all(torch.equal(weights[name], other_weights[name]) for name in weights)


def test_the_adapter_behaves_like_the_vec_env_of_stable_baselines3():
    """Compared with DummyVecEnv of wrapped environments that draw from an equal curriculum."""
    source = plr.Uniform(30, seed=4)
    theirs = DummyVecEnv([lambda: plr.LevelWrapper(Corridor(), source)] * 3)
    ours = plr.sb3.PlrVecEnv(plr.LevelVectorEnv(make_env, 3, curriculum=plr.Uniform(30, seed=4)))
    assert (ours.observation_space, ours.action_space, ours.num_envs) == (
        theirs.observation_space, theirs.action_space, 3)
    assert (theirs.reset() == ours.reset()).all()
    random = np.random.default_rng(1)
    num_ended = num_truncated = 0
    for _ in range(300):
        actions = random.integers(0, 2, 3)
        for a, b in zip(theirs.step(actions)[:3], (step := ours.step(actions))[:3]):
            assert (a == b).all() and a.dtype == b.dtype
        infos = step[3]
        for slot, (one, other) in enumerate(zip(infos, theirs.buf_infos)):
            assert one["level"] == other["level"] and one["position"] == other["position"]
            assert ("terminal_observation" in one) == bool(step[2][slot]) == ("terminal_observation" in other)
            if step[2][slot]:
                num_ended += 1
                num_truncated += one["TimeLimit.truncated"]
                assert (one["terminal_observation"] == other["terminal_observation"]).all()
                assert one["TimeLimit.truncated"] == other["TimeLimit.truncated"]
                assert one["episode"]["r"] in (0, 1) and 1 <= one["episode"]["l"] <= 20
                assert ours.reset_infos[slot]["level"] == theirs.reset_infos[slot]["level"]
    assert num_ended > 30 and num_truncated > 3


def test_make_vec_trains_with_a_score_of_the_policy_and_logs_returns():
    replay = plr.LevelReplay(20)
    env = plr.sb3.PlrVecEnv(plr.make_vec("minigrid/MiniGrid-Empty-5x5-v0", 4, curriculum=replay))
    model = A2C("MlpPolicy", env, n_steps=60, seed=1)
    model.learn(720, callback=plr.sb3.PlrCallback(score_function="policy_entropy"))
    assert len(replay.scores()) > 3 and all(0.5 < score <= 1 for score in replay.scores().values())
    assert len(model.ep_info_buffer) > 3 and len(model.ep_success_buffer) > 3


def test_the_last_observation_is_not_overwritten_by_a_step():
    env = plr.sb3.PlrVecEnv(plr.make_vec("minigrid/MiniGrid-Empty-5x5-v0", 2, levels=5))
    first = env.reset()
    before = first.copy()
    env.step(np.array([2, 2]))
    assert (first == before).all()


def test_methods_and_attributes_reach_the_environments():
    env = plr.sb3.PlrVecEnv(plr.LevelVectorEnv(make_env, 3, levels=9))
    env.set_attr("steps", 7)
    assert env.get_attr("steps") == [7, 7, 7] and env.get_attr("steps", [1]) == [7]
    env.reset()
    assert len(env.env_method("observe")) == 3
    with pytest.raises(ValueError, match="^env_method applies to all environments: indices must be None$"):
        env.env_method("observe", indices=[0])
    native = plr.sb3.PlrVecEnv(plr.make_vec("minigrid/MiniGrid-Empty-5x5-v0", 2, render_mode="rgb_array"))
    native.reset()
    assert native.render().shape == (240, 120, 3)
    with pytest.raises(AttributeError, match="^set_attr needs a plr.LevelVectorEnv: "):
        native.set_attr("x", 1)


def test_continued_training_keeps_open_episodes():
    replay = plr.LevelReplay(50)
    env = plr.sb3.PlrVecEnv(plr.LevelVectorEnv(make_env, 2, curriculum=replay))
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=8, n_epochs=1)
    callback = plr.sb3.PlrCallback(open_episodes="stitch")
    model.learn(16, callback=callback)
    scorer = callback._scorer
    model.learn(16, callback=callback, reset_num_timesteps=False)
    assert callback._scorer is scorer
    model.learn(16, callback=callback)  # resets the environment
    assert callback._scorer is not scorer


def test_misuse_is_refused_with_the_remedy():
    envs = plr.LevelVectorEnv(make_env, 2, levels=9)
    with pytest.raises(TypeError, match="^envs must be a plr.LevelVectorEnv or the result of plr.make_vec, not Corr"):
        plr.sb3.PlrVecEnv(Corridor())
    with pytest.raises(ValueError, match="^envs must have autoreset_mode SameStep, as Stable-Baselines3 expects$"):
        plr.sb3.PlrVecEnv(plr.LevelVectorEnv(make_env, 2, levels=9, autoreset_mode="NextStep"))
    with pytest.raises(ValueError, match="^the environment has no curriculum of plr that records scores; pass curr"):
        PPO("MlpPolicy", plr.sb3.PlrVecEnv(envs), n_steps=8).learn(8, callback=plr.sb3.PlrCallback())
    with pytest.raises(TypeError, match="^PlrCallback needs the environment plr.sb3.PlrVecEnv\\(envs\\), not Dummy"):
        PPO("MlpPolicy", Corridor(), n_steps=8).learn(8, callback=plr.sb3.PlrCallback())
    with pytest.raises(TypeError, match="^PlrCallback needs an on-policy algorithm such as PPO: DQN has no values"):
        DQN("MlpPolicy", plr.sb3.PlrVecEnv(envs), buffer_size=10).learn(8, callback=plr.sb3.PlrCallback())
    with pytest.raises(ValueError, match="^score_function must be one of "):
        plr.sb3.PlrCallback(score_function="best")
    pendulum = plr.LevelVectorEnv("Pendulum-v1", 2, curriculum=plr.LevelReplay(9))
    with pytest.raises(TypeError, match="^score_function min_margin needs a discrete action space, not Box$"):
        PPO("MlpPolicy", plr.sb3.PlrVecEnv(pendulum), n_steps=8).learn(
            8, callback=plr.sb3.PlrCallback(score_function="min_margin"))
