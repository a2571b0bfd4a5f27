"""The samplers in Python equal those in C++."""

import copy
import os
import pickle
import subprocess

import numpy as np
import plr
import pytest

MAKERS = {
    "rank": lambda: plr.LevelReplay(200, seed=7, staleness_coef=0.3),
    "proportional": lambda: plr.LevelReplay([5, 3, 9, 2**40], seed=7, transform="proportional",
                                            temperature=0.5, smoothing=0.7),
    "stream": lambda: plr.LevelReplay(plr.LevelSet.stream(1, 999_999_999_999), seed=7, buffer_size=50),
    "uniform": lambda: plr.Uniform(range(100, 150), seed=7),
    "tscl": lambda: plr.Tscl(40, seed=7, tscl_window=5, tscl_staleness_coef=0.2),
}


def score_of(level, episode):
    return ((level * 7 + episode) % 2**64 % 13) / 13


def play(curriculum, episodes):
    drawn = []
    for episode in range(episodes):
        level = curriculum.next()
        curriculum.record(level, score_of(level, episode), episode_return=2 * score_of(level, episode))
        drawn.append(level)
    return drawn


@pytest.fixture(scope="module")
def draws_of_cpp():
    """{name: (levels drawn, probabilities)}, the output of draws.cc."""
    lines = subprocess.run([os.environ["PLR_DRAWS"]], check=True, capture_output=True, text=True).stdout.split()
    found = {}
    for line in lines:
        if line in MAKERS:
            name = line
            found[name] = ([], [])
        elif "x" in line:
            found[name][1].append(float.fromhex(line))
        else:
            found[name][0].append(int(line))
    return found


@pytest.mark.parametrize("name", MAKERS)
def test_equal_seeds_give_the_draws_of_cpp(name, draws_of_cpp):
    curriculum = MAKERS[name]()
    levels, probabilities = draws_of_cpp[name]
    assert play(curriculum, 2000) == levels
    assert curriculum.weights()["probability"].tolist() == probabilities


@pytest.mark.parametrize("name", MAKERS)
def test_batches_equal_single_draws_and_records(name):
    one, other = MAKERS[name](), MAKERS[name]()
    levels = one.next_batch(30)
    assert levels.dtype == np.uint64
    assert levels.tolist() == [other.next() for _ in range(30)]
    one.record_batch(levels, levels % 7, returns=levels % 5)
    for level in levels.tolist():
        other.record(level, level % 7, level % 5)
    assert one.state_dict() == other.state_dict()


def test_tscl_ignores_returns_of_unfinished_episodes():
    tscl = plr.Tscl(2)
    tscl.choose(0)
    tscl.record_batch([0, 0], [0, 0], returns=[1, 2], finished=[True, True])
    tscl.record_batch([0], [0], returns=[100], finished=[False])
    assert tscl.progress(0) == 1  # returns 1 and 2 at consecutive times


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_a_copy_continues_with_the_same_draws(name, duplicate):
    curriculum = MAKERS[name]()
    play(curriculum, 100)
    other = duplicate(curriculum)
    assert other.settings == curriculum.settings
    assert other.levels == curriculum.levels
    assert play(other, 500) == play(curriculum, 500)


@pytest.mark.parametrize("name", MAKERS)
def test_a_state_dict_restores_the_draws(name):
    curriculum = MAKERS[name]()
    play(curriculum, 100)
    state = curriculum.state_dict()
    expected = play(curriculum, 200)
    other = MAKERS[name]()
    other.load_state_dict(state)
    assert play(other, 200) == expected


def test_a_damaged_or_foreign_state_is_refused_and_changes_nothing():
    replay = plr.LevelReplay(20)
    before = replay.state_dict()
    damaged = bytearray(before["state"])
    damaged[-1] ^= 1
    with pytest.raises(RuntimeError, match="level replay state"):
        replay.load_state_dict({"state": bytes(damaged)})
    with pytest.raises(RuntimeError, match="here temperature = 0.1, not 0.5"):
        replay.load_state_dict(plr.LevelReplay(20, temperature=0.5).state_dict())
    with pytest.raises(ValueError, match="pass the result of state_dict\\(\\)"):
        replay.load_state_dict({})
    assert replay.state_dict() == before


def test_weights_and_scores_have_all_recorded_levels():
    replay = plr.LevelReplay(3, staleness_coef=0, seed=1)
    for level in (2, 0, 1):
        replay.choose(level)
    replay.record(2, 0.5)
    replay.record(0, 1.5)
    assert replay.scores() == {2: 0.5, 0: 1.5}
    weights = replay.weights()
    assert weights["level"].tolist() == [2, 0, 1]
    assert weights["is_scored"].tolist() == [True, True, False]
    assert weights["score"].tolist() == [0.5, 1.5, 0.0]
    # rank^(-1/0.1): the second of two has 2^-10 of the first's weight
    assert weights["probability"] == pytest.approx([1 / 1025, 1024 / 1025, 0])
    assert (replay.num_seen, replay.num_draws) == (3, 3)


def test_released_code_is_a_set_of_settings():
    settings = plr.LevelReplay.released_code()
    replay = plr.LevelReplay(5, **settings)
    assert replay.settings == settings
    assert replay.first(7).tolist() == [0, 1, 2, 3, 4, 0, 1]  # sequential first levels


def test_levels_accepts_numbers_ranges_ids_and_sets():
    assert list(map(int, [plr.Uniform(r).levels[0] for r in (5, range(3, 9), [8, 1], np.array([4]))])) == [0, 3, 8, 4]
    assert len(plr.Uniform(range(3, 9)).levels) == 6
    assert plr.Uniform(np.int64(4)).levels == plr.LevelSet.range(0, 4)
    assert 8 in plr.LevelSet.list([8, 1]) and 2 not in plr.LevelSet.list([8, 1])
    assert plr.LevelSet.stream(0, 2**40).is_stream


def test_lists_may_mix_ids_above_and_below_2_to_the_63():  # numpy makes floats of such lists
    replay = plr.LevelReplay([2**63 + 1, 5])
    replay.choose(5)
    replay.choose(2**63 + 1)
    replay.record_batch([2**63 + 1, 5], [1.0, 2.0])
    assert replay.scores() == {2**63 + 1: 1, 5: 2}
    with pytest.raises(TypeError, match="^levels must be whole numbers, not float64$"):
        plr.LevelReplay([2**63 + 1, 5.0])


WRONG = [
    (dict(temperature=-1), ValueError, "temperature must be above 0, not -1"),
    (dict(temperature=float("nan")), ValueError, "temperature must be above 0, not nan"),
    (dict(staleness_coef=2), ValueError, "staleness_coef must be from 0 to 1, not 2"),
    (dict(temprature=1), ValueError, "unknown setting 'temprature'; did you mean temperature?"),
    (dict(transform="rnk"), ValueError,
     "transform must be one of rank, proportional, greedy, softmax, epsilon-greedy, constant, not rnk"),
    (dict(temperature="warm"), ValueError, "temperature must be a number, not warm"),
    (dict(buffer_size=1.5), ValueError, "buffer_size must be a whole number, not 1.5"),
    (dict(clip_negative=1), ValueError, "clip_negative must be true or false, not 1"),
    (dict(temperature=[1]), TypeError, "temperature must be a number, a bool or a string, not list"),
    (dict(seed=-1), ValueError, "seed must be from 0 to 18446744073709551615, not -1"),
    (dict(levels=0), ValueError, "levels: the set is empty; give at least one level"),
    (dict(levels=[]), ValueError, "levels: the set is empty; give at least one level"),
    (dict(levels=[1, 1]), ValueError, "levels: id 1 is given twice"),
    (dict(levels=[1, -1]), ValueError, "levels must not be negative"),
    (dict(levels=[0.5]), TypeError, "levels must be whole numbers, not float64"),
    (dict(levels=[2**64]), TypeError, "levels must be whole numbers from 0 to 18446744073709551615"),
    (dict(levels={1, 2}), TypeError, "levels must be a list or an array of whole numbers, not set"),
    (dict(levels=[[1]]), ValueError, "levels must have the shape [any], not [1, 1]"),
    (dict(levels=range(0, 10, 2)), ValueError, "levels: a range must have the step 1; use list(range(...))"),
    (dict(levels=plr.LevelSet.stream(0, 10)), ValueError,
     "buffer_size must be at most half of the stream's 10 levels, not 4000"),
]


@pytest.mark.parametrize("arguments, error, message", WRONG, ids=[message for *_, message in WRONG])
def test_invalid_settings_raise_the_messages_of_the_command_line(arguments, error, message):
    with pytest.raises(error) as refused:
        plr.LevelReplay(**{"levels": 200, **arguments})
    assert str(refused.value) == message


def test_other_curricula_refuse_invalid_settings():
    with pytest.raises(ValueError, match="^tscl_window must be from 2 to 1048576, not 1$"):
        plr.Tscl(5, tscl_window=1)
    with pytest.raises(ValueError, match="^first_levels must be one of drawn, sequential, not sorted$"):
        plr.Uniform(5, first_levels="sorted")
    with pytest.raises(ValueError, match="^unknown setting 'temperature'"):
        plr.Uniform(5, temperature=1)
    with pytest.raises(TypeError):
        plr.Curriculum()


def test_invalid_results_are_refused():
    replay = plr.LevelReplay(5)
    level = replay.next()
    with pytest.raises(ValueError, match=f"^score of level {level} must be a finite number, not nan$"):
        replay.record(level, float("nan"))
    with pytest.raises(IndexError, match="^level 7 is not in the set of 5 levels$"):
        replay.record(7, 1)
    with pytest.raises(IndexError, match="has not been drawn yet, so it cannot have been played$"):
        replay.record((level + 1) % 5, 1)
    with pytest.raises(ValueError, match=r"^scores must have the shape \[2\], not \[3\]$"):
        replay.record_batch([level, level], [1, 2, 3])
    with pytest.raises(TypeError, match="^scores must be numbers, not str32$"):
        replay.record_batch([level], ["1"])
    assert replay.scores() == {}


@pytest.mark.parametrize("kind", [plr.LevelReplay, plr.Uniform, plr.Tscl])
def test_every_curriculum_accepts_choose(kind):
    curriculum = kind(5)
    curriculum.choose(3)
    with pytest.raises(IndexError):
        curriculum.choose(7)


@pytest.mark.parametrize("kind", [plr.LevelReplay, plr.Uniform, plr.Tscl])
def test_an_invalid_pickled_state_is_refused(kind):
    whole = kind(5).__getstate__()
    for state in ((), whole[:2], (whole[0], "settings", whole[2]), (*whole, 1)):
        with pytest.raises(RuntimeError, match="^the pickled state is damaged or of another version$"):
            kind.__new__(kind).__setstate__(state)
