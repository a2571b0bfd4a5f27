"""make_vec follows the conventions of Gymnasium's vector environments and plays like minigrid."""

import gymnasium
import numpy as np
import plr
import pytest
from gymnasium.spaces import Box, Discrete, MultiDiscrete
from gymnasium.utils import env_checker
from gymnasium.vector import AutoresetMode, SyncVectorEnv

NAME = "minigrid/MiniGrid-DoorKey-5x5-v0"


def play(envs, num_steps, seed=0):
    """Copies of all results of steps with random actions."""
    random = np.random.default_rng(seed)
    for _ in range(num_steps):
        observations, rewards, terminated, truncated, info = envs.step(
            random.integers(0, envs.single_action_space.n, envs.num_envs))
        yield (observations.copy(), rewards.copy(), terminated.copy(), truncated.copy(), info["level"].copy(), info)


# ---- Gymnasium's conventions ----------------------------------------------------------------------


def test_spaces_and_metadata_are_declared():
    envs = plr.make_vec(NAME, 3, observation="view")
    assert isinstance(envs, gymnasium.vector.VectorEnv) and envs.num_envs == 3
    assert envs.single_observation_space == Box(0, 255, (7, 7, 3), np.uint8)
    assert envs.observation_space == Box(0, 255, (3, 7, 7, 3), np.uint8)
    assert envs.single_action_space == Discrete(7)
    assert envs.action_space == MultiDiscrete([7, 7, 7])
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert repr(envs) == f"NativeVectorEnv({NAME}, num_envs=3)"
    envs.close()
    assert envs.closed


def test_reset_and_step_return_the_declared_types():
    envs = plr.make_vec(NAME, 3)
    observations, info = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert info["level"].shape == (3,) and info["_level"].all()
    for _ in range(300):
        observations, rewards, terminated, truncated, info = envs.step(envs.action_space.sample())
        assert observations in envs.observation_space
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
        assert rewards.shape == terminated.shape == truncated.shape == (3,)
        assert ("final_obs" in info) == bool((terminated | truncated).any())


class OneSlot:
    """A vector environment of one slot with plain bools for ends, as the checker expects."""

    def __init__(self, envs):
        self.envs = envs

    def __getattr__(self, name):
        return getattr(self.envs, name)

    def step(self, actions):
        observations, rewards, terminated, truncated, info = self.envs.step(actions)
        return observations, rewards, bool(terminated[0]), bool(truncated[0]), info


def test_the_environment_checker_reports_nothing():
    envs = plr.make_vec(NAME, 3, copy=True)
    env_checker.check_reset_seed_determinism(envs)
    env_checker.check_reset_options(envs)
    env_checker.check_reset_return_type(envs)
    env_checker.check_space_limit(envs.action_space, "action")
    for seed in range(20):
        env_checker.check_step_determinism(OneSlot(plr.make_vec(NAME, 1, copy=True)), seed)
    if hasattr(env_checker, "check_returned_data_not_reused"):  # since Gymnasium 1.4
        env_checker.check_returned_data_not_reused(OneSlot(plr.make_vec(NAME, 1, copy=True)))


def test_gymnasium_wrappers_work():
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(plr.make_vec(NAME, 4, levels=10))
    envs.reset(seed=1)
    told = []
    for _ in range(300):
        *_, info = envs.step(envs.action_space.sample())
        if "episode" in info:
            ended = info["_final_info"]
            ours = info["final_info"]["episode"]
            told += zip(info["episode"]["r"][ended], ours["r"][ended], info["episode"]["l"][ended], ours["l"][ended])
    assert len(told) > 3
    # The wrapper sums in float32.
    assert all(theirs == pytest.approx(our_own) and length == our_length
               for theirs, our_own, length, our_length in told)


class LevelInOrder(gymnasium.Wrapper):
    """The package minigrid, starting its next episode on a given level."""

    def __init__(self, env, next_level):
        super().__init__(env)
        self.next_level = next_level

    def reset(self, *, seed=None, options=None):
        self.level = self.next_level()
        observation, _ = self.env.reset(seed=self.level)
        return observation, {"level": self.level}

    def step(self, action):
        observation, reward, terminated, truncated, _ = self.env.step(action)
        return observation, reward, terminated, truncated, {"level": self.level}


@pytest.mark.parametrize("observation", ["full", "view"])
@pytest.mark.parametrize("task", ["MiniGrid-DoorKey-5x5-v0", "MiniGrid-MultiRoom-N2-S4-v0", "MiniGrid-LavaGapS5-v0"])
def test_results_equal_gymnasiums_vector_environment_of_minigrid(task, observation):
    pytest.importorskip("minigrid")
    from minigrid.wrappers import FullyObsWrapper, ImgObsWrapper

    def make(next_level):
        env = gymnasium.make(task, disable_env_checker=True).unwrapped
        return LevelInOrder(ImgObsWrapper(FullyObsWrapper(env) if observation == "full" else env), next_level)

    source = plr.Uniform(50, seed=3)
    theirs = SyncVectorEnv([lambda: make(source.next)] * 4, autoreset_mode=AutoresetMode.SAME_STEP)
    ours = plr.make_vec(f"minigrid/{task}", 4, curriculum=plr.Uniform(50, seed=3), observation=observation)
    expected, expected_info = theirs.reset()
    found, found_info = ours.reset()
    assert (found == expected).all() and (found_info["level"] == expected_info["level"]).all()
    random = np.random.default_rng(1)
    num_ended = 0
    for _ in range(1200):
        actions = random.choice(7, 4, p=[0.15, 0.15, 0.4, 0.1, 0.05, 0.1, 0.05])
        *expected, expected_info = theirs.step(actions)
        *found, found_info = ours.step(actions)
        assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(found[1:], expected[1:]))
        assert (found[0] == expected[0]).all()
        assert (found_info["level"] == expected_info["level"]).all()
        assert ("final_obs" in found_info) == ("final_obs" in expected_info)
        if "final_obs" not in found_info:
            continue
        ended = expected_info["_final_obs"]
        num_ended += ended.sum()
        assert (found_info["_final_obs"] == ended).all() and (found_info["_final_info"] == ended).all()
        assert found_info["final_obs"].dtype == object
        for slot in range(4):
            a, b = found_info["final_obs"][slot], expected_info["final_obs"][slot]
            assert (a is None and b is None) or (a == b).all()
        for key in ("level", "_level"):
            assert (found_info["final_info"][key][ended] == expected_info["final_info"][key][ended]).all()
    assert num_ended > 10


def test_next_step_results_equal_gymnasiums_vector_environment_of_minigrid():
    pytest.importorskip("minigrid")
    from minigrid.wrappers import ImgObsWrapper

    source = plr.Uniform(50, seed=3)
    theirs = SyncVectorEnv([lambda: LevelInOrder(ImgObsWrapper(gymnasium.make("MiniGrid-LavaGapS5-v0").unwrapped),
                                                 source.next)] * 4)
    ours = plr.make_vec("minigrid/MiniGrid-LavaGapS5-v0", 4, curriculum=plr.Uniform(50, seed=3), observation="view",
                        autoreset_mode="NextStep")
    assert theirs.metadata["autoreset_mode"] is ours.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert (ours.reset()[0] == theirs.reset()[0]).all()
    random = np.random.default_rng(1)
    num_ended = 0
    for _ in range(400):
        actions = random.choice(7, 4, p=[0.15, 0.15, 0.4, 0.1, 0.05, 0.1, 0.05])
        *expected, expected_info = theirs.step(actions)
        *found, found_info = ours.step(actions)
        assert all((a == b).all() and a.dtype == b.dtype for a, b in zip(found[1:], expected[1:]))
        assert (found[0] == expected[0]).all() and (found_info["level"] == expected_info["level"]).all()
        ended = found[2] | found[3]
        num_ended += ended.sum()
        assert ("final_info" in found_info) == bool(ended.any())
    assert num_ended > 20


def test_next_step_repeats_the_level_of_a_slot_if_asked():
    envs = plr.make_vec("minigrid/MiniGrid-Empty-5x5-v0", 2, curriculum="repeat", autoreset_mode="NextStep")
    envs.reset(options={"levels": [3, 9]})
    ended = [truncated.copy() for *_, truncated, level, _ in play(envs, 203) if level.tolist() == [3, 9]]
    assert len(ended) == 203 and np.sum(ended) >= 2


# ---- choice of levels -----------------------------------------------------------------------------


def test_given_levels_start_in_their_slots():
    envs = plr.make_vec(NAME, 4)
    observations, info = envs.reset(options={"levels": [7, 8, 7, 2**40]})
    assert info["level"].tolist() == [7, 8, 7, 2**40]
    assert (observations[0] == observations[2]).all() and (observations[0] != observations[1]).any()


def test_reset_mask_resets_selected_slots_only():
    envs = plr.make_vec(NAME, 3)
    before, _ = envs.reset(options={"levels": [1, 2, 3]})
    before = before.copy()
    after, info = envs.reset(options={"levels": [0, 9, 0], "reset_mask": np.array([False, True, False])})
    assert info["level"].tolist() == [1, 9, 3]
    assert (after[0] == before[0]).all() and (after[2] == before[2]).all()


def test_without_a_curriculum_levels_are_drawn_uniformly_from_the_seed():
    envs = plr.make_vec(NAME, 4, levels=range(100, 120))
    source = plr.Uniform(range(100, 120), seed=5)
    _, info = envs.reset(seed=5)
    assert info["level"].tolist() == source.next_batch(4).tolist()
    for _, _, terminated, truncated, level, _ in play(envs, 500):
        for slot in np.flatnonzero(terminated | truncated):
            assert level[slot] == source.next()
    assert source.next_batch(4).tolist() == envs.reset()[1]["level"].tolist()  # continues the draws


def test_equal_seeds_give_equal_episodes():
    def played():
        envs = plr.make_vec(NAME, 4)
        envs.reset(seed=11)
        return [moment[:-1] for moment in play(envs, 300)]

    for one, other in zip(played(), played()):
        assert all((a == b).all() for a, b in zip(one, other))


def test_a_curriculum_chooses_every_next_level_and_records_results():
    replay, twin = (plr.LevelReplay(30, seed=2) for _ in range(2))
    envs = plr.make_vec(NAME, 4, curriculum=replay)
    _, info = envs.reset()
    assert info["level"].tolist() == twin.first(4).tolist()
    num_ended = 0
    for _, _, terminated, truncated, level, info in play(envs, 600):
        slots = np.flatnonzero(terminated | truncated)
        assert level[slots].tolist() == twin.next_batch(len(slots)).tolist()
        num_ended += len(slots)
        if len(slots):
            ended = info["final_info"]["level"][slots]
            for curriculum in (replay, twin):
                curriculum.record_batch(ended, ended % 5)
    assert num_ended > 5 and replay.state_dict() == twin.state_dict()


def test_without_autoreset_scores_are_recorded_before_the_next_level_is_drawn():
    replay, twin = (plr.LevelReplay(30, seed=2) for _ in range(2))
    envs = plr.make_vec(NAME, 4, curriculum=replay, autoreset_mode="Disabled")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    _, info = envs.reset()
    playing = twin.first(4)
    num_ended = 0
    for step in range(1200):
        assert (info["level"] == playing).all()
        _, rewards, terminated, truncated, info = envs.step(np.random.default_rng(step).integers(0, 7, 4))
        ended = terminated | truncated
        assert (info["level"] == playing).all() and ("final_info" in info) == bool(ended.any())
        if not ended.any():
            continue
        num_ended += ended.sum()
        final = info["final_info"]
        assert (final["solved"][ended] == (rewards[ended] > 0)).all() and final["episode"]["l"][ended].max() <= 250
        with pytest.raises(ValueError, match="has ended its episode; start a level there before it steps"):
            envs.step(np.zeros(4, int))
        for curriculum in (replay, twin):
            curriculum.record_batch(playing[ended], playing[ended] % 5)
        playing[ended] = twin.next_batch(ended.sum())
        _, info = envs.reset(options={"reset_mask": ended})
    assert num_ended > 10 and replay.state_dict() == twin.state_dict()


def test_levels_given_to_a_curriculum_count_as_drawn():
    replay = plr.LevelReplay(30)
    envs = plr.make_vec(NAME, 2, curriculum=replay)
    envs.reset(options={"levels": [4, 9]})
    assert replay.weights()["level"].tolist() == [4, 9]
    replay.record(9, 1.0)


def test_any_object_with_next_is_a_curriculum():
    class Turns:
        turn = 0

        def next(self):
            self.turn += 1
            return self.turn

    envs = plr.make_vec(NAME, 2, curriculum=Turns())
    assert envs.reset()[1]["level"].tolist() == [1, 2]
    levels = [int(level) for *_, level, _ in play(envs, 600) for level in level]
    assert max(levels) > 3 and set(levels) == set(range(1, max(levels) + 1))


def test_an_error_of_the_curriculum_reaches_the_caller():
    class Broken:
        def next(self):
            raise KeyError("no level today")

    envs = plr.make_vec(NAME, 2, curriculum=Broken())
    envs.reset(options={"levels": [1, 2]})
    with pytest.raises(KeyError, match="no level today"):
        list(play(envs, 600))
    envs.reset(options={"levels": [1, 2]})  # another reset works


def test_final_info_has_return_length_and_success():
    envs = plr.make_vec("minigrid/MiniGrid-Empty-5x5-v0", 1)
    envs.reset(options={"levels": [0]})
    forward, right = np.array([2]), np.array([1])
    for action in (forward, forward, right, forward):
        envs.step(action)
    _, rewards, terminated, _, info = envs.step(forward)
    final = info["final_info"]
    assert terminated[0] and rewards[0] == 1 - 0.9 * 5 / 100
    assert final["solved"][0] and final["episode"]["l"][0] == 5 and final["episode"]["r"][0] == rewards[0]
    assert final["level"][0] == 0 and info["level"][0] == envs.unwrapped._level[0]


# ---- arrays ---------------------------------------------------------------------------------------


def test_arrays_are_views_unless_copy_is_set():
    envs = plr.make_vec(NAME, 2)
    first, _ = envs.reset(seed=1)
    second, *_ = envs.step(np.array([0, 0]))
    assert second is first
    copied = plr.make_vec(NAME, 2, copy=True)
    first, _ = copied.reset(seed=1)
    second, *_ = copied.step(np.array([0, 0]))
    assert not np.shares_memory(first, second)


def test_arrays_outlive_their_environment():
    observations, info = plr.make_vec(NAME, 64).reset(seed=1)
    expected = plr.make_vec(NAME, 64, copy=True).reset(seed=1)[0]
    assert (observations == expected).all() and info["level"].shape == (64,)


@pytest.mark.parametrize("actions", [[0, 1], np.array([0, 1], np.int32), np.array([0, 9, 1, 9])[::2],
                                     np.array([0, 1], np.uint8)])
def test_actions_may_have_any_integer_type(actions):
    envs, expected = plr.make_vec(NAME, 2), plr.make_vec(NAME, 2)
    envs.reset(seed=1)
    expected.reset(seed=1)
    assert (envs.step(actions)[0] == expected.step(np.array([0, 1]))[0]).all()


WRONG_ACTIONS = [
    ([0, 7], ValueError, "action of slot 1 must be from 0 to 6, not 7"),
    ([-1, 0], ValueError, "action of slot 0 must be from 0 to 6, not -1"),
    ([2**40, 0], ValueError, "action of slot 0 must be from 0 to 6, not 1099511627776"),
    ([0], ValueError, "actions must have the shape [2], not [1]"),
    ([[0, 0]], ValueError, "actions must have the shape [2], not [1, 2]"),
    ([0.0, 1.0], TypeError, "actions must be int64, int32 or uint8"),
]


@pytest.mark.parametrize("actions, error, message", WRONG_ACTIONS, ids=[message for *_, message in WRONG_ACTIONS])
def test_invalid_actions_are_refused_without_a_step(actions, error, message):
    envs = plr.make_vec(NAME, 2)
    before = envs.reset(seed=1)[0].copy()
    with pytest.raises(error) as refused:
        envs.step(actions)
    assert str(refused.value) == message
    assert (envs._observations == before).all()


# ---- invalid arguments ----------------------------------------------------------------------------

WRONG = [
    (dict(name="minigrid/DoorKey"), ValueError, "unknown environment 'minigrid/DoorKey'; did you mean "),
    (dict(num_envs=0), ValueError, "num_envs must be from 1 to 65536, not 0"),
    (dict(num_envs="many"), ValueError, "num_envs must be a whole number, not many"),
    (dict(num_slots=3), ValueError, "unknown setting 'num_slots'; did you mean num_envs?"),
    (dict(observation="ful"), ValueError, "observation must be one of default, full, view, not ful"),
    (dict(observaton="full"), ValueError, "unknown setting 'observaton'; did you mean observation?"),
    (dict(levels=5, curriculum=plr.Uniform(5)), ValueError,
     "give levels or curriculum, not both: a curriculum has its own levels"),
    (dict(levels=[3, 3]), ValueError, "levels: id 3 is given twice"),
    (dict(curriculum=5), TypeError, "curriculum must have a method next(); int has none"),
    (dict(autoreset_mode="Never"), ValueError,
     "autoreset_mode must be SameStep, NextStep or Disabled, not Never"),
    (dict(name=5), TypeError, "name must be a string, not int"),
    (dict(store=5), TypeError, "store must be a plr.LevelStore, not int"),
    (dict(render_mode="human"), ValueError, "render_mode must be None or rgb_array, not human"),
]


@pytest.mark.parametrize("arguments, error, message", WRONG, ids=[message for *_, message in WRONG])
def test_invalid_arguments_raise_the_messages_of_the_command_line(arguments, error, message):
    with pytest.raises(error) as refused:
        plr.make_vec(**{"name": NAME, "num_envs": 2, **arguments})
    assert str(refused.value).startswith(message)


WRONG_RESETS = [
    (dict(options={"levels": [1]}), ValueError, "levels must have the shape [2], not [1]"),
    (dict(options={"levels": [0.5, 1]}), TypeError, "levels must be whole numbers, not float64"),
    (dict(options={"levels": [-1, 1]}), ValueError, "levels must not be negative"),
    (dict(options={"level": [1, 2]}), ValueError, "unknown option 'level'; reset takes levels and reset_mask"),
    (dict(options={"reset_mask": [1, 0]}), TypeError, "reset_mask must be bools, not int64"),
    (dict(options={"reset_mask": [True]}), ValueError, "reset_mask must have the shape [2], not [1]"),
    (dict(options={"reset_mask": [False, False]}), ValueError, "reset_mask must have at least one True"),
    (dict(seed=[1, 2]), TypeError,
     "seed must be an integer; options={'levels': [...]} chooses a level per slot"),
]


@pytest.mark.parametrize("arguments, error, message", WRONG_RESETS, ids=[message for *_, message in WRONG_RESETS])
def test_invalid_resets_are_refused(arguments, error, message):
    envs = plr.make_vec(NAME, 2)
    with pytest.raises(error) as refused:
        envs.reset(**arguments)
    assert str(refused.value) == message


def test_a_step_before_the_first_reset_is_refused():
    with pytest.raises(ValueError, match="slot 0 has not been started"):
        plr.make_vec(NAME, 2).step([0, 0])


def test_render_returns_images_and_missions_return_text():
    envs = plr.make_vec(NAME, 2, render_mode="rgb_array")
    with pytest.raises(RuntimeError, match="call reset\\(\\) before render\\(\\)"):
        envs.render()
    envs.reset(seed=1)
    pictures = envs.render()
    assert len(pictures) == 2 and pictures[0].shape == (120, 120, 3) and pictures[0].dtype == np.uint8
    assert envs.missions() == ("use the key to open the door and then get to the goal",) * 2
    with pytest.raises(ValueError, match="render_mode='rgb_array'"):
        plr.make_vec(NAME, 2).render()


def test_all_environments_are_listed():
    names = [info["name"] for info in plr.environments()]
    assert len(names) == len(set(names)) == 153
    assert NAME in names and "procgen/bigfish" in names


def test_an_overridden_next_chooses_every_level():
    class Mine(plr.LevelReplay):
        def next(self):
            return 7

    envs = plr.make_vec(NAME, 2, curriculum=Mine(100))
    _, info = envs.reset()
    for step in range(600):
        assert (info["level"] == 7).all()
        *_, info = envs.step(np.random.default_rng(step).integers(0, 7, 2))


def test_episode_statistics_are_recorded_without_autoreset():
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        plr.make_vec(NAME, 2, levels=[3], autoreset_mode="Disabled"))
    envs.reset(seed=1)
    for step in range(300):
        *_, terminated, truncated, info = envs.step(np.random.default_rng(step).integers(0, 7, 2))
        ended = terminated | truncated
        if ended.any():
            break
    ours = info["final_info"]["episode"]
    assert (info["episode"]["l"][ended] == ours["l"][ended]).all()


def test_a_refused_reset_changes_nothing():
    replay = plr.LevelReplay(10)
    envs = plr.make_vec(NAME, 2, curriculum=replay)
    _, info = envs.reset(seed=5)
    before = info["level"].copy(), replay.state_dict(), envs.np_random_seed
    for arguments in ({"options": {"levels": [3, 60]}}, {"seed": 77, "options": {"reset_mask": [1, 0]}}):
        with pytest.raises((IndexError, TypeError)):
            envs.reset(**arguments)
        assert (info["level"] == before[0]).all() and replay.state_dict() == before[1]
        assert envs.np_random_seed == before[2]


def test_the_level_array_is_read_only():
    envs = plr.make_vec(NAME, 2)
    _, info = envs.reset(seed=1)
    with pytest.raises(ValueError, match="read-only"):
        info["level"][0] = 999
    with pytest.raises(AttributeError):
        envs.curriculum = plr.Uniform(5)
