"""Speed of a Python environment in the trainer, compared with a plain Python loop over the same environments.

    python benchmarks/python_env_bench.py PLR [--workers 1 2] [--updates U] [--rounds R] [--slots N]

PLR is the program. It trains on the environment as plr.train(make_env, num_workers=W) does (plr bench train), and its
steps per second of environment time are compared with those of a loop that steps N environments one after the other
and starts levels by reset(seed=...). Environment time is that in which a slot is stepped or started, without inference
and updates. "trivial" does nothing in a step; the others are CartPole-v1 of Gymnasium and an environment whose step
takes 200 us of CPU time.

Rates are by the clock, since processes wait for each other. All alternate in every round; ratios are medians over the
rounds.
"""

import argparse
import json
import os
import statistics
import subprocess
import time

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from plr.env_server import EnvServer

ROLLOUT_LENGTH = 128
NUM_LEVELS = 200


class Busy(gymnasium.Env):
    """A step takes so many microseconds of CPU time."""

    observation_space = spaces.Box(-1, 1, (4,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, cost):
        self.seconds = cost * 1e-6
        self.observation = np.zeros(4, np.float32)

    def reset(self, *, seed=None, options=None):
        return self.observation, {}

    def step(self, action):
        if self.seconds > 0:
            end = time.thread_time() + self.seconds
            while time.thread_time() < end:
                pass
        return self.observation, 0.0, False, False, {}


def busy(cost):
    return lambda: TimeLimit(Busy(cost), 100)


def cartpole():
    return gymnasium.make("CartPole-v1", disable_env_checker=True)


def loop_rate(make_env, num_slots, num_steps):
    """Steps per second of a loop."""
    envs = [make_env() for _ in range(num_slots)]
    actions = np.random.default_rng(1).integers(0, 2, num_steps // num_slots + 1).tolist()
    level = 0
    for env in envs:
        env.reset(seed=level)
    begin = time.perf_counter()
    for action in actions:
        for env in envs:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                level = (level + 1) % NUM_LEVELS
                env.reset(seed=level)
    return len(actions) * num_slots / (time.perf_counter() - begin)


def trainer_rate(program, server, workers, num_slots, updates):
    """Steps per second of environment time in the trainer."""
    settings = {"env": "python/bench", "network": "mlp", "num_workers": workers, "num_slots": num_slots,
                "rollout_length": ROLLOUT_LENGTH, "levels": NUM_LEVELS}
    words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    done = subprocess.run([program, "bench", "train", "--preset", "cartpole", "--device", "cpu", "--threads", "1",
                           "--updates", str(updates), "--json", *words], env={**os.environ, **server.variables},
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    speed = json.loads(done.stdout)
    return speed["steps_per_second"] / speed["environment"]


def compare(name, make_env, arguments):
    loops, trainers = [], {workers: [] for workers in arguments.workers}
    with EnvServer(make_env) as server:
        for _ in range(arguments.rounds):
            loops.append(loop_rate(make_env, arguments.slots, arguments.updates * ROLLOUT_LENGTH * arguments.slots))
            for workers, found in trainers.items():
                found.append(trainer_rate(arguments.program, server, workers, arguments.slots, arguments.updates))
    texts = [f"loop {1e6 / statistics.median(loops):.1f} us a step"]
    for workers, found in trainers.items():
        ratios = sorted(rate / loop for rate, loop in zip(found, loops))
        texts.append(f"{workers} worker{'s' if workers > 1 else ''} {1e6 / statistics.median(found):.1f} us (ratio of "
                     f"rates {statistics.median(ratios):.3f}, from {ratios[0]:.3f} to {ratios[-1]:.3f})")
    print(f"{name}: " + ", ".join(texts), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--updates", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slots", type=int, default=16)
    arguments = parser.parse_args()
    for name, make_env in (("trivial", busy(0)), ("CartPole", cartpole), ("200 us", busy(200))):
        compare(name, make_env, arguments)


if __name__ == "__main__":
    main()
