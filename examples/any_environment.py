"""The sampler with any environment: it needs only a score for each level played.

    pip install . gymnasium[toy-text]
    python examples/any_environment.py

The levels are maps of Gymnasium's FrozenLake, generated from seeds; the agent is a table of values per
map.  The curriculum decides on which maps the agent trains: all equally often, or those where its value
error is largest.  Score and agent could be anything else.
"""

import gymnasium
import numpy as np
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

import plr

NUM_LEVELS = 200
NUM_EPISODES = 6000
GAMMA = 0.95


def make_level(seed):
    return gymnasium.make("FrozenLake-v1", desc=generate_random_map(size=4, seed=seed), is_slippery=False,
                          max_episode_steps=30)


def play(env, values, learn=True):
    """Plays an episode of the greedy policy.  Returns its return and the mean absolute value error."""
    state, _ = env.reset()
    errors, total, done = [], 0.0, False
    while not done:
        action = int(np.argmax(values[state]))
        following, reward, terminated, truncated, _ = env.step(action)
        target = reward + (0 if terminated else GAMMA * values[following].max())
        errors.append(abs(target - values[state, action]))
        if learn:
            values[state, action] = target
        state, total, done = following, total + reward, terminated or truncated
    return total, float(np.mean(errors))


def train(curriculum):
    """Returns the number of solved levels after every thousand episodes."""
    envs = [make_level(seed) for seed in range(NUM_LEVELS)]
    values = np.ones((NUM_LEVELS, 16, 4))  # optimistic, so that every action is tried
    solved = []
    for episode in range(1, NUM_EPISODES + 1):
        level = curriculum.next()
        episode_return, score = play(envs[level], values[level])
        curriculum.record(level, score, episode_return)
        if episode % 1000 == 0:
            solved.append(sum(play(env, table, learn=False)[0] > 0 for env, table in zip(envs, values)))
    return solved


def main():
    curricula = {"every level equally": plr.Uniform(NUM_LEVELS),
                 "Prioritized Level Replay": plr.LevelReplay(NUM_LEVELS)}
    print(f"solved of {NUM_LEVELS} levels after 1000, 2000, ... episodes")
    for name, curriculum in curricula.items():
        print(f"{name:>24}:", *(f"{count:4}" for count in train(curriculum)))


if __name__ == "__main__":
    main()


# Expected output:
# solved of 200 levels after 1000, 2000, ... episodes
#      every level equally:    3   36  106  179  195  200
# Prioritized Level Replay:    9   15  153  200  200  200
