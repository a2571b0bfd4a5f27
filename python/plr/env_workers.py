"""Slots of environments in worker processes.

EnvWorkers has the methods of EnvSlots (env_slots.py).  Each worker plays a range of the slots.  Actions,
levels and infos cross by pipes; observations, rewards and ends lie in shared memory.  There is no
curriculum in a worker: it starts the levels that it is told.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import pickle
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from gymnasium import Space
from gymnasium.vector.utils import CloudpickleWrapper

from plr.env_slots import Buffers, EnvSlots, Infos, MakeEnv


class EnvWorkers:
    """All slots of an environment, in `num_workers` processes."""

    def __init__(self, make_env: MakeEnv, expected: tuple[Space[Any], Space[Any]], num_envs: int,
                 num_workers: int, context: str) -> None:
        self._context: Any = multiprocessing.get_context(context)
        blocks: list[Any] = []  # of shared memory, in the order in which Buffers asks for them

        def allocate(size: int) -> Any:
            blocks.append(self._context.RawArray(ctypes.c_uint8, max(size, 1)))
            return blocks[-1]

        self.buffers = Buffers(expected[0], num_envs, allocate)
        ends = [num_envs * i // num_workers for i in range(num_workers + 1)]
        self._parts = [range(begin, end) for begin, end in zip(ends, ends[1:], strict=False)]
        self._pipes: list[Connection[Any, Any]] = []
        self._processes: list[Any] = []
        try:
            for part in self._parts:
                self._start_worker(part, make_env, expected, num_envs, blocks)
            self._collect(range(num_workers))  # an error of make_env is raised here
        except BaseException:
            self.close()
            raise

    def _start_worker(self, part: range, make_env: MakeEnv, expected: tuple[Space[Any], Space[Any]],
                      num_envs: int, blocks: list[Any]) -> None:
        ours, theirs = self._context.Pipe()
        self._pipes.append(ours)
        # A forked worker has copies of the pipes to the others, which would keep them from ending when
        # this process dies.
        inherited = list(self._pipes) if self._context.get_start_method() == "fork" else []
        process = self._context.Process(
            target=_work, name=f"plr worker of slots {part.start} to {part.stop - 1}", daemon=True,
            args=(theirs, inherited, CloudpickleWrapper(make_env), expected, part, num_envs, blocks))
        process.start()
        theirs.close()
        self._processes.append(process)

    def start(self, starts: dict[int, int], options: dict[str, Any] | None) -> Infos:
        workers = []
        for worker, part in enumerate(self._parts):
            own = {slot: level for slot, level in starts.items() if slot in part}
            if own:
                self._send(worker, ("start", own, options))
                workers.append(worker)
        return self._collect(workers)

    def step(self, actions: Sequence[Any], starts: dict[int, int]) -> Infos:
        for worker, part in enumerate(self._parts):
            own = {slot: level for slot, level in starts.items() if slot in part} if starts else {}
            self._send(worker, ("step", actions[part.start:part.stop], own))
        return self._collect(range(len(self._parts)))

    def call(self, name: str, arguments: Sequence[Any], keywords: dict[str, Any]) -> list[Any]:
        for worker in range(len(self._parts)):
            self._send(worker, ("call", name, arguments, keywords))
        return [value for values in self._replies(range(len(self._parts))) for value in values]

    def set_attr(self, name: str, values: Sequence[Any]) -> None:
        for worker, part in enumerate(self._parts):
            self._send(worker, ("set_attr", name, values[part.start:part.stop]))
        self._replies(range(len(self._parts)))

    def close(self) -> None:
        for pipe in self._pipes:
            try:
                pipe.send(("close",))
            except OSError:
                pass  # the worker has ended
            pipe.close()
        for process in self._processes:
            process.join(5)
            if process.is_alive():
                process.terminate()
                process.join()

    def _send(self, worker: int, message: tuple[Any, ...]) -> None:
        try:
            self._pipes[worker].send(message)
        except (BrokenPipeError, ConnectionResetError):
            pass  # _replies() reports the end of the worker

    def _collect(self, workers: Sequence[int]) -> Infos:
        infos: Infos = {}
        for worker, (found, objects) in zip(workers, self._replies(workers), strict=True):
            infos |= found
            self.buffers.set_objects(self._parts[worker], objects)
        return infos

    def _replies(self, workers: Sequence[int]) -> list[Any]:
        """The replies of all these workers.  Raises the first error after all have replied."""
        values, error = [], None
        for worker in workers:
            try:
                failed, value, trace = self._pipes[worker].recv()
            except (EOFError, ConnectionResetError):
                failed, value, trace = True, self._end_of(worker), ""
            if failed and error is None:
                error = value
                if trace:
                    error.add_note(f"in a worker process:\n{trace}")
            values.append(value)
        if error is not None:
            raise error
        return values

    def _end_of(self, worker: int) -> RuntimeError:
        process = self._processes[worker]
        process.join(1)
        part = self._parts[worker]
        return RuntimeError(f"the worker process of the slots {part.start} to {part.stop - 1} ended with the "
                            f"exit code {process.exitcode}; close this environment and create another one")


# ---- in the worker ----------------------------------------------------------------------------------


def _work(pipe: Connection[Any, Any], inherited: list[Connection[Any, Any]], make_env: MakeEnv,
          expected: tuple[Space[Any], Space[Any]], part: range, num_envs: int, blocks: list[Any]) -> None:
    for other in inherited:
        other.close()
    memory = iter(blocks)
    buffers = Buffers(expected[0], num_envs, lambda size: next(memory))
    slots: EnvSlots | None = None
    try:
        slots = EnvSlots(make_env, buffers, part, expected)
        pipe.send((False, ({}, buffers.objects(part)), ""))
        while True:
            message = pipe.recv()
            if message[0] == "close":
                break
            try:
                pipe.send((False, _answer(slots, buffers, message), ""))
            except Exception as error:
                pipe.send(_failure(error))
    except (EOFError, ConnectionResetError, BrokenPipeError, KeyboardInterrupt):
        pass  # the parent has ended, or the user interrupts it
    except Exception as error:
        pipe.send(_failure(error))
    finally:
        if slots is not None:
            slots.close()
        pipe.close()


def _answer(slots: EnvSlots, buffers: Buffers, message: tuple[Any, ...]) -> Any:
    kind, *arguments = message
    if kind == "step":
        return slots.step(*arguments), buffers.objects(slots.slots)
    if kind == "start":
        return slots.start(*arguments), buffers.objects(slots.slots)
    return slots.call(*arguments) if kind == "call" else slots.set_attr(*arguments)


def _failure(error: Exception) -> tuple[bool, Exception, str]:
    trace = traceback.format_exc()
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    return True, error, trace
