"""The scorer computes the scores of the paper and of the released code."""

import gzip
import json
import os
import pathlib
import pickle

import numpy as np
import plr
import pytest

GOLDEN = pathlib.Path(os.environ.get("PLR_GOLDEN") or pathlib.Path(__file__).parents[1] / "golden")


def golden(name):
    with gzip.open(GOLDEN / "sampler" / name, "rt") as file:
        return [json.loads(line) for line in file]


RUNS = golden("sampler_released_cases.jsonl.gz")
ROLLOUTS = {rollouts["id"]: rollouts for rollouts in golden("sampler_released_rollouts.jsonl.gz")}


def released_settings(cfg):
    names = {"power": "proportional", "eps_greedy": "epsilon-greedy"}
    return {**plr.LevelReplay.released_code(),
            "transform": names.get(cfg["transform"], cfg["transform"]), "temperature": cfg["temperature"],
            "staleness_coef": cfg["staleness_coef"], "schedule": cfg["schedule"],
            "warmup_fraction": cfg["warmup_fraction"], "replay_probability": 1 - cfg["nu"],
            "smoothing": cfg["alpha"], "epsilon": cfg["eps"]}


@pytest.mark.parametrize("run", RUNS, ids=[str(run["case"]) for run in RUNS])
def test_golden_rollouts_get_the_scores_of_the_released_code(run):
    cfg, rollouts = run["cfg"], ROLLOUTS[run["rollout_set"]]
    replay = plr.LevelReplay(cfg["levels"], **released_settings(cfg))
    scorer = plr.EpisodeScorer(cfg["actors"], rollouts["T"], **{
        **plr.EpisodeScorer.released_code(), "score_function": cfg["strategy"], "tail_row": bool(cfg["tail_row"]),
        "gamma": rollouts["gamma"], "gae_lambda": rollouts["lam"]})
    assert replay.first(cfg["actors"]).tolist() == run["initial_levels"]

    def expect(scores, seen):
        known = replay.scores()
        assert [int(level in known) for level in range(cfg["levels"])] == seen
        # The recorded scores are float32.
        assert [known.get(level, 0) for level in range(cfg["levels"])] == pytest.approx(scores, abs=1e-6)

    for update, rollout in zip(run["updates"], rollouts["updates"]):
        for _, _, level, *_ in update["ev"]:
            replay.choose(level)
        values = np.float32(rollout["values"])
        results = scorer.score(update["ids"], np.float32(rollout["rewards"]), values[:-1],
                               np.float32(rollout["masks"])[1:] == 0, values[-1], logits=np.float32(rollout["logp"]))
        finished = results["finished"]
        replay.record_batch(**{name: column[finished] for name, column in results.items()})
        expect(update["scores_mid"], update["seen_mid"])
        replay.record_batch(**{name: column[~finished] for name, column in results.items()})
        expect(update["scores"], update["seen"])


def arrays(num_steps=8, num_envs=3, seed=1):
    random = np.random.default_rng(seed)
    dones = random.random((num_steps, num_envs)) < 0.3
    # Every episode has a different level.
    episodes = np.cumsum(np.vstack([np.zeros(num_envs, int), dones[:-1]]), axis=0)
    return dict(levels=10 * episodes + np.arange(num_envs), rewards=random.normal(size=dones.shape),
                values=random.normal(size=dones.shape), dones=dones, next_values=random.normal(size=num_envs))


def one_step_errors(rollout, slot, gamma):
    """{level: mean |r + gamma V' - V|} of the finished episodes, by a naive loop."""
    errors, found = [], {}
    for t in range(len(rollout["dones"])):
        done = rollout["dones"][t, slot]
        following = 0 if done else rollout["values"][t + 1, slot] if t + 1 < len(rollout["dones"]) else 0
        errors.append(abs(rollout["rewards"][t, slot] + gamma * following - rollout["values"][t, slot]))
        if done:
            found[int(rollout["levels"][t, slot])] = np.mean(errors)
            errors = []
    return found


def test_scores_are_means_over_the_steps_of_an_episode():
    rollout = arrays()
    results = plr.EpisodeScorer(3, 8, score_function="one_step_td_error", gamma=0.9,
                                open_episodes="stitch").score(**rollout)
    expected = {}
    for slot in range(3):
        expected.update(one_step_errors(rollout, slot, 0.9))
    assert dict(zip(results["levels"].tolist(), results["scores"])) == pytest.approx(expected)
    assert results["finished"].all() and len(results["levels"]) == rollout["dones"].sum()


def two_rollouts_of_one_episode(**settings):
    """The absolute errors of the steps are 1, 2 + 4, then 3, 8."""
    scorer = plr.EpisodeScorer(1, 2, score_function="one_step_td_error", gamma=1, **settings)
    common = dict(levels=[[5], [5]], values=[[0], [0]])
    yield scorer.score(rewards=[[1], [2]], dones=[[False], [False]], next_values=[4], **common)
    yield scorer.score(rewards=[[3], [8]], dones=[[False], [True]], next_values=[9], **common)


def test_each_piece_of_an_episode_has_a_score_and_the_last_has_the_return():
    first, second = two_rollouts_of_one_episode()
    assert (first["levels"].tolist(), first["scores"].tolist(), first["finished"].tolist()) == ([5], [3.5], [False])
    assert (second["scores"].tolist(), second["returns"].tolist(), second["finished"].tolist()) == ([5.5], [14], [True])


def test_stitched_episodes_across_rollouts_have_one_score():
    first, second = two_rollouts_of_one_episode(open_episodes="stitch")
    assert len(first["levels"]) == 0
    assert (second["levels"].tolist(), second["scores"].tolist(), second["returns"].tolist()) == ([5], [4.5], [14])


def test_scoring_step_by_step_equals_scoring_a_rollout():
    whole, single = (plr.EpisodeScorer(3, 8) for _ in range(2))
    for seed in (1, 2):
        rollout = arrays(seed=seed)
        rollout["dones"][-1] = True  # so that the next rollout may have other levels
        expected = whole.score(**rollout)
        next_values = rollout.pop("next_values")
        found = [single.step(**{name: array[t] for name, array in rollout.items()}) for t in range(8)]
        found.append(single.end_rollout(next_values))
        for name, column in expected.items():
            assert column.tolist() == np.concatenate([part[name] for part in found]).tolist()
        assert len(found[-1]["levels"]) == 0
    with pytest.raises(ValueError, match="^a rollout has at most 8 steps, not 9$"):
        for _ in range(9):
            single.step(np.arange(3), np.zeros(3), np.zeros(3), np.zeros(3, bool))
    open_ones = single.end_rollout(np.zeros(3))
    assert open_ones["levels"].tolist() == [0, 1, 2] and not open_ones["finished"].any()


def test_steps_that_only_start_an_episode_are_not_scored():
    """A rollout of a NEXT_STEP environment has the scores of the same episodes without its extra steps."""
    plain = arrays(num_steps=8)
    longer = {name: [[] for _ in range(3)] for name in ("levels", "rewards", "values", "dones", "autoresets")}
    for slot in range(3):
        for t in range(8):
            for name in ("levels", "rewards", "values", "dones"):
                longer[name][slot].append(plain[name][t, slot])
            longer["autoresets"][slot].append(False)
            if plain["dones"][t, slot]:
                for name, value in dict(levels=plain["levels"][t, slot], rewards=0, values=99, dones=False,
                                        autoresets=True).items():
                    longer[name][slot].append(value)
    length = max(map(len, longer["dones"]))
    for slot in range(3):  # rows of equal length: the shorter ones begin with such steps
        while len(longer["dones"][slot]) < length:
            for name, value in dict(levels=77, rewards=0, values=99, dones=False, autoresets=True).items():
                longer[name][slot].insert(0, value)
    longer = {name: np.array(columns).T for name, columns in longer.items()}
    settings = dict(open_episodes="commit", score_update="rollout", update_order="slot")
    expected = plr.EpisodeScorer(3, 20, **settings).score(**plain)
    found = plr.EpisodeScorer(3, 20, **settings).score(**longer, next_values=plain["next_values"])
    assert longer["autoresets"].sum() > plain["dones"].sum() > 3
    assert all((found[name] == expected[name]).all() for name in expected)
    with pytest.raises(ValueError, match="^autoresets of slot 0 at step 1 must follow the end of an episode$"):
        plr.EpisodeScorer(1, 9).score([[1], [1]], [[0], [0]], [[0], [0]], [[False], [False]], [0],
                                      autoresets=[[False], [True]])


def test_returns_are_sums_of_raw_rewards_if_given():
    result = plr.EpisodeScorer(1, 1).score([[0]], [[0.5]], [[0]], [[True]], [0], raw_rewards=[[10]])
    assert result["returns"].tolist() == [10]


def test_logits_need_not_be_normalized():
    rollout = arrays()
    logits = np.random.default_rng(2).normal(size=(8, 3, 5))
    scores = [plr.EpisodeScorer(3, 8, score_function="policy_entropy").score(**rollout, logits=logits + shift)["scores"]
              for shift in (0, 100)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-5)
    even = plr.EpisodeScorer(3, 8, score_function="policy_entropy").score(**rollout, logits=np.zeros((8, 3, 5)))
    assert even["scores"] == pytest.approx(1)  # uniform probabilities: the normalized entropy is 1


def test_dones_may_be_numbers_and_arrays_may_be_tensors():
    torch = pytest.importorskip("torch")
    rollout = arrays()
    expected = plr.EpisodeScorer(3, 8).score(**rollout)
    tensors = {name: torch.as_tensor(array) for name, array in rollout.items()}
    found = plr.EpisodeScorer(3, 8).score(**{**tensors, "dones": tensors["dones"].float()})
    assert all((expected[name] == found[name]).all() for name in expected)


def test_pickle_and_state_dict_restore_open_episodes():
    scorer = plr.EpisodeScorer(3, 8, gamma=0.9)
    scorer.score(**arrays())
    other = plr.EpisodeScorer(3, 8, gamma=0.9)
    other.load_state_dict(scorer.state_dict())
    third = pickle.loads(pickle.dumps(scorer))
    assert third.settings == scorer.settings
    # Open episodes continue for one step; the other slots start one.
    rest = {**{name: array[:1] for name, array in arrays(seed=2).items()},
            "levels": arrays()["levels"][-1:], "dones": [[True] * 3], "next_values": [0, 0, 0]}
    expected = scorer.score(**rest)
    assert len(expected["levels"]) == 3
    for again in (other, third):
        assert all((column == expected[name]).all() for name, column in again.score(**rest).items())


WRONG = [
    (dict(rewards=np.zeros((3, 8))), ValueError, "rewards must have the shape [8, 3], not [3, 8]"),
    (dict(values=np.zeros((9, 3))), ValueError, "values must have the shape [8, 3], not [9, 3]"),
    (dict(next_values=np.zeros((1, 3))), ValueError, "next_values must have the shape [3], not [1, 3]"),
    (dict(levels=np.zeros((8, 3))), TypeError, "levels must be whole numbers, not float64"),
    (dict(levels=np.full((8, 3), -1)), ValueError, "levels must not be negative"),
    (dict(dones=np.full((8, 3), 0.5)), ValueError, "dones must be bools, or numbers 0 and 1"),
    (dict(dones=np.full((8, 3), "x")), TypeError, "dones must be bools, not str32"),
    (dict(logits=np.zeros((8, 3))), ValueError, "logits must have the shape [8, 3, any], not [8, 3]"),
    (dict(levels=np.arange(24).reshape(8, 3), dones=np.zeros((8, 3), bool)), ValueError,
     "level of slot 0 changes from 0 to 3 at step 1 without an end; dones[t] must say that step t ended its episode"),
]


@pytest.mark.parametrize("change, error, message", WRONG, ids=[message for *_, message in WRONG])
def test_invalid_arrays_are_refused_and_change_nothing(change, error, message):
    scorer = plr.EpisodeScorer(3, 8)
    before = scorer.state_dict()
    with pytest.raises(error) as refused:
        scorer.score(**{**arrays(), **change})
    assert str(refused.value) == message
    assert scorer.state_dict() == before


def test_invalid_settings_raise_the_messages_of_the_command_line():
    for settings, message in (({"gamma": 1.5}, "gamma must be from 0 to 1, not 1.5"),
                              ({"num_envs": 0}, "num_envs must be from 1 to 1048576, not 0"),
                              ({"rollout_length": -3}, "rollout_length must be from 0 to 18446744073709551615, not -3")):
        with pytest.raises(ValueError) as refused:
            plr.EpisodeScorer(**{"num_envs": 3, "rollout_length": 8, **settings})
        assert str(refused.value) == message
    with pytest.raises(ValueError, match="^score_function min_margin needs the policy's logits \\[T, N, A\\]$"):
        plr.EpisodeScorer(3, 8, score_function="min_margin").score(**arrays())
    with pytest.raises(ValueError, match="^a rollout has at most 4 steps, not 8$"):
        plr.EpisodeScorer(3, 4).score(**arrays())


@pytest.mark.parametrize("field, message", [
    ("rewards", "rewards of slot 1 at step 2 must be a finite number, not nan"),
    ("values", "values of slot 1 at step 2 must be a finite number, not nan"),
    ("raw_rewards", "raw_rewards of slot 1 at step 2 must be a finite number, not nan"),
    ("logits", "logits of slot 1 at step 2 must be finite, except for masked actions (-inf)"),
    ("next_values", "next_values of slot 1 must be a finite number, not nan"),
])
def test_non_finite_numbers_are_refused_before_scoring(field, message):
    scorer = plr.EpisodeScorer(2, 4, score_function="min_margin")
    before = scorer.state_dict()
    arrays = {"levels": np.zeros((4, 2), int), "rewards": np.zeros((4, 2)), "values": np.zeros((4, 2)),
              "raw_rewards": np.zeros((4, 2)), "dones": np.zeros((4, 2), bool),
              "logits": np.zeros((4, 2, 3), np.float32), "next_values": np.zeros(2)}
    arrays["logits"][0, 0, 1] = -np.inf  # a masked action
    arrays[field][(1,) if field == "next_values" else (2, 1)] = np.nan
    with pytest.raises(ValueError) as refused:
        scorer.score(**arrays)
    assert str(refused.value) == message
    assert scorer.state_dict() == before


def test_logits_without_actions_or_with_all_actions_masked_are_refused():
    for logits, message in ((np.zeros((1, 1, 0)), "at least one action"), (np.full((1, 1, 3), -np.inf), "must be finite"),
                            (np.array([[[0, np.inf]]]), "must be finite")):
        scorer = plr.EpisodeScorer(1, 1, score_function="policy_entropy")
        with pytest.raises(ValueError, match=message):
            scorer.score([[0]], [[0.0]], [[0.0]], [[True]], [0.0], logits=logits)


def test_an_invalid_pickled_state_is_refused():
    whole = plr.EpisodeScorer(2, 3).__getstate__()
    for state in ((), whole[:3], (*whole[:2], "settings", whole[3])):
        with pytest.raises(RuntimeError, match="^the pickled state is damaged or of another version$"):
            plr.EpisodeScorer.__new__(plr.EpisodeScorer).__setstate__(state)
