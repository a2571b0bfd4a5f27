"""LevelVectorEnv and LevelWrapper play levels in any Gymnasium environment."""

import os
import signal
import subprocess
import sys

import gymnasium
import numpy as np
import plr
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

MODES = ["SameStep", "NextStep", "Disabled"]


def play(envs, num_steps=150, record=None):
    """Copies of everything that steps with random actions return; resets ended slots if the mode is Disabled."""
    observations, info = envs.reset(seed=5)
    seen = [(observations, info)]
    random = np.random.default_rng(1)
    for _ in range(num_steps):
        *results, info = envs.step(random.integers(0, 2, envs.num_envs))
        seen.append((*results, info))
        ended = results[2] | results[3]
        if not ended.any():
            continue
        if record is not None and "final_info" in info:
            for slot in np.flatnonzero(ended):
                record(int(info["final_info"]["level"][slot]), int(info["final_info"]["episode"]["l"][slot]))
        if envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED:
            seen.append(envs.reset(options={"reset_mask": ended}))
    envs.close()
    return seen


def equal(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(equal(a, b) for a, b in zip(one, other))
    if isinstance(one, np.ndarray) and one.dtype == object:
        return equal(list(one), list(other))
    same_type = type(one) is type(other) and getattr(one, "dtype", None) == getattr(other, "dtype", None)
    return same_type and bool(np.all(one == other))


# ---- levels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_results_do_not_depend_on_the_number_of_processes(mode):
    def played(processes):
        replay = plr.LevelReplay(30, seed=3)
        envs = plr.LevelVectorEnv("CartPole-v1", 5, curriculum=replay, processes=processes, autoreset_mode=mode)
        return play(envs, record=replay.record), replay.state_dict()

    here, state = played(0)
    assert any("final_info" in results[-1] for results in here)
    for processes in (1, 2, 5):
        there, other_state = played(processes)
        assert equal(here, there) and other_state == state


@pytest.mark.parametrize("mode", MODES)
def test_results_equal_gymnasiums_vector_environment_of_wrapped_environments(mode):
    source = plr.Uniform(30, seed=3)
    theirs = play(SyncVectorEnv([lambda: plr.LevelWrapper(gymnasium.make("CartPole-v1"), source)] * 4,
                                autoreset_mode=AutoresetMode(mode)))
    ours = play(plr.LevelVectorEnv("CartPole-v1", 4, curriculum=plr.Uniform(30, seed=3), autoreset_mode=mode))
    assert len(ours) == len(theirs)
    num_ended = 0
    for one, other in zip(ours, theirs):
        assert equal(one[:-1], other[:-1])
        level = other[-1]["level"]
        if len(one) == 2:  # of reset: Gymnasium names only the slots that were reset
            assert (one[-1]["level"] == level)[other[-1]["_level"]].all()
            continue
        assert (one[-1]["level"] == level).all()
        if "final_obs" in other[-1]:
            assert equal(one[-1]["final_obs"], other[-1]["final_obs"])
            assert equal(one[-1]["_final_obs"], other[-1]["_final_obs"])
            ended = other[-1]["_final_info"]
            assert (one[-1]["final_info"]["level"] == other[-1]["final_info"]["level"])[ended].all()
        num_ended += (other[2] | other[3]).sum()
    assert num_ended > 10


def test_an_episode_starts_with_the_seed_that_is_its_level():
    envs = plr.LevelVectorEnv("CartPole-v1", 2, levels=range(100, 120), processes=2)
    observations, info = envs.reset(options={"levels": [7, 2**40]})
    assert info["level"].tolist() == [7, 2**40]
    env = gymnasium.make("CartPole-v1")
    for slot, level in enumerate((7, 2**40)):
        assert (observations[slot] == env.reset(seed=level)[0]).all()
    _, info = envs.reset(seed=4)
    assert info["level"].tolist() == plr.Uniform(range(100, 120), seed=4).next_batch(2).tolist()
    envs.close()


def test_next_step_records_scores_before_the_next_level_is_drawn():
    replay, twin = plr.LevelReplay(30, seed=2), plr.LevelReplay(30, seed=2)
    envs = plr.LevelVectorEnv("CartPole-v1", 3, curriculum=replay, autoreset_mode="NextStep")
    _, info = envs.reset()
    level = twin.first(3)
    waiting = np.zeros(3, bool)
    for step in range(200):
        before = replay.num_draws
        _, rewards, terminated, truncated, info = envs.step(np.random.default_rng(step).integers(0, 2, 3))
        assert replay.num_draws - before == waiting.sum()
        level[waiting] = twin.next_batch(waiting.sum())
        assert (info["level"] == level).all() and (rewards[waiting] == 0).all()
        waiting = terminated | truncated
        for curriculum in (replay, twin):
            curriculum.record_batch(level[waiting], level[waiting] % 5)
    assert replay.num_draws > 10 and replay.state_dict() == twin.state_dict()


def test_repeat_starts_the_same_level_again():
    for mode in ("SameStep", "NextStep"):
        envs = plr.LevelVectorEnv("CartPole-v1", 2, curriculum="repeat", autoreset_mode=mode)
        envs.reset(options={"levels": [7, 9]})
        for step in range(100):
            *_, info = envs.step(np.array([step % 3 == 0, 1]))
            assert info["level"].tolist() == [7, 9]


def test_levels_given_to_a_curriculum_count_as_drawn():
    replay = plr.LevelReplay(30)
    plr.LevelVectorEnv("CartPole-v1", 2, curriculum=replay).reset(options={"levels": [4, 9]})
    plr.LevelWrapper(gymnasium.make("CartPole-v1"), replay).reset(options={"level": 12})
    assert replay.weights()["level"].tolist() == [4, 9, 12]


# ---- spaces and infos -----------------------------------------------------------------------------


class Words(spaces.Space):
    """A space that is not an array."""

    def sample(self):
        return "word"

    def contains(self, x):
        return isinstance(x, str)

    def __eq__(self, other):
        return isinstance(other, Words)


class Talking(gymnasium.Env):
    """Observations of many kinds, actions in a dict, infos, and a failure on request."""

    observation_space = spaces.Dict({"image": spaces.Box(0, 255, (2, 3), np.uint8), "text": Words(),
                                     "pair": spaces.Tuple((spaces.Discrete(9), spaces.MultiBinary(3)))})
    action_space = spaces.Dict({"move": spaces.Discrete(2), "say": spaces.Box(-1, 1, (2,), np.float32)})

    def __init__(self):
        self.color = "red"

    def observe(self):
        return {"image": np.full((2, 3), self.level, np.uint8), "text": f"level {self.level} step {self.steps}",
                "pair": (self.steps % 9, np.array([1, 0, self.steps % 2], np.int8))}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level, self.steps = seed, 0
        return self.observe(), {"options": str(options)} if options else {}

    def step(self, action):
        self.steps += 1
        if action["say"][0] > 0.9:
            raise KeyError("no such word")
        if action["say"][0] < -0.9:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.observe(), 1.0, self.steps == 3 + self.level % 2, False, {"steps": self.steps}

    def paint(self, color):
        self.color = color
        return os.getpid()


def actions(first=0.0):
    return {"move": np.array([0, 1, 0]), "say": np.array([[first, 0], [0, 0], [0, 0]], np.float32)}


@pytest.mark.parametrize("processes", [0, 2])
def test_any_observation_and_action_space_is_supported(processes):
    envs = plr.LevelVectorEnv(Talking, 3, levels=10, processes=processes, context="fork")
    observations, info = envs.reset(options={"levels": [4, 5, 6], "size": 7})
    assert observations["text"] == ("level 4 step 0", "level 5 step 0", "level 6 step 0")
    assert info["options"].tolist() == ["{'size': 7}"] * 3
    assert observations["image"].shape == (3, 2, 3) and observations["pair"][1].shape == (3, 3)
    for step in (1, 2, 3):
        observations, rewards, terminated, _, info = envs.step(actions())
    assert terminated.tolist() == [True, False, True] and rewards.tolist() == [1, 1, 1]
    final = info["final_obs"]
    assert final[1] is None and final[0]["text"] == "level 4 step 3" and final[0]["pair"][0] == 3
    assert info["final_info"]["steps"].tolist()[::2] == [3, 3] and info["steps"][1] == 3
    assert info["final_info"]["episode"]["r"][0] == 3 and info["final_info"]["level"][2] == 6
    assert observations["text"][0] == f"level {info['level'][0]} step 0"
    assert observations["text"][1] == "level 5 step 3"
    assert info["_steps"].tolist() == [False, True, False]  # not of the episodes that have just started
    envs.close()


class Mistaken(gymnasium.Env):
    observation_space = spaces.Dict({"image": spaces.Box(0, 255, (2, 3), np.uint8)})
    action_space = spaces.Discrete(2)

    def __init__(self, image):
        self.image = image

    def reset(self, *, seed=None, options=None):
        return {"image": self.image}, {}


@pytest.mark.parametrize("image, message", [
    (np.zeros((3, 2), np.uint8), r"shape \(3, 2\), its space is Box\(0, 255, \(2, 3\), uint8\)"),
    (np.full((2, 3), 0.5), r"float64, which would lose its fractions: its space is Box\(0, 255, \(2, 3\), uint8\)")])
def test_observations_that_are_not_in_their_space_are_refused(image, message):
    with pytest.raises(ValueError, match=rf"^reset\(\) gave an observation of {message}$"):
        plr.LevelVectorEnv(lambda: Mistaken(image), 2).reset()


def test_returned_arrays_are_copies_unless_asked():
    envs = plr.LevelVectorEnv("CartPole-v1", 2, levels=10)
    first, _ = envs.reset(seed=1)
    before = first.copy()
    envs.step(np.array([0, 1]))
    assert (first == before).all()
    shared = plr.LevelVectorEnv("CartPole-v1", 2, levels=10, copy=False)
    first, _ = shared.reset(seed=1)
    assert shared.step(np.array([0, 1]))[0] is first


# ---- processes ------------------------------------------------------------------------------------


def test_methods_and_attributes_of_the_environments_are_reached():
    envs = plr.LevelVectorEnv(Talking, 3, levels=10, processes=2, context="fork")
    assert len(set(envs.call("paint", "blue"))) == 2 and os.getpid() not in envs.call("paint", "blue")
    assert envs.get_attr("color") == ("blue",) * 3
    envs.set_attr("color", ["a", "b", "c"])
    assert envs.get_attr("color") == ("a", "b", "c")
    with pytest.raises(AttributeError):
        envs.call("no_such_method")
    assert envs.get_attr("color") == ("a", "b", "c")  # still works
    envs.close()


@pytest.mark.parametrize("processes", [0, 2])
def test_an_error_of_an_environment_reaches_the_caller(processes):
    envs = plr.LevelVectorEnv(Talking, 3, levels=10, processes=processes, context="fork")
    envs.reset(seed=1)
    with pytest.raises(KeyError, match="no such word") as raised:
        envs.step(actions(1.0))
    if processes:
        assert "in step" in raised.value.__notes__[0]
    assert envs.reset(seed=1)[0]["pair"][0].tolist() == [0, 0, 0]  # another reset works
    envs.close()


def test_an_error_of_make_env_reaches_the_caller():
    parent = os.getpid()

    def make():
        if os.getpid() != parent:
            raise OSError("no display")
        return gymnasium.make("CartPole-v1")

    with pytest.raises(OSError, match="^no display"):
        plr.LevelVectorEnv(make, 2, levels=10, processes=2, context="fork")


def test_the_death_of_a_worker_is_reported():
    envs = plr.LevelVectorEnv(Talking, 3, levels=10, processes=3, context="fork")
    envs.reset(seed=1)
    with pytest.raises(RuntimeError, match="^the worker process of the slots 0 to 0 ended with the exit code -9; "):
        envs.step(actions(-1.0))
    envs.close()


SPAWN = """
import gymnasium, plr
if __name__ == "__main__":
    replay = plr.LevelReplay(20)
    size = "CartPole-v1"
    envs = plr.LevelVectorEnv(lambda: gymnasium.make(size), 4, curriculum=replay, processes=2, context="{}")
    print(envs.reset()[1]["level"].shape, replay.num_draws)
    envs.close()
"""


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_workers_can_be_started_by_spawn_and_forkserver(context, tmp_path):
    (tmp_path / "script.py").write_text(SPAWN.format(context))
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.stdout == "(4,) 4\n", done.stderr


def test_scripts_need_no_main_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import multiprocessing, plr\n"
                      "multiprocessing.set_start_method('forkserver')  # the default since Python 3.14\n"
                      "envs = plr.LevelVectorEnv('CartPole-v1', 4, levels=10, processes=2)\n"
                      "print(envs.reset()[1]['level'].shape)\n"
                      "envs.close()\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout == "(4,)\n", done.stderr


def test_workers_end_with_their_parent():
    script = ("import os, signal, plr\n"
              "envs = plr.LevelVectorEnv('CartPole-v1', 4, levels=10, processes=2, context='fork')\n"
              "print(*envs.call('reset') and [p.pid for p in envs._slots._processes], flush=True)\n"
              "os.kill(os.getpid(), signal.SIGKILL)\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    # The pipe of standard output closes when the last worker has ended, else run() times out.
    assert len(done.stdout.split()) == 2, done.stderr


# ---- invalid arguments ----------------------------------------------------------------------------

WRONG = [
    (dict(make_env=5), TypeError, "make_env must be a function that creates an environment, or an id, not int"),
    (dict(make_env="minigrid/MiniGrid-Empty-5x5-v0"), ValueError,
     "'minigrid/MiniGrid-Empty-5x5-v0' is an environment of plr; create it with plr.make_vec"),
    (dict(num_envs=0), ValueError, "num_envs must be from 1 to 65536, not 0"),
    (dict(num_envs=1.5), TypeError, "num_envs must be a whole number, not float"),
    (dict(processes=-1), ValueError, "processes must be from 0 to 2, not -1"),
    (dict(processes=3), ValueError, "processes must be from 0 to 2, not 3"),
    (dict(context="threads"), ValueError, "context must be fork, spawn or forkserver, not threads"),
    (dict(autoreset_mode="Always"), ValueError,
     "autoreset_mode must be SameStep, NextStep or Disabled, not Always"),
    (dict(levels=5, curriculum=plr.Uniform(5)), ValueError,
     "give levels or curriculum, not both: a curriculum has its own levels"),
    (dict(curriculum=7), TypeError, "curriculum must have a method next(); int has none"),
    (dict(curriculum="plr"), ValueError, "curriculum must be 'repeat' or have a method next(), not 'plr'"),
    (dict(levels=-1), ValueError, "levels must be from 0 to 18446744073709551615, not -1"),
]


@pytest.mark.parametrize("arguments, error, message", WRONG, ids=[message for *_, message in WRONG])
def test_invalid_arguments_are_refused(arguments, error, message):
    with pytest.raises(error) as refused:
        plr.LevelVectorEnv(**{"make_env": "CartPole-v1", "num_envs": 2, **arguments})
    assert str(refused.value) == message


def test_invalid_calls_are_refused():
    envs = plr.LevelVectorEnv("CartPole-v1", 2, levels=10, autoreset_mode="Disabled")
    with pytest.raises(RuntimeError, match="^call reset\\(\\) before step\\(\\)$"):
        envs.step(np.array([0, 0]))
    with pytest.raises(RuntimeError, match="^call reset\\(\\) without reset_mask first$"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="^actions must have 2 entries, one per environment, not 3$"):
        envs.step(np.array([0, 0, 0]))
    with pytest.raises(ValueError, match="^levels must not be negative$"):
        envs.reset(options={"levels": [1, -1]})
    with pytest.raises(TypeError, match="^levels must be whole numbers, not float64$"):
        envs.reset(options={"levels": [1, 0.5]})
    with pytest.raises(ValueError, match="^values must have 2 entries, one per environment, not 1$"):
        envs.set_attr("x", [1])
    with pytest.raises(ValueError, match="has ended its episode; start a level there before it steps$"):
        for _ in range(100):
            envs.step(np.array([0, 0]))


def test_a_level_that_is_not_a_number_is_refused():
    class Broken:
        def __init__(self, level):
            self.level = level

        def next(self):
            return self.level

    for level, error, message in ((-1, ValueError, f"level must be from 0 to {2**64 - 1}, not -1"),
                                  ("x", TypeError, "level must be a whole number, not str")):
        for make in (lambda curriculum: plr.LevelVectorEnv("CartPole-v1", 2, curriculum=curriculum),
                     lambda curriculum: plr.make_vec("minigrid/MiniGrid-Empty-5x5-v0", 2, curriculum=curriculum),
                     lambda curriculum: plr.LevelWrapper(gymnasium.make("CartPole-v1"), curriculum)):
            with pytest.raises(error) as refused:
                make(Broken(level)).reset()
            assert str(refused.value) == message


# ---- the wrapper of one environment ---------------------------------------------------------------


def test_the_wrapper_starts_the_levels_of_its_curriculum():
    replay, twin = plr.LevelReplay(30, seed=2), plr.LevelReplay(30, seed=2)
    env = plr.LevelWrapper(gymnasium.make("CartPole-v1"), replay)
    plain = gymnasium.make("CartPole-v1")
    assert env.level is None and env.curriculum is replay
    for _ in range(10):
        observation, info = env.reset()
        assert info["level"] == env.level == twin.next()
        assert (observation == plain.reset(seed=info["level"])[0]).all()
        assert env.step(0)[-1]["level"] == env.level


def test_without_a_curriculum_the_wrapper_draws_uniformly_from_the_seed():
    env = plr.LevelWrapper(gymnasium.make("CartPole-v1"), levels=range(100, 120))
    source = plr.Uniform(range(100, 120), seed=6)
    assert [env.reset(seed=6)[1]["level"], env.reset()[1]["level"]] == source.next_batch(2).tolist()
    unseeded = plr.LevelWrapper(gymnasium.make("CartPole-v1"))
    assert unseeded.reset()[1]["level"] != unseeded.reset()[1]["level"]
