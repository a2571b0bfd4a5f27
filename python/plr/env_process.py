"""A process that plays slots of a Gymnasium environment for the trainer.

The trainer is another program (src/plr/remote/): requests and replies cross a Unix socket, actions, observations,
rewards and ends lie in shared memory. src/plr/remote/slot_process.h describes the protocol.
"""

from __future__ import annotations

import mmap
import select
import signal
import socket
import struct
import sys
import traceback
from multiprocessing import parent_process
from typing import Any

import numpy as np
from gymnasium import Env, Space, Wrapper, spaces
from gymnasium.wrappers import TimeLimit
from numpy.typing import NDArray

from plr.env_slots import MakeEnv, check_observation

VERSION = 1
_START, _STEP, _SAVE, _LOAD = 1, 2, 3, 4
_REQUEST = struct.Struct("<IIIIQ")  # kind, begin, end, size, level
_REPLY = struct.Struct("<II")       # status, size
_UNKNOWN = 2                        # whether the level was solved

# Gymnasium's wrappers that hold nothing of an episode, and TimeLimit, whose clock is saved here.
_PLAIN_WRAPPERS = frozenset((
    "AddRenderObservation", "ClipAction", "ClipReward", "DiscretizeAction", "DiscretizeObservation", "DtypeObservation",
    "FilterObservation", "FlattenObservation", "GrayscaleObservation", "HumanRendering", "MaxAndSkipObservation",
    "OrderEnforcing", "PassiveEnvChecker", "RecordEpisodeStatistics", "RecordVideo", "RenderCollection", "RepeatAction",
    "RescaleAction", "RescaleObservation", "ReshapeObservation", "ResizeObservation", "TimeLimit", "TransformAction",
    "TransformObservation", "TransformReward"))


class UnsupportedEnv(ValueError):
    """The trainer cannot play the environment; the message says why and what to do."""


# ---- what the trainer knows about an environment ----------------------------------------------------


def observation_layout(space: Space[Any]) -> tuple[tuple[int, int, int], np.dtype[Any]]:
    """The shape [H, W, C] and the type, bytes or 32-bit floats, that the trainer gets."""
    if not isinstance(space, spaces.Box):
        raise UnsupportedEnv(f"observations must be a Box, not {space}; gymnasium.wrappers.FlattenObservation makes one")
    dtype = np.dtype(np.uint8 if space.dtype == np.uint8 else np.float32)
    match space.shape:
        case (height, width, channels):
            return (height, width, channels), dtype
        case (height, width) if dtype == np.uint8:
            return (height, width, 1), dtype
        case shape:
            return (1, 1, int(np.prod(shape))), dtype


def action_text(space: Space[Any]) -> str:
    if isinstance(space, spaces.Discrete):
        return f"discrete {space.n}"
    if isinstance(space, spaces.MultiDiscrete) and len(space.shape) == 1:
        return "multi_discrete " + " ".join(str(count) for count in space.nvec)
    if isinstance(space, spaces.Box) and np.issubdtype(space.dtype, np.floating):
        return "continuous " + " ".join(repr(float(bound)) for bound in (*space.low.flat, *space.high.flat))
    raise UnsupportedEnv(f"actions must be Discrete, a vector MultiDiscrete or a Box of floats, not {space}")


def step_limit(env: Env[Any, Any]) -> int:
    limits = [wrapper._max_episode_steps for wrapper in _limits(env)]
    if not limits:
        raise UnsupportedEnv("the environment has no step limit; wrap it in gymnasium.wrappers.TimeLimit")
    return int(min(limits))


def has_channels_first(space: Space[Any]) -> bool:
    """Whether the first of three dimensions looks like that of an image's channels."""
    shape = space.shape or ()
    return len(shape) == 3 and shape[0] <= 4 and min(shape[1:]) >= 16


def can_save(env: Env[Any, Any]) -> bool:
    """Whether the environment, or a wrapper around it, has get_state(), which returns bytes, and set_state(bytes)."""
    return _saver(env) is not None


def unsaved_wrappers(env: Env[Any, Any]) -> list[str]:
    """The names of wrappers that may hold something of an episode which is not saved."""
    names = []
    saver = _saver(env)
    while env is not saver and isinstance(env, Wrapper):
        kind = type(env)
        if kind.__name__ not in _PLAIN_WRAPPERS or not kind.__module__.startswith("gymnasium."):
            names.append(kind.__name__)
        env = env.env
    return names


def describe(env: Env[Any, Any]) -> str:
    shape, dtype = observation_layout(env.observation_space)
    return "\n".join((f"observation_shape {shape[0]} {shape[1]} {shape[2]}",
                      f"observation_type {'byte' if dtype == np.uint8 else 'float'}",
                      action_text(env.action_space), f"max_steps {step_limit(env)}", f"can_save {int(can_save(env))}"))


def _saver(env: Env[Any, Any]) -> Any:
    """The outermost of the environment and its wrappers that has get_state() and set_state(); None without one."""
    while not all(callable(getattr(env, name, None)) for name in ("get_state", "set_state")):
        if not isinstance(env, Wrapper):
            return None
        env = env.env
    return env


def _limits(env: Env[Any, Any]) -> list[Any]:
    """The step limits around an environment."""
    found = []
    while isinstance(env, Wrapper):
        if isinstance(env, TimeLimit):
            found.append(env)
        env = env.env
    return found


# ---- slots --------------------------------------------------------------------------------------------


class Slots:
    """Environments whose results are written to the shared memory."""

    def __init__(self, make_env: MakeEnv, count: int) -> None:
        self._envs = [make_env() for _ in range(count)]
        self.text = describe(self._envs[0])
        for env in self._envs[1:]:
            if describe(env) != self.text:
                raise UnsupportedEnv("make_env must create environments of equal spaces")
        self._observation_space = self._envs[0].observation_space
        self._space = self._envs[0].action_space
        self._first_action = getattr(self._space, "start", 0)

    def use(self, memory: mmap.mmap) -> None:
        """Takes the arrays from the shared memory."""
        n = len(self._envs)
        shape, dtype = observation_layout(self._observation_space)
        continuous = isinstance(self._space, spaces.Box)
        words = 1 if isinstance(self._space, spaces.Discrete) else int(np.prod(self._space.shape or (1,)))
        offset = 0

        def array(kind: Any, *size: int) -> NDArray[Any]:
            nonlocal offset
            taken = np.frombuffer(memory, kind, int(np.prod(size)), offset).reshape(size)
            offset += taken.nbytes
            return taken

        self._rewards = array(np.float64, n)
        self._actions = array(np.float32 if continuous else np.int32, n, words)
        self._observations = array(dtype, n, *shape)
        self._terminated = array(np.uint8, n)
        self._truncated = array(np.uint8, n)
        self._solved = array(np.uint8, n)

    def start(self, slot: int, level: int) -> None:
        observation = self._envs[slot].reset(seed=level)[0]
        check_observation(self._observation_space, observation)
        self._write(slot, observation)

    def step(self, slot: int) -> None:
        observation, reward, terminated, truncated, info = self._envs[slot].step(self._action(slot))
        self._write(slot, observation)
        self._rewards[slot] = reward
        self._terminated[slot] = terminated
        self._truncated[slot] = truncated
        self._solved[slot] = bool(info["is_success"]) if "is_success" in info else _UNKNOWN

    def save(self, slot: int) -> bytes:
        """The clocks of step limits around the environment, and the state of its saver."""
        env = self._envs[slot]
        state = _saver(env).get_state()
        if not isinstance(state, bytes):
            raise TypeError(f"get_state must return bytes, not {type(state).__name__}")
        clocks = [wrapper._elapsed_steps for wrapper in _limits(env)]
        return struct.pack(f"<{len(clocks)}q", *clocks) + state

    def load(self, slot: int, level: int, state: bytes) -> None:
        env = self._envs[slot]
        env.reset(seed=level)  # prepares the wrappers
        limits = _limits(env)
        size = 8 * len(limits)
        _saver(env).set_state(state[size:])
        for wrapper, clock in zip(limits, struct.unpack(f"<{len(limits)}q", state[:size]), strict=True):
            wrapper._elapsed_steps = clock

    def close(self) -> None:
        for env in self._envs:
            env.close()

    def _write(self, slot: int, observation: Any) -> None:
        self._observations[slot] = np.reshape(observation, self._observations.shape[1:])

    def _action(self, slot: int) -> Any:
        words = self._actions[slot]
        if isinstance(self._space, spaces.Discrete):
            return int(words[0]) + int(self._first_action)
        action = words.astype(self._space.dtype).reshape(self._space.shape)
        return action + self._first_action if isinstance(self._space, spaces.MultiDiscrete) else action


# ---- requests -----------------------------------------------------------------------------------------


def serve(connection: socket.socket, make_env: MakeEnv) -> None:
    """Plays slots until the trainer, or the process that has started this one, ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trainer is told, saves and then ends this process
    peer = _Peer(connection)
    slots: Slots | None = None
    try:
        version, count = struct.unpack("<II", peer.read(8))
        if version != VERSION:
            return peer.reply(1, f"the trainer has version {version} of the protocol, plr has {VERSION}".encode())
        try:
            slots = Slots(make_env, count)
        except UnsupportedEnv as error:
            return peer.reply(1, str(error).encode())
        peer.reply(0, slots.text.encode())
        slots.use(peer.read_memory())
        while True:
            _answer(peer, slots)
    except _Ended:
        pass
    except Exception as error:
        traceback.print_exc()
        sys.stderr.flush()
        peer.reply(1, f"{type(error).__name__}: {error}".replace("\n", " ").encode())
    finally:
        if slots is not None:
            slots.close()


def _answer(peer: _Peer, slots: Slots) -> None:
    kind, begin, end, size, level = _REQUEST.unpack(peer.read(_REQUEST.size))
    result = b""
    if kind == _START:
        slots.start(begin, level)
    elif kind == _STEP:
        for slot in range(begin, end):
            slots.step(slot)
    elif kind == _SAVE:
        result = slots.save(begin)
    elif kind == _LOAD:
        slots.load(begin, level, peer.read(size))
    peer.reply(0, result)


class _Ended(Exception):
    """The other side has ended."""


class _Peer:
    """The trainer's side of the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        parent = parent_process()
        self._wait = select.poll()
        self._wait.register(connection, select.POLLIN)
        self._parent = None if parent is None else parent.sentinel
        if self._parent is not None:
            self._wait.register(self._parent, select.POLLIN)

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            if any(ready == self._parent for ready, _ in self._wait.poll()):
                raise _Ended
            more = self._socket.recv(size - len(data))
            if not more:
                raise _Ended
            data += more
        return data

    def read_memory(self) -> mmap.mmap:
        self._wait.poll()
        data, descriptors, _, _ = socket.recv_fds(self._socket, 1, 1)
        if not data or not descriptors:
            raise _Ended
        with open(descriptors[0], "r+b", buffering=0) as file:
            return mmap.mmap(file.fileno(), 0)

    def reply(self, status: int, data: bytes) -> None:
        try:
            self._socket.sendall(_REPLY.pack(status, len(data)) + data)
        except OSError:
            raise _Ended from None
