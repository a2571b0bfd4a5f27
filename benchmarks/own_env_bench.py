"""Speed of plr.LevelVectorEnv, compared with Gymnasium's vector environments of the same environment.

    python benchmarks/own_env_bench.py [--seconds S] [--rounds R] [--processes P]

step     steps per second of 16 environments with random actions: in one process compared with
         SyncVectorEnv, in P processes with AsyncVectorEnv, which has one process per environment.
         Ours plays levels chosen by LevelReplay, with a score recorded at the end of every episode.
         Gymnasium's start their episodes by reset(seed=...) as well, with random seeds; "unseeded"
         by reset(), which does not make a new random generator for every episode.
sampler  the part of the time that the draws and records of LevelReplay take

Rates are per second of CPU time of all processes together, so that other programs have little
influence; "clock" is the ratio by the time of the clock.  All alternate in every round; ratios are medians
over the rounds.
"""

import argparse
import multiprocessing
import os
import pathlib
import random
import statistics
import time

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import plr

NUM_ENVS = 16
NUM_LEVELS = 200
MODE = gymnasium.vector.AutoresetMode


def make_cartpole():
    return gymnasium.make("CartPole-v1", disable_env_checker=True)


def make_minigrid():
    import minigrid  # noqa: F401
    from minigrid.wrappers import ImgObsWrapper
    return ImgObsWrapper(gymnasium.make("MiniGrid-DoorKey-5x5-v0", disable_env_checker=True, max_steps=50))


class Seeded:
    """Creates an environment whose every episode starts with a seed, as levels do."""

    def __init__(self, make):
        self.make = make

    def __call__(self):
        env = self.make()
        reset = env.reset
        env.reset = lambda *, seed=None, options=None: reset(seed=random.getrandbits(31), options=options)
        return env


class Stepper:
    """Steps a vector environment; records a score for every level that ended if it has a curriculum."""

    def __init__(self, envs):
        self.envs = envs
        self.curriculum = getattr(envs, "curriculum", None)
        self.num_episodes = self.num_steps = 0
        num_actions = int(envs.single_action_space.n)
        self.actions = np.random.default_rng(1).integers(0, num_actions, (1009, envs.num_envs))
        envs.reset(seed=1)

    def __call__(self):
        *_, terminated, truncated, info = self.envs.step(self.actions[self.num_steps % 1009])
        self.num_steps += 1
        ended = terminated | truncated
        if ended.any():
            self.num_episodes += int(ended.sum())
            if self.curriculum is not None:
                levels = info["final_info"]["level"][ended]
                self.curriculum.record_batch(levels, np.full(len(levels), 0.5))


def cpu_seconds():
    """CPU time of this process and its workers."""
    seconds = time.process_time()
    for worker in multiprocessing.active_children():
        fields = pathlib.Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
        seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def rates(step, seconds):
    """Steps of all environments per second of CPU time and of the clock, after a warm-up."""
    for limit in (0.2 * seconds, seconds):
        calls, cpu, clock = 0, cpu_seconds(), time.perf_counter()
        while (spent := cpu_seconds() - cpu) < limit:
            for _ in range(64):
                step()
            calls += 64
    num_steps = calls * step.envs.num_envs
    return num_steps / spent, num_steps / (time.perf_counter() - clock)


def ours(make, mode, processes=0):
    return Stepper(plr.LevelVectorEnv(make, NUM_ENVS, curriculum=plr.LevelReplay(NUM_LEVELS), processes=processes,
                                      autoreset_mode=mode))


def compare(name, steppers, seconds, rounds):
    """Prints the rate of each, and the ratio of the first to the others."""
    found = {who: [] for who in steppers}
    for _ in range(rounds):
        for who, step in steppers.items():
            found[who].append(rates(step, seconds))
    for step in steppers.values():
        step.envs.close()
    first = found[next(iter(steppers))]
    texts = []
    for who, each in found.items():
        cpu, clock = (statistics.median(a[i] / b[i] for a, b in zip(first, each)) for i in (0, 1))
        ratios = "" if each is first else f" (ratio {cpu:.2f}, clock {clock:.2f})"
        texts.append(f"{who} {statistics.median(rate for rate, _ in each):,.0f}{ratios}")
    print(f"{name}: " + ", ".join(texts) + " steps/s", flush=True)


def sampler_share(make, seconds):
    """The part of the CPU time of steps that next() and record() take."""
    step = ours(make, MODE.NEXT_STEP)
    rates(step, seconds)
    step.num_steps = step.num_episodes = 0
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        step()
    whole = time.process_time() - begin
    replay, count = step.curriculum, 0
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        for _ in range(64):
            replay.record(replay.next(), 0.5)
        count += 64
    each = (time.process_time() - begin) / count
    return each * step.num_episodes / whole, each, step.num_steps * NUM_ENVS / step.num_episodes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="per measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    seconds, rounds, processes = arguments.seconds, arguments.rounds, arguments.processes
    for name, make in (("CartPole", make_cartpole), ("MiniGrid DoorKey", make_minigrid)):
        for mode in (MODE.SAME_STEP, MODE.NEXT_STEP):
            compare(f"{name}, {mode.value}, one process", {
                "LevelVectorEnv": ours(make, mode),
                "SyncVectorEnv": Stepper(SyncVectorEnv([Seeded(make)] * NUM_ENVS, autoreset_mode=mode)),
                "unseeded": Stepper(SyncVectorEnv([make] * NUM_ENVS, autoreset_mode=mode)),
            }, seconds, rounds)
            compare(f"{name}, {mode.value}, {processes} processes", {
                "LevelVectorEnv": ours(make, mode, processes),
                "AsyncVectorEnv": Stepper(AsyncVectorEnv([Seeded(make)] * NUM_ENVS, autoreset_mode=mode)),
                "unseeded": Stepper(AsyncVectorEnv([make] * NUM_ENVS, autoreset_mode=mode)),
            }, seconds, rounds)
        share, each, length = sampler_share(make, seconds)
        print(f"{name}: draws and records take {share:.2%} of the time, {each * 1e6:.2f} us per episode of "
              f"{length:.0f} steps", flush=True)


if __name__ == "__main__":
    main()
