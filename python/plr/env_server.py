"""Starts processes that play a Gymnasium environment for the trainer.

    with EnvServer(make_env) as server:
        subprocess.run([program, "train", ...], env={**os.environ, **server.variables})

The trainer connects to a socket, once for every process that it wants (plr.env_process). A process that does nothing
else listens there, and forks a worker for each connection: it has one thread, so that forking is safe. A worker ends
when its connection does, or when the server has ended; the server ends when this process has.
"""

from __future__ import annotations

import multiprocessing
import os
import pathlib
import shutil
import signal
import socket
import sys
import tempfile
from multiprocessing.connection import wait
from typing import Any

from gymnasium.vector.utils import CloudpickleWrapper

from plr.env_process import serve
from plr.env_slots import MakeEnv

#: The environment variable that names the socket (src/plr/remote/family.cc).
VARIABLE = "PLR_ENV_SOCKET"


class EnvServer:
    """Listens while it is entered."""

    def __init__(self, make_env: MakeEnv, context: str = "fork") -> None:
        self._make_env = make_env
        self._context: Any = multiprocessing.get_context(context)
        self.variables: dict[str, str] = {}

    def __enter__(self) -> EnvServer:
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="plr-"))
        path = self._folder / "socket"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.fspath(path))
        listener.listen(128)
        self._process = self._context.Process(target=_listen, name="plr environments",
                                              args=(listener, self._folder, CloudpickleWrapper(self._make_env)))
        self._process.start()
        listener.close()
        self.variables[VARIABLE] = os.fspath(path)
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.join()
        shutil.rmtree(self._folder, ignore_errors=True)


def _listen(listener: socket.socket, folder: pathlib.Path, make_env: MakeEnv) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    fork = multiprocessing.get_context("fork")
    parent = multiprocessing.parent_process()
    assert parent is not None
    workers: list[multiprocessing.process.BaseProcess] = []
    while True:
        ready = wait([listener, parent.sentinel, *(worker.sentinel for worker in workers)])
        if parent.sentinel in ready:
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)  # at once: the workers end when they notice it
        for worker in [worker for worker in workers if worker.sentinel in ready]:
            workers.remove(worker)
            worker.join()
            if worker.exitcode != 0:
                print(f"a process of the environment has ended with exit code {worker.exitcode}", file=sys.stderr,
                      flush=True)
        if listener in ready:
            connection, _ = listener.accept()
            worker = fork.Process(target=_work, args=(listener, connection, make_env))
            worker.start()
            workers.append(worker)
            connection.close()


def _work(listener: socket.socket, connection: socket.socket, make_env: MakeEnv) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    listener.close()
    serve(connection, make_env)
