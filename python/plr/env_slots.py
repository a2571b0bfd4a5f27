"""Gymnasium environments that play levels in slots and write their results into arrays.

    buffers = Buffers(observation_space, num_envs)
    slots = EnvSlots(make_env, buffers, range(num_envs))
    infos = slots.start({0: 17, 1: 3}, options=None)     # slot: level
    infos = slots.step(actions, starts={})

LevelVectorEnv uses one EnvSlots in its own process, or one in each worker process with buffers in
shared memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import Env, Space, spaces
from numpy.typing import NDArray

Infos = dict[int, dict[str, Any]]  # by slot; slots without entries have the info {}
MakeEnv = Callable[[], Env[Any, Any]]
Allocate = Callable[[int], Any]  # from a number of bytes to a buffer of them

_ARRAY_SPACES = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def maker_of(env: MakeEnv | str) -> MakeEnv:
    """A function that creates the environment of a Gymnasium id, or the function itself."""
    if isinstance(env, str):
        gymnasium.spec(env)  # raises an error for an unknown id
        return _MakeById(env)
    if not callable(env):
        kind = type(env).__name__
        raise TypeError(f"make_env must be a function that creates an environment, or an id, not {kind}")
    return env


def check_context(context: str) -> None:
    if context not in ("fork", "spawn", "forkserver"):
        raise ValueError(f"context must be fork, spawn or forkserver, not {context}")


class _MakeById:
    """Can be pickled into a worker process."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self) -> Env[Any, Any]:
        return gymnasium.make(self._name)


# ---- observations: arrays [N, ...], or dicts and tuples of them -------------------------------------


def _batch(space: Space[Any], count: int, allocate: Allocate) -> Any:
    """Memory for `count` observations; lists of objects for spaces that are not arrays."""
    if isinstance(space, spaces.Dict):
        return {key: _batch(part, count, allocate) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_batch(part, count, allocate) for part in space.spaces)
    if isinstance(space, _ARRAY_SPACES):
        shape = (count, *(space.shape or ()))
        dtype = np.dtype(space.dtype)
        size = int(np.prod(shape)) * dtype.itemsize
        return np.frombuffer(allocate(size), np.uint8, size).view(dtype).reshape(shape)
    return [None] * count


def check_observation(space: Space[Any], observation: Any) -> None:
    """Raises ValueError if arrays could not hold the observation. Called at the start of an episode."""
    if isinstance(space, spaces.Dict):
        for key, part in space.spaces.items():
            check_observation(part, observation[key])
    elif isinstance(space, spaces.Tuple):
        for part, value in zip(space.spaces, observation, strict=True):
            check_observation(part, value)
    elif isinstance(space, spaces.Box):
        array = np.asarray(observation)
        if array.shape != space.shape:
            raise ValueError(f"reset() gave an observation of shape {array.shape}, its space is {space}")
        if array.dtype.kind == "f" and np.dtype(space.dtype).kind in "iu":
            raise ValueError(f"reset() gave an observation of {array.dtype}, which would lose its fractions: "
                             f"its space is {space}")


def _write(batch: Any, slot: int, observation: Any) -> None:
    if isinstance(batch, dict):
        for key, part in batch.items():
            _write(part, slot, observation[key])
    elif isinstance(batch, tuple):
        for part, value in zip(batch, observation, strict=True):
            _write(part, slot, value)
    else:
        batch[slot] = observation


def _read(batch: Any, slot: int) -> Any:
    """A copy of one observation."""
    if isinstance(batch, dict):
        return {key: _read(part, slot) for key, part in batch.items()}
    if isinstance(batch, tuple):
        return tuple(_read(part, slot) for part in batch)
    return batch[slot].copy() if isinstance(batch, np.ndarray) else batch[slot]


def _view(batch: Any, copy: bool) -> Any:
    """All observations as Gymnasium's vector environments return them."""
    if isinstance(batch, dict):
        return {key: _view(part, copy) for key, part in batch.items()}
    if isinstance(batch, tuple):
        return tuple(_view(part, copy) for part in batch)
    if isinstance(batch, np.ndarray):
        return batch.copy() if copy else batch
    return tuple(batch)


def _lists(batch: Any) -> list[list[Any]]:
    """The parts of a batch that are lists of objects."""
    if isinstance(batch, dict):
        return [found for part in batch.values() for found in _lists(part)]
    if isinstance(batch, tuple):
        return [found for part in batch for found in _lists(part)]
    return [batch] if isinstance(batch, list) else []


class Buffers:
    """The results of N slots.  `allocate` may return shared memory."""

    def __init__(self, space: Space[Any], num_envs: int, allocate: Allocate = bytearray) -> None:
        def array(dtype: Any) -> NDArray[Any]:
            size = num_envs * np.dtype(dtype).itemsize
            return np.frombuffer(allocate(size), np.uint8, size).view(dtype)

        self.rewards: NDArray[np.float64] = array(np.float64)
        self.terminated: NDArray[np.bool_] = array(np.bool_)
        self.truncated: NDArray[np.bool_] = array(np.bool_)
        self.batch = _batch(space, num_envs, allocate)
        self._objects = _lists(self.batch)

    def write(self, slot: int, observation: Any) -> None:
        _write(self.batch, slot, observation)

    def observation(self, slot: int) -> Any:
        return _read(self.batch, slot)

    def observations(self, copy: bool) -> Any:
        return _view(self.batch, copy)

    def objects(self, slots: range) -> list[list[Any]]:
        """What these slots hold outside of arrays, which shared memory does not carry."""
        return [part[slots.start:slots.stop] for part in self._objects]

    def set_objects(self, slots: range, objects: list[list[Any]]) -> None:
        for part, values in zip(self._objects, objects, strict=True):
            part[slots.start:slots.stop] = values


# ---- environments -----------------------------------------------------------------------------------


class EnvSlots:
    """The environments of some of the slots."""

    def __init__(self, make_env: MakeEnv, buffers: Buffers, slots: range, expected: tuple[Space[Any], Space[Any]]
                 ) -> None:
        self.slots = slots
        self.envs = [make_env() for _ in slots]
        self._buffers = buffers
        for slot, env in zip(slots, self.envs, strict=True):
            for what, space, other in (("observation", env.observation_space, expected[0]),
                                       ("action", env.action_space, expected[1])):
                if space != other:
                    raise ValueError(f"make_env must create environments of equal {what} spaces; "
                                     f"slot {slot} has {space}, the first one {other}")

    def start(self, starts: dict[int, int], options: dict[str, Any] | None) -> Infos:
        """Starts a level in each of these slots; rewards and ends of their last step stay."""
        infos = {}
        for slot, level in starts.items():
            env = self.envs[slot - self.slots.start]
            observation, info = env.reset(seed=level, options=options)
            check_observation(env.observation_space, observation)
            self._buffers.write(slot, observation)
            if info:
                infos[slot] = info
        return infos

    def step(self, actions: Iterable[Any], starts: dict[int, int]) -> Infos:
        """Takes one action in every slot; those of `starts` start a level instead, with reward 0."""
        buffers = self._buffers
        batch = buffers.batch
        is_array = isinstance(batch, np.ndarray)
        rewards, terminated, truncated = buffers.rewards, buffers.terminated, buffers.truncated
        infos = self.start(starts, None) if starts else {}
        for slot, env, action in zip(self.slots, self.envs, actions, strict=True):
            if slot in starts:
                rewards[slot], terminated[slot], truncated[slot] = 0, False, False
                continue
            observation, rewards[slot], terminated[slot], truncated[slot], info = env.step(action)
            if is_array:
                batch[slot] = observation
            else:
                _write(batch, slot, observation)
            if info:
                infos[slot] = info
        return infos

    def call(self, name: str, arguments: Sequence[Any], keywords: dict[str, Any]) -> list[Any]:
        """The attribute of this name of every environment, called if it is a function."""
        found = [env.get_wrapper_attr(name) for env in self.envs]
        return [each(*arguments, **keywords) if callable(each) else each for each in found]

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        for env, value in zip(self.envs, values, strict=True):
            env.set_wrapper_attr(name, value)

    def close(self) -> None:
        for env in self.envs:
            env.close()
