"""Writes small deterministic run folders for tests of reports."""

import json
import math
import pathlib
import random

METHODS = {"uniform": 'curriculum = "uniform"\n', "plr": 'curriculum = "plr"\n'}
ENVS = ["minigrid/MultiRoom-N4-Random", "minigrid/ObstructedMazeGamut-Easy"]
SECONDS_PER_UPDATE = {"uniform": 40.0, "plr": 50.0}
STEPS_PER_UPDATE = 16384 * 10


def returns(method, env, seed, num_points):
    """A noisy rising curve, faster and higher for plr; deterministic for equal arguments."""
    noise = random.Random(f"{method} {env} {seed}")
    height = {"uniform": 0.5, "plr": 0.8}[method] + 0.04 * noise.gauss(0, 1)
    pace = {"uniform": 0.5, "plr": 0.3}[method] * num_points
    return [max(0.0, height * (1 - math.exp(-i / pace)) + 0.02 * noise.gauss(0, 1))
            for i in range(1, num_points + 1)]


def log_records(method, test, noise, resumed_at):
    """A record per update; from update `resumed_at` on, by a second process."""
    records = []
    for i, mean in enumerate(test):
        done = i - resumed_at + 1 if resumed_at is not None and i >= resumed_at else i + 1
        seconds = done * SECONDS_PER_UPDATE[method]
        part = (i + 1) / len(test)
        records.append({
            "update": i + 1, "steps": STEPS_PER_UPDATE * (i + 1), "seconds": seconds,
            "steps_per_second": done * STEPS_PER_UPDATE / seconds, "return": mean, "length": 120 - 80 * mean,
            "policy_loss": -0.004 + 0.001 * noise.gauss(0, 1), "value_loss": 0.02 / (1 + 5 * part),
            "entropy": 1.9 - 1.2 * part + 0.02 * noise.gauss(0, 1), "grad_norm": 0.4 + 0.05 * noise.gauss(0, 1),
            "clip_fraction": 0.1 + 0.01 * noise.gauss(0, 1), "approx_kl": 0.01 + 0.001 * noise.gauss(0, 1),
            "explained_variance": 0.9 * part, "advantage_deviation": 0.1})
    return records


def leading(i, num_points):
    """The ten most probable levels of the i-th record, which change over the run."""
    first = 60 * i // num_points
    weights = [1 / (k + 1) ** 2 for k in range(10)]
    return [{"level": (first + 7 * k) % 200, "probability": 0.9 * w / sum(weights), "score": w, "staleness": k}
            for k, w in enumerate(weights)]


def write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def write_run(folder, method, env, seed, num_points=30, has_difficulty=True, resumed_at=None, test=None,
              is_finished=True):
    """A run with `num_points` updates, evaluations and records of levels; `test` are its test returns."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    steps = [STEPS_PER_UPDATE * i for i in range(1, num_points + 1)]
    (folder / "config.toml").write_text(
        f'env = "{env}"\nseed = {seed}\nsteps = {steps[-1]}\nlevels = "200"\nlearning_rate = 0.0005\n'
        f'staleness_coef = {0.3 if method == "plr" else 0.1}\n' + METHODS[method])
    test = test or returns(method, env, seed, num_points)
    noise = random.Random(seed)
    evaluations = [{"steps": s, "update": i + 1, "test_return": r, "test_success": min(1, r),
                    "train_return": r + 0.1 * i / num_points + 0.01 * noise.gauss(0, 1)}
                   for i, (s, r) in enumerate(zip(steps, test))]
    evaluations[-1]["test_returns"] = [max(0, test[-1] + 0.2 * noise.gauss(0, 1)) for _ in range(100)]
    if is_finished:
        evaluations[-1]["final"] = True
    write_lines(folder / "eval.jsonl", evaluations)
    write_lines(folder / "log.jsonl", log_records(method, test, random.Random(f"{method} {seed}"), resumed_at))
    levels = []
    for i in range(num_points):
        degrees = [math.exp(-(d - 3 * i / num_points) ** 2) for d in range(4)]
        levels.append({"update": 10 * (i + 1), "steps": steps[i], "effective_levels": 20 + i,
                       "mean_score": 0.3 / (i + 1), "leading": leading(i, num_points)})
        if has_difficulty:
            levels[-1]["by_difficulty"] = [d / sum(degrees) for d in degrees]
    write_lines(folder / "levels.jsonl", levels)
    weights = [1 / (i + 1) if method == "plr" else 1 for i in range(200)]
    (folder / "levels.csv").write_text("level,probability,score,staleness,difficulty\n" + "".join(
        f"{i * 7 % 200},{w / sum(weights)},{w},{noise.randrange(200)},{i % 4 if has_difficulty else ''}\n"
        for i, w in enumerate(weights)))


def write_runs(folder, seeds=(1, 2, 3), **options):
    """Runs of two environments and two methods with each seed."""
    for env in ENVS:
        for method in METHODS:
            for seed in seeds:
                name = f"{env.split('/')[1].lower()}-{method}-s{seed}"
                write_run(pathlib.Path(folder) / name, method, env, seed, **options)
