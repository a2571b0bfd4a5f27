"""Compares training on the classic tasks with Stable-Baselines3's PPO under the same settings.

    python classic_bench.py PLR FOLDER [--tasks CartPole-Fixed,CartPole,Pendulum-Fixed,Pendulum] [--seeds 3]
        [--first-seed 1]

PLR is the program; runs are written to FOLDER.  Both train on levels 0..199 of the same environments
(plr.make_vec), every level equally likely, with the settings of the presets cartpole and pendulum: an MLP of
two tanh layers of 64 units for policy and value each.  Stable-Baselines3 bootstraps the value where the step
limit ends an episode, which plr train does not; here both do not.  Prints a row of CSV per run: the mean
return of 100 episodes on levels outside the training set, with sampled actions.
"""

import argparse
import json
import pathlib
import subprocess
import time

import numpy as np
import plr
import plr.sb3
import torch
from stable_baselines3 import PPO

SETTINGS = {
    "CartPole": {"num_envs": 8, "n_steps": 256, "gamma": 0.99, "learning_rate": 3e-4},
    "Pendulum": {"num_envs": 4, "n_steps": 1024, "gamma": 0.9, "learning_rate": 1e-3},
}
STEPS = {"CartPole": 102_400, "Pendulum": 204_800}
TEST_LEVELS = range(1000, 1100)


class WithoutBootstrap(plr.sb3.PlrVecEnv):
    """Reports the step limit as an end of the task."""

    def _add_end(self, info, observation, is_truncated):
        super()._add_end(info, observation, False)


def train_sb3(task, seed):
    settings = dict(SETTINGS[task.removesuffix("-Fixed")])
    curriculum = plr.Uniform(200, seed=seed)
    envs = plr.make_vec(f"classic/{task}", settings.pop("num_envs"), curriculum=curriculum)
    model = PPO("MlpPolicy", WithoutBootstrap(envs), batch_size=64, n_epochs=10, gae_lambda=0.95, clip_range=0.2,
                ent_coef=0.0, vf_coef=0.5, max_grad_norm=0.5, seed=seed, device="cpu", **settings)
    model.learn(STEPS[task.removesuffix("-Fixed")])
    return test_return(task, model)


def test_return(task, model):
    """The mean return of an episode on each test level."""
    envs = plr.make_vec(f"classic/{task}", len(TEST_LEVELS), curriculum="repeat")
    observations, _ = envs.reset(options={"levels": np.array(TEST_LEVELS, np.uint64)})
    returns = np.full(len(TEST_LEVELS), np.nan)
    while np.isnan(returns).any():
        actions, _ = model.predict(observations, deterministic=False)
        observations, _, terminated, truncated, info = envs.step(actions)
        first = (terminated | truncated) & np.isnan(returns)
        if first.any():
            returns[first] = info["final_info"]["episode"]["r"][first]
    return returns.mean()


def train_plr(program, folder, task, seed):
    kind = task.removesuffix("-Fixed")
    run = folder / f"{task}-{seed}"
    subprocess.run([program, "train", "--preset", kind.lower(), "--env", f"classic/{task}", "--curriculum", "uniform",
                    "--steps", str(STEPS[kind]), "--seed", str(seed), "--device", "cpu", "--threads", "1",
                    "--eval-interval", "0", "--out", str(run)], check=True, stdout=subprocess.DEVNULL)
    with open(run / "eval.jsonl", encoding="utf-8") as file:
        return json.loads(file.readlines()[-1])["test_return"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tasks", default="CartPole-Fixed,CartPole,Pendulum-Fixed,Pendulum")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print("task,program,seed,steps,test_return,seconds", flush=True)
    for task in arguments.tasks.split(","):
        steps = STEPS[task.removesuffix("-Fixed")]
        for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
            start = time.monotonic()
            ours = train_plr(arguments.program, arguments.folder, task, seed)
            print(f"{task},plr,{seed},{steps},{ours:.1f},{time.monotonic() - start:.0f}", flush=True)
            start = time.monotonic()
            theirs = train_sb3(task, seed)
            print(f"{task},sb3,{seed},{steps},{theirs:.1f},{time.monotonic() - start:.0f}", flush=True)


if __name__ == "__main__":
    main()
