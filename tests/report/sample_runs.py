"""Writes small deterministic run folders for tests of reports."""

import json
import math
import pathlib
import random

METHODS = {"uniform": 'curriculum = "uniform"\n', "plr": 'curriculum = "plr"\n'}
ENVS = ["minigrid/MultiRoom-N4-Random", "minigrid/ObstructedMazeGamut-Easy"]


def returns(method, env, seed, num_points):
    """A noisy rising curve, faster and higher for plr; deterministic for equal arguments."""
    noise = random.Random(f"{method} {env} {seed}")
    height = {"uniform": 0.5, "plr": 0.8}[method] + 0.04 * noise.gauss(0, 1)
    pace = {"uniform": 0.5, "plr": 0.3}[method] * num_points
    return [max(0.0, height * (1 - math.exp(-i / pace)) + 0.02 * noise.gauss(0, 1))
            for i in range(1, num_points + 1)]


def write_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def write_run(folder, method, env, seed, num_points=30):
    """A finished run with `num_points` updates, evaluations and records of levels."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    steps = [16384 * 10 * i for i in range(1, num_points + 1)]
    (folder / "config.toml").write_text(
        f'env = "{env}"\nseed = {seed}\nsteps = {steps[-1]}\nlevels = "200"\n' + METHODS[method])
    test = returns(method, env, seed, num_points)
    noise = random.Random(seed)
    evaluations = [{"steps": s, "test_return": r, "test_success": min(1, r),
                    "train_return": r + 0.1 * i / num_points + 0.01 * noise.gauss(0, 1)}
                   for i, (s, r) in enumerate(zip(steps, test))]
    evaluations[-1]["test_returns"] = [max(0, test[-1] + 0.2 * noise.gauss(0, 1)) for _ in range(100)]
    write_lines(folder / "eval.jsonl", evaluations)
    write_lines(folder / "log.jsonl", [{"steps": s, "return": r, "steps_per_second": 12000 + 100 * r}
                                       for s, r in zip(steps, test)])
    degrees = [[math.exp(-(d - 3 * i / num_points) ** 2) for d in range(4)] for i in range(num_points)]
    write_lines(folder / "levels.jsonl",
                [{"update": 10 * (i + 1), "effective_levels": 20 + i, "mean_score": 0.3 / (i + 1),
                  "by_difficulty": [d / sum(row) for d in row]} for i, row in enumerate(degrees)])
    weights = [1 / (i + 1) if method == "plr" else 1 for i in range(200)]
    (folder / "levels.csv").write_text("level,probability,score,staleness,difficulty\n" + "".join(
        f"{i * 7 % 200},{w / sum(weights)},{w},{noise.randrange(200)},{i % 4}\n"
        for i, w in enumerate(weights)))


def write_runs(folder, seeds=(1, 2, 3)):
    """Runs of two environments and two methods with each seed."""
    for env in ENVS:
        for method in METHODS:
            for seed in seeds:
                name = f"{env.split('/')[1].lower()}-{method}-s{seed}"
                write_run(pathlib.Path(folder) / name, method, env, seed)
