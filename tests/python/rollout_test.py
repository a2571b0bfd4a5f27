"""Curricula that decide per rollout: scores, the buffer, robust PLR, ACCEL and SFL."""

import gzip
import json
import os
import pathlib

import numpy as np
import plr
import pytest

GOLDEN = pathlib.Path(os.environ.get("PLR_GOLDEN",
                                     pathlib.Path(__file__).resolve().parent.parent / "golden"))


def golden(name):
    with gzip.open(GOLDEN / "maze" / name, "rt") as lines:
        return [json.loads(line) for line in lines]


def test_golden_scores():
    for record in golden("scores.jsonl.gz"):
        stored = [0 if best is None else best for best in record["stored_max_return"]]
        results = plr.score_rollout(record["rewards"], record["values"], record["dones"],
                                    record["last_value"], stored, gamma=record["gamma"],
                                    gae_lambda=record["lam"])
        assert results.episodes.tolist() == record["episodes"]
        for ours, theirs in (("max_mc", "maxmc"), ("positive_value_loss", "pvl"),
                             ("value_l1", "l1"), ("best_return", "max_return")):
            expected = [-np.inf if x is None else x for x in record[theirs]]
            measured = np.asarray(record["episodes"]) > 0
            np.testing.assert_allclose(getattr(results, ours)[measured],
                                       np.asarray(expected)[measured], atol=1e-5)


def test_golden_buffer():
    for record in golden("buffer.jsonl.gz"):
        config = record["config"]
        rank = config["prioritization"] == "rank"
        buffer = plr.LevelBuffer(buffer_capacity=config["capacity"],
                                 buffer_staleness_coef=config["staleness_coeff"],
                                 buffer_min_fill_ratio=config["minimum_fill_ratio"],
                                 buffer_prioritization=config["prioritization"],
                                 buffer_duplicate_check=config["duplicate_check"],
                                 **{"buffer_temperature" if rank else "buffer_topk": config["param"]})
        first = record["events"][0]
        slots = [buffer.insert(level, -np.inf if score is None else score, best) for level, score, best in
                 zip(first["levels"], first["scores"], first["max_returns"])]
        assert [-1 if slot is None else slot for slot in slots] == first["slots"]
        np.testing.assert_allclose(buffer.weights()["probability"], first["after"]["weights"],
                                   atol=2e-6)


def maze_accel(seed=1, **settings):
    store = plr.LevelStore()
    envs = plr.make_vec("maze/random-25", 4, curriculum="repeat", store=store, max_steps=12)
    accel = plr.RolloutReplay(envs.full_distribution, env="maze/random-25", store=store, seed=seed,
                              num_edits=5, buffer_capacity=8, **settings)
    return envs, accel, store


def play(envs, curriculum, rng, steps=30):
    """Plays and records a rollout by random actions; returns the plan."""
    plan = curriculum.plan(envs.num_envs)
    envs.reset(options={"levels": plan["levels"]})
    rewards, dones = [], []
    for _ in range(steps):
        _, reward, terminated, truncated, info = envs.step(rng.integers(0, 3, envs.num_envs))
        assert (info["level"] == plan["levels"]).all()  # also after an end
        rewards.append(reward.copy())
        dones.append(terminated | truncated)
    values = rng.random((steps, envs.num_envs))
    results = plr.score_rollout(rewards, values, dones, values[-1], plan["best_returns"])
    assert (results.episodes == np.sum(dones, axis=0)).all()
    curriculum.record(results)
    return plan


def test_accel_replays_edits_and_learns_from_replays_only():
    envs, accel, store = maze_accel()
    rng = np.random.default_rng(1)
    last, kinds = "new", set()
    for _ in range(40):
        plan = play(envs, accel, rng)
        assert plan["learn"] == (plan["kind"] == "replay")
        assert (plan["kind"] == "edited") == (last == "replay")
        if plan["kind"] == "edited":
            assert (plan["levels"] >= 2**63).any()
        last = plan["kind"]
        kinds.add(last)
    assert kinds == {"new", "replay", "edited"}
    used = np.concatenate([accel.levels_in_use(), envs._level])
    store.keep(used)
    assert len(store) <= len(used)
    play(envs, accel, rng)


def test_a_saved_state_continues_identically():
    envs, accel, store = maze_accel()
    rng = np.random.default_rng(1)
    for _ in range(9):
        play(envs, accel, rng)
    _, copy, other = maze_accel(seed=2)
    copy.load_state_dict(accel.state_dict())
    other.load_state_dict(store.state_dict())
    a, b = accel.plan(4), copy.plan(4)
    assert a["kind"] == b["kind"]
    assert (a["levels"] == b["levels"]).all()
    with pytest.raises(RuntimeError, match="other settings"):
        maze_accel(rollout_score="value_l1")[1].load_state_dict(accel.state_dict())


def test_own_environments_bring_their_edits():
    calls = []

    def edit(parent, num_edits):
        calls.append((parent, num_edits))
        return parent + 1_000_000

    accel = plr.RolloutReplay(1000, num_edits=3, edit=edit, buffer_capacity=4, seed=3)
    results = plr.score_rollout(np.ones((5, 4)), np.zeros((5, 4)), np.ones((5, 4), bool), np.zeros(4))
    plan = accel.plan(4)
    while plan["kind"] != "replay":
        accel.record(results)
        plan = accel.plan(4)
    accel.record(results)
    assert accel.plan(4)["levels"].tolist() == [level + 1_000_000 for level in plan["levels"]]
    assert calls == [(level, 3) for level in plan["levels"].tolist()]


def test_sfl_keeps_the_most_learnable_levels():
    sfl = plr.Sfl(range(10**6), sfl_surveyed=50, sfl_kept=5)
    levels = sfl.levels_to_survey()
    rates = np.linspace(0, 1, 50)
    sfl.record_survey(rates)
    best = levels[np.argsort(-rates * (1 - rates), kind="stable")[:5]]
    assert sfl.levels_in_use().tolist() == best.tolist()
    plan = sfl.plan(8)
    assert plan["learn"] and set(plan["levels"][4:]) <= set(best)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="num_edits must be 0"):
        plr.RolloutReplay(100, num_edits=5)
    with pytest.raises(ValueError, match="store must be given with env"):
        plr.RolloutReplay(100, num_edits=5, env="maze/random-25")
    with pytest.raises(ValueError, match="did you mean num_edits"):
        plr.RolloutReplay(100, num_edit=5)
    with pytest.raises(ValueError, match="curriculum must be 'repeat'"):
        plr.make_vec("maze/empty", 1, curriculum="again")
    with pytest.raises(ValueError, match="dones must have the shape"):
        plr.score_rollout(np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((3, 1), bool), np.zeros(2))
