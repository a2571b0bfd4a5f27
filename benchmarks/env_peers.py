"""Speed of our MiniGrid environments compared with the packages minigrid and EnvPool.

    python benchmarks/env_peers.py build/release/app/plr [SECONDS]

measures, one after the other in one run, our environments (with `plr bench env`), the Python package
minigrid and EnvPool's MiniGrid: random actions, including level starts, in steps per second of one
core (CPU time, so that other programs have little influence).  Packages that are not installed are
reported and skipped; install them into any Python environment:

    pip install minigrid==3.1.0 envpool
"""

import json
import random
import subprocess
import sys
import time

NUM_SLOTS = 64
TASKS = ("MultiRoom-N4-Random", "MiniGrid-MultiRoom-N4-S5-v1", "MiniGrid-MultiRoom-N6-v0",
         "MiniGrid-ObstructedMaze-2Dlhb-v1")


def rate(step, steps_per_call, seconds):
    """Steps per second of CPU time, after a short warm-up."""
    warm = time.process_time()
    while time.process_time() - warm < 0.2 * seconds:
        step()
    calls = 0
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        step()
        calls += 1
    return calls * steps_per_call / (time.process_time() - begin)


def ours(program, seconds):
    """{(task, observation): steps/s}"""
    names = [f"minigrid/{task}" for task in TASKS]
    done = subprocess.run([program, "bench", "env", "--json", "--seconds", str(seconds),
                           "--num-slots", str(NUM_SLOTS), "--env", *names],
                          check=True, capture_output=True, text=True)
    return {(row["env"].removeprefix("minigrid/"), row["observation"]): row["steps_per_second"]
            for row in json.loads(done.stdout)}


def python_minigrid(seconds):
    import gymnasium
    from minigrid.envs import MultiRoomEnv
    from minigrid.wrappers import FullyObsWrapper

    rates = {}
    for task in TASKS:
        for observation in ("full", "view"):
            if task == "MultiRoom-N4-Random":
                env = MultiRoomEnv(1, 4, maxRoomSize=5, width=14, height=14)
            else:
                env = gymnasium.make(task, disable_env_checker=True).unwrapped
            if observation == "full":
                env = FullyObsWrapper(env)
            level = iter(range(10**9))
            env.reset(seed=next(level))

            def step(env=env, level=level):
                _, _, terminated, truncated, _ = env.step(random.randrange(7))
                if terminated or truncated:
                    env.reset(seed=next(level))

            rates[task, observation] = rate(step, 1, seconds)
    return rates


def envpool_minigrid(seconds):
    import envpool
    import numpy as np

    rates = {}
    for task in set(TASKS) & set(envpool.list_all_envs()):
        env = envpool.make(task, env_type="gymnasium", num_envs=NUM_SLOTS, num_threads=1)
        env.reset()
        actions = np.random.default_rng(1).integers(0, 7, (1024, NUM_SLOTS)).astype(np.int32)
        turn = iter(range(10**9))
        rates[task, "view"] = rate(lambda: env.step(actions[next(turn) % 1024]), NUM_SLOTS, seconds)
    return rates


def text(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) == 3 else 2.0
    peers = {}
    for name, measure in (("minigrid", python_minigrid), ("EnvPool", envpool_minigrid)):
        try:
            peers[name] = measure(seconds)
        except ImportError as error:
            peers[name] = {}
            print(f"{name} is skipped: {error}", file=sys.stderr)
    print("| task | observation | plr | minigrid 3.1.0 | ratio | EnvPool | ratio |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for (task, observation), mine in ours(program, seconds).items():
        cells = [task, observation, text(mine)]
        for name in ("minigrid", "EnvPool"):
            theirs = peers[name].get((task, observation))
            cells += [text(theirs), text(theirs and mine / theirs)]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
