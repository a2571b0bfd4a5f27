"""Copies the log of a run to an experiment tracker: Weights & Biases or MLflow.

    plr.log_to("runs/NAME", "wandb", project="plr", mode="offline")       # a run that has been trained
    plr.log_to("runs/NAME", "mlflow", experiment="plr", follow=True)      # a run that is being trained

The run's files stay the source of truth: nothing is trained differently, and a copy can be made at any time. Names are
those of TensorBoard (train/..., eval/..., levels/...), and the step is the number of environment steps.
"""

from __future__ import annotations

import importlib
import math
import os
import time
from typing import Any, Protocol

from plr.runs import Run, Table, load_run


class _Tracker(Protocol):
    """A run of an experiment tracker."""

    id: str

    def log(self, steps: int, seconds: float, values: dict[str, float]) -> None:
        """Adds numbers. `steps` increase; `seconds` are those since 1970."""

    def finish(self, is_complete: bool) -> None: ...


def log_to(run: Run | str | os.PathLike[str], service: str, *, follow: bool = False, interval: float = 5.0,
           **options: Any) -> str:
    """Copies settings, log, evaluations and curriculum of a run to `service`, "wandb" or "mlflow".

    Options of "wandb" are those of wandb.init, such as project, name, mode="offline" and dir. Options of "mlflow" are
    experiment (a name, created if there is none), tracking_uri, run_name and tags.

    With follow=True, the files are read again every `interval` seconds, until the run has made its final evaluation.
    Returns the id of the service's run. Raises ImportError if the service's package is not installed, ValueError for
    another service.
    """
    if service not in _SERVICES:
        raise ValueError(f'service must be "wandb" or "mlflow", not {service!r}')
    current = run if isinstance(run, Run) else load_run(run)
    tracker: _Tracker = _SERVICES[service](current, options)
    is_complete = False
    try:
        done = -1
        while True:
            is_finished = _is_finished(current)
            rows = _rows(current)
            newest = int(current.log["steps"][-1]) if current.log.num_rows else -1
            started = (current.folder / "config.toml").stat().st_mtime
            for steps, (seconds, values) in sorted(rows.items()):
                # The newest update may still get the numbers of an evaluation.
                is_open = follow and not is_finished and steps >= newest
                if steps > done and not is_open:
                    tracker.log(steps, started + seconds, values)
                    done = steps
            if is_finished or not follow:
                break
            time.sleep(interval)
            current = load_run(current.folder)
        is_complete = True
    finally:
        tracker.finish(is_complete)
    return tracker.id


def _is_finished(run: Run) -> bool:
    """The last evaluation is marked final and belongs to the last update."""
    if not run.log.num_rows or not run.eval.num_rows or "final" not in run.eval:
        return False
    return bool(run.eval["final"][-1]) and int(run.eval["steps"][-1]) == int(run.log["steps"][-1])


def _numbers(table: Table, prefix: str, row: int) -> dict[str, float]:
    """The numbers of a row; texts, lists and missing numbers are left out."""
    numbers = {}
    for name, column in table.items():
        if name != "steps" and column.dtype.kind in "bif" and math.isfinite(column[row]):
            numbers[prefix + name] = float(column[row])
    return numbers


def _rows(run: Run) -> dict[int, tuple[float, dict[str, float]]]:
    """By steps: the seconds of training until then, and the numbers of all files."""
    rows: dict[int, tuple[float, dict[str, float]]] = {}
    for row, seconds in enumerate(run.training_seconds):
        values = _numbers(run.log, "train/", row)
        if math.isfinite(seconds):
            values["train/training_seconds"] = float(seconds)
        rows[int(run.log["steps"][row])] = (float(seconds) if math.isfinite(seconds) else 0.0, values)
    for table, prefix in ((run.eval, "eval/"), (run.curriculum, "levels/")):
        for row in range(table.num_rows if "steps" in table else 0):
            # Their steps are those of an update, except in logs that were damaged.
            _, values = rows.setdefault(int(table["steps"][row]), (0.0, {}))
            values.update(_numbers(table, prefix, row))
    return rows


def _import(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"log_to needs {package}: pip install {package}") from error


class _WandbRun:
    def __init__(self, run: Run, options: dict[str, Any]) -> None:
        self._run = _import("wandb").init(**{"config": run.settings, "name": run.folder.name, **options})
        self.id = str(self._run.id)

    def log(self, steps: int, seconds: float, values: dict[str, float]) -> None:
        self._run.log({**values, "_timestamp": seconds}, step=steps)

    def finish(self, is_complete: bool) -> None:
        self._run.finish(exit_code=0 if is_complete else 1)


class _MlflowRun:
    _MAX_METRICS = 1000  # of a request
    _MAX_PARAMS = 100

    def __init__(self, run: Run, options: dict[str, Any]) -> None:
        self._mlflow = _import("mlflow")
        unknown = set(options) - {"experiment", "tracking_uri", "run_name", "tags"}
        if unknown:
            raise ValueError(f"options of mlflow are experiment, tracking_uri, run_name and tags, not {min(unknown)}")
        self._client = self._mlflow.MlflowClient(tracking_uri=options.get("tracking_uri"))
        name = options.get("experiment", "plr")
        experiment = self._client.get_experiment_by_name(name)
        number = experiment.experiment_id if experiment else self._client.create_experiment(name)
        created = self._client.create_run(number, run_name=options.get("run_name", run.folder.name),
                                          tags=options.get("tags"))
        self.id = str(created.info.run_id)
        params = [self._mlflow.entities.Param(key, str(value)) for key, value in run.settings.items()]
        for first in range(0, len(params), self._MAX_PARAMS):
            self._client.log_batch(self.id, params=params[first:first + self._MAX_PARAMS])
        self._waiting: list[Any] = []

    def log(self, steps: int, seconds: float, values: dict[str, float]) -> None:
        for key, value in values.items():
            self._waiting.append(self._mlflow.entities.Metric(key, value, int(1000 * seconds), steps))
        if len(self._waiting) > self._MAX_METRICS // 2:
            self._send()

    def _send(self) -> None:
        for first in range(0, len(self._waiting), self._MAX_METRICS):
            self._client.log_batch(self.id, metrics=self._waiting[first:first + self._MAX_METRICS])
        self._waiting = []

    def finish(self, is_complete: bool) -> None:
        self._send()
        self._client.set_terminated(self.id, status="FINISHED" if is_complete else "FAILED")


_SERVICES: dict[str, type[_WandbRun] | type[_MlflowRun]] = {"wandb": _WandbRun, "mlflow": _MlflowRun}
