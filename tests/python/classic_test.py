"""The classic tasks have the spaces and the dynamics of Gymnasium's, with the documented levels."""

import gymnasium
import numpy as np
import plr
import pytest
from gymnasium.spaces import Box, Discrete, MultiDiscrete

PHYSICS = {"CartPole": {"gravity": 9.8, "masscart": 1.0, "masspole": 0.1, "length": 0.5, "force_mag": 10.0},
           "Pendulum": {"g": 10.0, "m": 1.0, "l": 1.0}}


def level_of(task, level, is_fixed):
    """The physics and the first state of a level, by the documented draws of numpy's generator."""
    random = np.random.Generator(np.random.PCG64(level))

    def uniform(low, high):
        return low + (high - low) * random.random()

    if task == "CartPole":
        drawn = {"force_mag": uniform(5, 15), "length": uniform(0.25, 0.75), "masspole": uniform(0.05, 0.5)}
        state = [uniform(-0.05, 0.05) for _ in range(4)]
    else:
        drawn = {"m": uniform(0.75, 1.25), "l": uniform(0.75, 1.25)}
        state = [uniform(-np.pi, np.pi), uniform(-1, 1)]
    return PHYSICS[task] | ({} if is_fixed else drawn), state


def gymnasium_env(task, physics, state):
    env = gymnasium.make(f"{task}-v1", max_episode_steps=None).unwrapped
    env.reset(seed=0)
    for name, value in physics.items():
        setattr(env, name, value)
    if task == "CartPole":
        env.total_mass = env.masspole + env.masscart
        env.polemass_length = env.masspole * env.length
        env.state = tuple(state)
    else:
        env.state = np.array(state)
        env.last_u = None
    return env


@pytest.mark.parametrize("name", ["CartPole", "CartPole-Fixed", "Pendulum", "Pendulum-Fixed"])
def test_episodes_equal_those_of_gymnasium(name):
    task = name.removesuffix("-Fixed")
    levels = [0, 1, 2, 77, 2**32 - 1]
    random = np.random.default_rng(5)
    envs = plr.make_vec(f"classic/{name}", len(levels), curriculum="repeat", copy=True)
    envs.single_action_space.seed(5)
    observations, _ = envs.reset(options={"levels": np.array(levels, np.uint64)})
    theirs = [gymnasium_env(task, *level_of(task, level, name != task)) for level in levels]
    limit = 500 if task == "CartPole" else 200
    open_slots = set(range(len(levels)))
    for step in range(limit):
        actions = np.array([envs.single_action_space.sample() for _ in levels])
        if task == "CartPole":  # keeps the pole up for a while, and pushes at random now and then
            actions = np.where(random.random(len(levels)) < 0.1, actions, observations[:, 2] + observations[:, 3] > 0)
            actions = actions.astype(np.int64)
        observations, rewards, terminated, truncated, info = envs.step(actions)
        for slot in sorted(open_slots):
            observation, reward, ended, _, _ = theirs[slot].step(
                int(actions[slot]) if task == "CartPole" else actions[slot].astype(np.float64))
            ours = observations[slot]
            if terminated[slot] or truncated[slot]:
                ours = info["final_obs"][slot]
                open_slots.remove(slot)
            # The unstable pole amplifies the last bits, in which sine and cosine differ.
            np.testing.assert_allclose(ours, observation, rtol=1e-3, atol=1e-4)
            assert rewards[slot] == pytest.approx(reward, rel=1e-4, abs=1e-4)
            assert bool(terminated[slot]) == bool(ended)
            assert bool(truncated[slot]) == (step + 1 == limit)
    assert not open_slots


def test_spaces_are_those_of_the_environments():
    cart = plr.make_vec("classic/CartPole", 3)
    assert cart.single_observation_space == Box(-np.inf, np.inf, (4,), np.float32)
    assert cart.observation_space.shape == (3, 4) and cart.single_action_space == Discrete(2)
    twins = plr.make_vec("classic/TwinCartPole", 3)
    assert twins.single_action_space == MultiDiscrete([2, 2]) and twins.action_space.shape == (3, 2)
    pendulum = plr.make_vec("classic/Pendulum", 3)
    assert pendulum.single_action_space == Box(-2, 2, (1,), np.float32)
    assert pendulum.action_space.shape == (3, 1)


def test_a_single_environment_takes_actions_of_its_space():
    for task in ("CartPole", "TwinCartPole", "Pendulum"):
        env = gymnasium.make(f"plr/classic-{task}")
        observation, info = env.reset(seed=9)
        assert observation.dtype == np.float32 and info["level"] == 9
        assert env.observation_space.contains(observation)
        for _ in range(5):
            observation, *_ = env.step(env.action_space.sample())
        assert env.observation_space.contains(observation)


def test_twins_are_two_carts_with_equal_physics():
    twins = plr.make_vec("classic/TwinCartPole", 1, copy=True)
    observations, _ = twins.reset(options={"levels": [4]})
    physics, _ = level_of("CartPole", 4, False)
    carts = [gymnasium_env("CartPole", physics, observations[0, first:first + 4].astype(float)) for first in (0, 4)]
    for actions in ([0, 1], [1, 1], [1, 0]):
        observations, *_ = twins.step(np.array([actions]))
        both = np.concatenate([cart.step(action)[0] for cart, action in zip(carts, actions, strict=True)])
        np.testing.assert_allclose(observations[0], both, rtol=1e-4, atol=1e-6)


def test_wrong_actions_are_refused():
    pendulum = plr.make_vec("classic/Pendulum", 2)
    pendulum.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions must have the shape \[2, 1\], not \[2\]"):
        pendulum.step(np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="action of slot 1 must be from -2 to 2, not 2.5"):
        pendulum.step(np.array([[0.0], [2.5]]))
    with pytest.raises(ValueError, match="action of slot 0 must be from -2 to 2, not nan"):
        pendulum.step(np.array([[np.nan], [0]]))
    with pytest.raises(TypeError, match="actions must be float32 or float64"):
        pendulum.step(np.zeros((2, 1), np.int64))
    twins = plr.make_vec("classic/TwinCartPole", 2)
    twins.reset(seed=1)
    with pytest.raises(ValueError, match="action of slot 1 at position 0 must be from 0 to 1, not 2"):
        twins.step(np.array([[0, 1], [2, 1]]))
    with pytest.raises(TypeError, match="actions must be int64, int32 or uint8"):
        twins.step(np.zeros((2, 2)))


def test_pictures_are_drawn():
    for task in ("CartPole", "TwinCartPole", "Pendulum"):
        envs = plr.make_vec(f"classic/{task}", 1, render_mode="rgb_array")
        envs.reset(seed=1)
        picture = envs.render()[0]
        assert picture.shape[1] == 384 and len(np.unique(picture.reshape(-1, 3), axis=0)) > 2
