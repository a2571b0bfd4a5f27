"""plr.train: trains an agent from Python.

    run = plr.train(preset="minigrid-multiroom", steps=1_000_000, seed=2)
    run.eval["test_return"][-1]                            # see plr.load_run
    policy = plr.torch.load_policy(run.folder)

    run = plr.train("CartPole-v1", steps=200_000)          # your own environment, in worker processes
    run = plr.train(make_env, num_workers=4)

Training runs in a process of its own, the program plr; the first call builds it (plr.trainer).
"""

from __future__ import annotations

import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from plr import program, trainer
from plr.runs import FILES, Run, load_run

if TYPE_CHECKING:
    from plr.env_slots import MakeEnv

Setting = bool | int | float | str | os.PathLike[str] | range | Sequence[int]
Progress = bool | Callable[[dict[str, Any]], None]

_POLL_SECONDS = 0.2


class TrainingError(RuntimeError):
    """The program ended with an error; the message is its own."""


def train(make_env: MakeEnv | str | None = None, *, progress: Progress = True, context: str = "fork",
          **settings: Setting | None) -> Run:
    """Trains an agent like `plr train` and returns its run.

    make_env creates a Gymnasium environment whose reset(seed=level) makes a level, or is the id of one; without it,
    the setting env names an environment of plr. num_workers processes play it; `context` is how multiprocessing starts
    the first of them: "fork", or "spawn" or "forkserver", which need `if __name__ == "__main__":` in a script.
    Observations are a Box of bytes or floats, and the environment has a step limit. With get_state(), which returns
    bytes, and set_state(bytes), of the environment or of a wrapper that saves also what it wraps, a resumed run
    continues open episodes; without them it ends them at their next step, as a step limit would.

    Settings are the flags of `plr train`: preset, method, algorithm, config, out, resume, and every setting of
    `plr train --help`, as in steps=1_000_000, curriculum="uniform", drac=True, levels=range(100, 300),
    hidden_sizes=(64, 64). None leaves a setting out.

    progress=True prints the program's lines to standard error; False prints nothing; a function is called with each
    new record of log.jsonl, a dict with steps, return and the losses.

    An interrupt (Ctrl-C) stops the run, which saves itself and can be resumed with resume=FOLDER, and then raises
    KeyboardInterrupt. Raises ValueError if the trainer cannot play the environment, TrainingError with the program's
    message if a setting is invalid or the run fails, and plr.trainer.TrainerError if the trainer cannot be built.
    """
    report = _print if progress is True else lambda line: None
    if make_env is None:
        return _train(settings, {}, progress, report)
    from plr.env_server import EnvServer
    from plr.env_slots import check_context, maker_of

    check_context(context)
    if settings.get("env") is not None:
        raise ValueError("env names an environment of plr: give make_env or env, not both")
    maker = maker_of(make_env)
    env = _probe(maker)
    if settings.get("resume") is None:
        settings["env"] = "python/" + _name_of(make_env)
        if env.is_vector:
            settings.setdefault("network", "mlp")
        if env.has_channels_first:
            report("observations are taken as [height, width, channels]; if channels come first, transpose them, for "
                   "example with gymnasium.wrappers.TransformObservation")
    elif not env.can_save:
        report("the environment has no get_state and set_state: open episodes end at their next step")
    elif env.unsaved_wrappers:
        report(f"open episodes continue without what these wrappers hold: {', '.join(env.unsaved_wrappers)}; with "
               "get_state and set_state a wrapper saves itself and what it wraps")
    with EnvServer(maker, context) as server:
        return _train(settings, server.variables, progress, report)


def _name_of(make_env: MakeEnv | str) -> str:
    name = make_env if isinstance(make_env, str) else getattr(make_env, "__name__", "env")
    return "env" if name == "<lambda>" else name


class _Probe(NamedTuple):
    """What is to be known of an environment before it is trained on."""

    is_vector: bool  # its observations are
    has_channels_first: bool
    can_save: bool
    unsaved_wrappers: list[str]


def _probe(make_env: MakeEnv) -> _Probe:
    """Raises ValueError if the trainer cannot play the environment."""
    from plr.env_process import can_save, describe, has_channels_first, observation_layout, unsaved_wrappers

    env = make_env()
    try:
        describe(env)
        return _Probe(observation_layout(env.observation_space)[0][:2] == (1, 1),
                      has_channels_first(env.observation_space), can_save(env), unsaved_wrappers(env))
    finally:
        env.close()


def _train(settings: dict[str, Setting | None], variables: dict[str, str], progress: Progress,
           report: Callable[[str], None]) -> Run:
    command = [os.fspath(trainer.build(report=report)), "train", *_flags(settings)]
    # A session of its own, so that an interrupt arrives once, from here.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**program.environment(), **variables}, start_new_session=True) as process:
        watch = _Watch(process, progress)
        try:
            watch.until_the_end()
        except BaseException as error:
            process.send_signal(signal.SIGINT if isinstance(error, KeyboardInterrupt) else signal.SIGTERM)
            watch.drain()
            raise
    if process.returncode != 0 or watch.folder is None:
        raise TrainingError(watch.last_line or f"plr train ended with exit code {process.returncode}")
    return load_run(watch.folder)


def _flags(settings: dict[str, Setting | None]) -> list[str]:
    """steps=5, drac=True as --steps 5 --drac true."""
    return [f"--{name.replace('_', '-')}={_text(name, value)}" for name, value in settings.items() if value is not None]


def _text(name: str, value: Any) -> str:
    if getattr(value, "ndim", None) == 0:
        value = value.item()  # a number of NumPy
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, str)):
        return str(value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if name == "levels":
        if isinstance(value, range) and value.step == 1 and len(value) > 0:
            return f"{value.start}-{value.stop - 1}"
        raise TypeError("levels must be a number, a range such as range(100, 300), or a file with one id per line, "
                        f"not {value!r:.60}")
    if isinstance(value, Sequence):
        return ",".join(map(str, value))
    raise TypeError(f"{name} must be a number, text, a path or a list of numbers, not {type(value).__name__}")


class _Watch:
    """Follows a process of `plr train`: its lines and the records of its log."""

    def __init__(self, process: subprocess.Popen[str], progress: Progress) -> None:
        assert process.stdout is not None
        self.folder: pathlib.Path | None = None
        self.last_line = ""
        self._progress = progress
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._log: TextIO | None = None
        self._partial = ""
        self._reader = threading.Thread(target=self._read, args=(process.stdout,), daemon=True)
        self._reader.start()

    def until_the_end(self) -> None:
        while True:
            try:
                line = self._lines.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                self._report_records()
                continue
            if line is None:
                self._report_records()
                return
            self._take(line)

    def drain(self) -> None:
        """Waits until the process has closed its output."""
        while (line := self._lines.get()) is not None:
            self._take(line)

    def _read(self, stream: TextIO) -> None:
        for line in stream:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _take(self, line: str) -> None:
        match = re.fullmatch(r"(?:resuming )?training on .* in (.*)", line)
        if match and self.folder is None:
            self.folder = pathlib.Path(match[1])
            if line.startswith("resuming"):  # the records that it has are not reported
                self._open_log()
                if self._log is not None:
                    self._log.seek(0, os.SEEK_END)
        if line:
            self.last_line = line
        if self._progress is True:
            _print(line)

    def _open_log(self) -> None:
        if callable(self._progress) and self.folder is not None:
            path = self.folder / FILES["log"]
            if path.exists():
                self._log = open(path, encoding="utf-8")

    def _report_records(self) -> None:
        if not callable(self._progress) or self.folder is None:
            return
        if self._log is None:
            self._open_log()
            if self._log is None:
                return
        *lines, self._partial = (self._partial + self._log.read()).split("\n")
        for line in lines:
            self._progress(json.loads(line))


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
