"""Reads the folder of a run of ./plr train.

    run = plr.load_run("runs/NAME")
    run.settings["temperature"]                                # everything in config.toml
    plt.plot(run.eval["steps"], run.eval["test_return"])       # columns as numpy arrays
    run.log.to_pandas()                                        # or a pandas.DataFrame

A run in progress can be read: an incomplete last line is ignored. run_schema.json has the file names and the fields
of the records; the program that writes them is tested against it.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import pathlib
import tomllib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SCHEMA = json.loads(pathlib.Path(__file__).with_name("run_schema.json").read_text())
_MAX_SIZE = 1 << 31  # of a log, as in the program
#: File names in the folder of a run.
FILES: dict[str, str] = _SCHEMA["files"]


def _required(record: str) -> list[str]:
    """The fields without which a record is damaged."""
    return [name for name, presence in _SCHEMA["records"][record].items() if presence == "required"]


class Table(dict[str, NDArray[Any]]):
    """Columns of equal length, by name."""

    def to_pandas(self) -> Any:
        """Returns the columns as a pandas.DataFrame. Raises ImportError if pandas is not installed."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas") from error
        return pandas.DataFrame(dict(self))

    @property
    def num_rows(self) -> int:
        return len(next(iter(self.values()))) if self else 0


@dataclasses.dataclass(frozen=True)
class Run:
    """The files of a run, as arrays."""

    folder: pathlib.Path
    settings: dict[str, Any]  # config.toml
    log: Table                # log.jsonl: a row per update
    eval: Table               # eval.jsonl: a row per evaluation; of equal steps, the last
    curriculum: Table         # levels.jsonl: distribution of the replay probability
    levels: Table             # levels.csv: the levels at the last checkpoint
    cvar: Table               # cvar.csv: episodes and successes per level, by plr eval --cvar
    remarks: list[str]        # missing files and damaged lines

    @property
    def training_seconds(self) -> NDArray[np.float64]:
        """The seconds of training until each row of `log`, for a wall-clock axis; NaN where they were not recorded.

        log["seconds"] counts from the start of each process; here the time of a resumed run continues, without the time
        between two processes.
        """
        return _training_seconds(self.log)


def load_settings(folder: pathlib.Path) -> dict[str, Any]:
    """config.toml of a run. Raises FileNotFoundError if the folder holds no run, ValueError if the file is damaged."""
    path = folder / FILES["config"]
    if not path.is_file():
        raise FileNotFoundError(f"{folder} is not the folder of a run: it has no {path.name}")
    try:
        return tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from error


def load_run(folder: str | os.PathLike[str]) -> Run:
    """Reads the folder of a run. Raises FileNotFoundError if it holds no run, ValueError if its settings are damaged."""
    folder = pathlib.Path(folder)
    settings = load_settings(folder)
    remarks: list[str] = []
    return Run(
        folder=folder,
        settings=settings,
        log=_table(_records(folder, "log", remarks)),
        eval=_table(_last_per_steps(_records(folder, "eval", remarks))),
        curriculum=_table(_records(folder, "levels", remarks)),
        levels=_level_table(folder / FILES["level_table"], remarks),
        cvar=_level_table(folder / FILES["cvar"], remarks),
        remarks=remarks,
    )


def _training_seconds(log: Table) -> NDArray[np.float64]:
    rows = log.num_rows
    missing = np.full(rows, np.nan)
    seconds = log.get("seconds", missing).astype(np.float64)
    speed = log.get("steps_per_second", missing).astype(np.float64)
    total = np.full(rows, np.nan)
    before = 0.0  # of earlier processes
    last = -1
    for row in np.flatnonzero(np.isfinite(seconds)):
        if last >= 0:
            # The steps of a process are its seconds times its steps per second.
            between = float(log["steps"][row] - log["steps"][last])
            if seconds[row] < seconds[last] or seconds[row] * speed[row] <= 1.001 * between:
                before += float(seconds[last])
        total[row] = before + seconds[row]
        last = int(row)
    return total


def _complete_lines(path: pathlib.Path) -> list[str]:
    """The text after the last line end is being written and left out."""
    if path.stat().st_size > _MAX_SIZE:
        raise ValueError(f"{path} has more than {_MAX_SIZE} bytes")
    return path.read_text(errors="replace").split("\n")[:-1]


def _remark_damage(name: str, damaged: list[tuple[int, str]], remarks: list[str]) -> None:
    if damaged:
        lines = "line" if len(damaged) == 1 else "lines"
        number, cause = damaged[0]
        remarks.append(f"{name}: {len(damaged)} damaged {lines} left out, the first is line {number} ({cause})")


def _parse_record(line: str, required: Iterable[str]) -> dict[str, Any]:
    """Raises ValueError with the cause if the line is damaged."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    for name in required:
        if name not in record:
            raise ValueError(f"{name} is missing")
        if not isinstance(record[name], (int, float)):
            raise ValueError(f"{name} is not a number")
    return record


def _records(folder: pathlib.Path, kind: str, remarks: list[str]) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, without damaged ones."""
    path = folder / FILES[kind]
    if not path.is_file():
        remarks.append(f"{path.name} is missing")
        return []
    records = []
    damaged = []
    for number, line in enumerate(_complete_lines(path), start=1):
        try:
            records.append(_parse_record(line, _required(kind)))
        except ValueError as error:
            damaged.append((number, str(error)))
    _remark_damage(path.name, damaged, remarks)
    return records


def _last_per_steps(evaluations: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """By increasing steps: a later evaluation replaces those of as many steps or more."""
    kept: list[dict[str, Any]] = []
    for evaluation in evaluations:
        while kept and kept[-1]["steps"] >= evaluation["steps"]:
            kept.pop()
        kept.append(evaluation)
    return kept


def _column(values: list[Any]) -> NDArray[Any]:
    """Flags, false where missing; numbers, NaN where missing; other values as objects."""
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, bool) for value in present):
        return np.array([bool(value) for value in values])
    if all(type(value) is int for value in values):
        return np.array(values, dtype=np.int64)
    if all(isinstance(value, (int, float)) for value in present):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _table(records: list[dict[str, Any]]) -> Table:
    names = dict.fromkeys(name for record in records for name in record)
    return Table({name: _column([record.get(name) for record in records]) for name in names})


def _level_table(path: pathlib.Path, remarks: list[str]) -> Table:
    if not path.is_file():
        return Table()  # uniform sampling from a stream has no levels to list; cvar.csv is made on request
    head, *lines = _complete_lines(path) or [""]
    names = head.split(",")
    rows = []
    damaged = []
    for number, line in enumerate(lines, start=2):
        cells = line.split(",")
        try:
            if len(cells) != len(names):
                raise ValueError(f"{len(cells)} cells, not {len(names)}")
            rows.append([_cell(name, cell) for name, cell in zip(names, cells)])
        except ValueError as error:
            damaged.append((number, str(error)))
    _remark_damage(path.name, damaged, remarks)
    columns = list(zip(*rows)) if rows else [()] * len(names)
    return Table({name: np.array(column, dtype=np.uint64 if name == "level" else np.float64)
                  for name, column in zip(names, columns)})


def _cell(name: str, cell: str) -> int | float:
    try:
        if name == "level":
            return int(cell)
        return float(cell) if cell else np.nan
    except ValueError:
        raise ValueError(f"{name} is not a number") from None
