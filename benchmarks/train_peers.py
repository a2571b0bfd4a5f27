"""Training speed compared with Stable-Baselines3, with the same network and settings, in one run.

    python -m venv peers && peers/bin/pip install stable-baselines3 minigrid==3.1.0 torch
    peers/bin/python benchmarks/train_peers.py build/release/app/plr [THREADS]

The task is the paper's MultiRoom (1 to 4 rooms on 14 x 14, full observation), 64 environments, rollouts
of 256 steps, 4 epochs of 8 mini-batches.  Prints steps per second and the ratio.
"""

import json
import subprocess
import sys
import time

try:
    import gymnasium
    import torch
    from minigrid.envs import MultiRoomEnv
    from minigrid.wrappers import FullyObsWrapper, ImgObsWrapper
    from stable_baselines3 import PPO
    from stable_baselines3.common.policies import ActorCriticPolicy
    from stable_baselines3.common.vec_env import DummyVecEnv
except ImportError as missing:
    sys.exit(f"{missing.name} is missing: pip install stable-baselines3 minigrid==3.1.0 torch")

NUM_ENVS, ROLLOUT, EPOCHS, MINIBATCHES = 64, 256, 4, 8
UPDATES = 2


class ChannelsFirst(gymnasium.ObservationWrapper):
    """Bytes [3, 14, 14], which Stable-Baselines3 passes to the network below unscaled."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(0, 255, (3, 14, 14), "uint8")

    def observation(self, observation):
        return observation.transpose(2, 0, 1)


def make_env():
    env = MultiRoomEnv(minNumRooms=1, maxNumRooms=4, maxRoomSize=5, width=14, height=14)
    return ChannelsFirst(ImgObsWrapper(FullyObsWrapper(env)))


class Features(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 2), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(16, 32, 2), torch.nn.ReLU(), torch.nn.Conv2d(32, 32, 2),
            torch.nn.ReLU(), torch.nn.Flatten())
        self.features_dim = 512

    def forward(self, observations):
        return self.layers(observations.float())


class Policy(ActorCriticPolicy):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, net_arch={"pi": [64], "vf": [64]}, activation_fn=torch.nn.Tanh,
                         normalize_images=False, **kwargs)

    def make_features_extractor(self):
        return Features()


def peers_speed(threads):
    torch.set_num_threads(threads)
    env = DummyVecEnv([make_env] * NUM_ENVS)
    model = PPO(Policy, env, n_steps=ROLLOUT, batch_size=NUM_ENVS * ROLLOUT // MINIBATCHES,
                n_epochs=EPOCHS, learning_rate=7e-4, gamma=0.999, gae_lambda=0.95, clip_range=0.2,
                clip_range_vf=0.2, ent_coef=0.01, vf_coef=0.5, max_grad_norm=0.5, device="cpu")
    model.learn(NUM_ENVS * ROLLOUT)  # warm-up
    begin = time.monotonic()
    model.learn(UPDATES * NUM_ENVS * ROLLOUT)
    return UPDATES * NUM_ENVS * ROLLOUT / (time.monotonic() - begin)


def our_speed(program, threads):
    command = [program, "bench", "train", "--device", "cpu", "--threads", str(threads), "--updates",
               "4", "--set", "pool=true", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main():
    program = sys.argv[1]
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    ours = our_speed(program, threads)
    theirs = peers_speed(threads)
    print(f"{'plr':<20}{ours['steps_per_second']:>10.0f} steps/s")
    print(f"{'Stable-Baselines3':<20}{theirs:>10.0f} steps/s")
    print(f"{'ratio':<20}{ours['steps_per_second'] / theirs:>10.1f}")


if __name__ == "__main__":
    main()
