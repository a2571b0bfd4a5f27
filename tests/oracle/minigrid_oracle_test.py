"""Compares the engine with minigrid 3.1.0.

    python minigrid_oracle_test.py TRACE [PART/PARTS]

plays random actions on random seeds in the unmodified Python package and in the engine (through the
program TRACE, minigrid_trace.cc) and compares everything: both observations, the bits of the reward,
both kinds of end, the mission, and the levels after an end, with a new seed and without one.  It also
compares the images, pixel by pixel.  With PART/PARTS (e.g. 0/2) it runs every PARTS-th task.

Exit codes: 0 all equal, 1 not, 77 minigrid 3.1.0 is not installed.
"""

import random
import struct
import subprocess
import sys
import zlib

VERSION = "3.1.0"
NUM_SEEDS = 50
NUM_ACTIONS = 300
NUM_PICTURES = 8
# Recorded trajectories cover small seeds; most of these need two 32-bit words.
FIRST_SEEDS = [2**31, 2**32 - 1, 2**32, 2**32 + 5, 10**12, 2**63, 2**64 - 1 - NUM_ACTIONS]
# Mostly forward moves, so that the agent gets somewhere.
ACTION_WEIGHTS = (2, 2, 5, 2, 1, 2, 1)
# How often the full observation is checked against FullyObsWrapper's.
CHECK_FULL_EVERY = 25

try:
    import gymnasium
    import minigrid
    import numpy as np
    from minigrid.core.world_object import Door
    from minigrid.envs import MultiRoomEnv
    from minigrid.wrappers import FullyObsWrapper

    # Older versions of a task are compared too, without deprecation warnings.
    gymnasium.logger.min_level = gymnasium.logger.ERROR
    PROBLEM = None if minigrid.__version__ == VERSION else f"found minigrid {minigrid.__version__}"
except ImportError as error:
    PROBLEM = str(error)


class Trace:
    """The engine."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"minigrid_trace failed at: {request}")
            if line == "\n":
                return lines
            lines.append(line[:-1])


class FullImage:
    """The image of FullyObsWrapper, with cached encodings of the objects."""

    def __init__(self, env):
        self.env = env
        self.wrapper = FullyObsWrapper(env)
        self.codes = {}

    def forget(self):
        self.codes = {}

    def code(self, thing):
        code = bytes(thing.encode())
        # Doors are the only objects that change. The object is kept alive, so that its id is not
        # reused.
        if not isinstance(thing, Door):
            self.codes[id(thing)] = (code, thing)
        return code

    def image(self):
        env = self.env
        known = self.codes
        cells = [b"\x01\x00\x00" if thing is None
                 else known[id(thing)][0] if id(thing) in known
                 else self.code(thing)
                 for thing in env.grid.grid]
        rows = np.frombuffer(b"".join(cells), dtype=np.uint8)
        image = rows.reshape(env.height, env.width, 3).transpose(1, 0, 2).copy()
        image[env.agent_pos[0], env.agent_pos[1]] = (10, 0, env.agent_dir)
        return image

    def check(self, observation):
        assert np.array_equal(self.image(), self.wrapper.observation(observation)["image"])


def make(task):
    """The environment without gymnasium's wrappers."""
    if task == "MultiRoom-N4-Random":
        return MultiRoomEnv(1, 4, maxRoomSize=5, width=14, height=14)
    return gymnasium.make(task, disable_env_checker=True).unwrapped


def crc(image):
    assert image.dtype == np.uint8
    return zlib.crc32(image.tobytes())


def play(env, full, seed, actions):
    """The output of minigrid_trace for the same request."""
    lines = []

    def begin(seed):
        full.forget()
        observation, _ = env.reset(seed=seed)
        full.check(observation)
        lines.append(f"{crc(full.image()):08x} {crc(observation['image']):08x} "
                     f"{observation['mission']}")

    begin(seed)
    ends = 0
    for t, action in enumerate(actions):
        observation, reward, terminated, truncated, _ = env.step(int(action))
        if t % CHECK_FULL_EVERY == 0:
            full.check(observation)
        (bits,) = struct.unpack("<Q", struct.pack("<d", reward))
        lines.append(f"{crc(full.image()):08x} {crc(observation['image']):08x} "
                     f"{bits:016x} {int(terminated)}{int(truncated)}")
        if terminated or truncated:
            ends += 1
            begin(seed + ends if ends % 2 == 0 else None)
    return lines


def seeds_of(task):
    draws = random.Random(f"seeds of {task}")
    seeds = list(FIRST_SEEDS)
    while len(seeds) < NUM_SEEDS:
        low, high = (1000, 2**32) if len(seeds) % 3 == 0 else (2**32, 2**64 - NUM_ACTIONS)
        seeds.append(draws.randrange(low, high))
    return seeds


def actions_for(task, seed, num_actions):
    draws = random.Random(f"actions of {task} {seed}")
    chosen = draws.choices(range(num_actions), ACTION_WEIGHTS[:num_actions], k=NUM_ACTIONS)
    return "".join(map(str, chosen))


def compare_episodes(trace, task):
    """Describes the first difference; None if there is none."""
    env = make(task)
    full = FullImage(env)
    for seed in seeds_of(task):
        actions = actions_for(task, seed, env.action_space.n)
        theirs = play(env, full, seed, actions)
        ours = trace.ask(f"play {task} {seed} {actions}")
        if ours == theirs:
            continue
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b),
                  min(len(ours), len(theirs)))
        return (f"{task} seed {seed} line {at} of actions {actions}:\n"
                f"  minigrid {theirs[at:at + 1]}\n  ours     {ours[at:at + 1]}")
    return None


def compare_pictures(trace, task):
    env = make(task)
    for seed in range(NUM_PICTURES):
        actions = actions_for(task, seed, env.action_space.n)[:1 + 20 * seed]
        env.reset(seed=seed)
        for action in actions:
            _, _, terminated, truncated, _ = env.step(int(action))
            if terminated or truncated:
                break
        theirs = np.concatenate([env.get_full_render(highlight, 32) for highlight in (False, True)])
        rows = trace.ask(f"draw {task} {seed} {actions}")
        pixels = np.frombuffer(bytes.fromhex("".join(rows)), dtype=np.uint8)
        if not np.array_equal(pixels.reshape(len(rows), -1, 3), theirs):
            return f"{task} seed {seed}: the pictures differ after actions {actions}"
    return None


def reference_ids():
    return [name for name in gymnasium.registry
            if name.startswith("MiniGrid-") and not name.startswith("MiniGrid-WFC-")]


def main():
    if PROBLEM:
        print(f"SKIPPED: needs minigrid {VERSION}, but {PROBLEM}.  Install it with\n"
              f"  {sys.executable} -m pip install minigrid=={VERSION}\n"
              "or configure with -DPLR_PYTHON=/path/to/a/python/that/has/it")
        return 77
    part, parts = map(int, sys.argv[2].split("/")) if len(sys.argv) > 2 else (0, 1)
    trace = Trace(sys.argv[1])
    ids = reference_ids()
    ours = trace.ask("list")
    problems = []
    if sorted(ids) != sorted(name for name in ours if name.startswith("MiniGrid-")):
        problems.append(f"other tasks than minigrid's: {sorted(set(ids) ^ set(ours))}")
    tasks = (sorted(ids) + ["MultiRoom-N4-Random"])[part::parts]
    for task in tasks:
        problems += filter(None, [compare_episodes(trace, task), compare_pictures(trace, task)])
    for problem in problems:
        print(problem)
    print(f"{len(tasks)} tasks, {NUM_SEEDS} seeds, {NUM_ACTIONS} actions each: "
          f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
