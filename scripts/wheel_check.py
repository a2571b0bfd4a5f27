"""Prints a digest of what an installed plr computes: python wheel_check.py PLUGIN PROGRAM

PLUGIN is the library of examples/plugin, PROGRAM the command plr, possibly with a prefix that runs it. The digest
covers draws of the samplers, scores, observations and rewards of environments of plr, of the plug-in and of Python, and
levels that the program draws as text and as PNG. It is the same on every machine. Needs numpy and gymnasium.
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

import gymnasium
import numpy as np
import plr

plugin, *program = sys.argv[1:]
cache = tempfile.TemporaryDirectory()
os.environ["PLR_CACHE"] = cache.name  # where plug-ins are remembered
digest = hashlib.sha256()


def digest_arrays(*arrays):
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())


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

plr.load_plugin(plugin)
for name in ("minigrid/MultiRoom-N4-Random", "minigrid/MiniGrid-Dynamic-Obstacles-8x8-v0", "maze/random-25",
             "classic/CartPole", "caves/gold"):
    envs = plr.make_vec(name, 16, levels=100)
    observations, info = envs.reset(seed=5)
    count = min(3, envs.single_action_space.n)
    for _ in range(300):
        observations, rewards, terminated, truncated, info = envs.step(random.integers(0, count, 16))
        digest_arrays(observations, rewards, terminated, truncated, info["level"])


class Row(gymnasium.Env):
    """A row of cells, whose level is the first one."""

    observation_space = gymnasium.spaces.Discrete(1000)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cell = seed
        return self.cell, {}

    def step(self, action):
        self.cell += int(action)
        return self.cell, float(action), self.cell % 7 == 0, False, {}


envs = plr.LevelVectorEnv(Row, 8, curriculum=plr.LevelReplay(100, seed=2))
envs.reset()
for _ in range(100):
    observations, rewards, terminated, truncated, info = envs.step(random.integers(0, 2, 8))
    digest_arrays(observations, rewards, terminated, info["level"])
env = plr.LevelWrapper(Row(), plr.LevelReplay(100, seed=4))
digest_arrays([env.reset()[0] for _ in range(20)])

with tempfile.TemporaryDirectory() as folder:
    for words in (["--version"], ["envs", "--json"], ["levels", "minigrid/MultiRoom-N4-Random", "--seeds", "0-20"],
                  ["levels", "maze/random-25", "--seeds", "0-5", "--out", "maze.png"],
                  ["levels", "caves/gold", "--seeds", "0-5", "--out", "caves.png", "--plugin", plugin]):
        done = subprocess.run([*program, *words], capture_output=True, check=False, cwd=folder)
        if done.returncode != 0:
            sys.exit(f"{words}: {done.stderr.decode()}")
        digest.update(done.stdout)
    for picture in ("maze.png", "caves.png"):
        digest.update((pathlib.Path(folder) / picture).read_bytes())

print(digest.hexdigest())
