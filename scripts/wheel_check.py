"""Prints a digest of what an installed plr computes: python wheel_check.py PROGRAM

PROGRAM is the command plr, possibly with a prefix that runs it. The digest covers draws of the samplers, scores,
observations and rewards of MiniGrid and the maze, and levels that the program draws as text and as PNG. It is the same
on every machine. Needs numpy and gymnasium.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import plr

digest = hashlib.sha256()

random = np.random.default_rng(1)
for settings in ({}, {"transform": "proportional", "staleness_coef": 0.5}, plr.LevelReplay.released_code()):
    replay = plr.LevelReplay(500, seed=3, **settings)
    for _ in range(20_000):
        level = replay.next()
        digest.update(level.to_bytes(8, "little"))
        replay.record(level, score=float(random.random()))
    digest.update(np.asarray(replay.weights()["probability"]).tobytes())

for function in ("value_l1", "policy_entropy", "gae"):
    scorer = plr.EpisodeScorer(num_envs=8, rollout_length=64, score_function=function)
    shape = (64, 8)
    results = scorer.score(np.zeros(shape, int), random.random(shape), random.random(shape), random.random(shape) < 0.1,
                           random.random(8), logits=random.random((*shape, 7)))
    digest.update(np.asarray(results["scores"], np.float64).tobytes())

for name in ("minigrid/MultiRoom-N4-Random", "minigrid/MiniGrid-Dynamic-Obstacles-8x8-v0", "maze/random-25"):
    envs = plr.make_vec(name, 16, levels=100)
    observations, info = envs.reset(seed=5)
    for _ in range(300):
        observations, rewards, terminated, truncated, info = envs.step(random.integers(0, 3, 16))
        for array in (observations, rewards, terminated, truncated, info["level"]):
            digest.update(np.ascontiguousarray(array).tobytes())

program = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    picture = pathlib.Path(folder) / "levels.png"
    for words in (["--version"], ["envs", "--json"], ["levels", "minigrid/MultiRoom-N4-Random", "--seeds", "0-20"],
                  ["levels", "maze/random-25", "--seeds", "0-5", "--out", str(picture)]):
        done = subprocess.run([*program, *words], capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{words}: {done.stderr.decode()}")
        digest.update(done.stdout.replace(str(picture).encode(), b""))
    digest.update(picture.read_bytes())

print(digest.hexdigest())
