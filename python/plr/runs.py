"""What did a run of ./plr train write?

    run = plr.load_run("runs/NAME")
    run.settings["temperature"]                                # everything in config.toml
    plt.plot(run.eval["steps"], run.eval["test_return"])       # columns as numpy arrays
    run.log.to_pandas()                                        # or a data frame, where pandas is there

A run that goes on can be read too: a last line that is not yet whole is passed over.
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


class Table(dict[str, NDArray[Any]]):
    """Columns of one length by their names."""

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame."""
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
    eval: Table               # eval.jsonl: a row per evaluation, the last of each number of steps
    curriculum: Table         # levels.jsonl: how the replay probability is spread
    levels: Table             # levels.csv: the levels, as of the last checkpoint
    remarks: list[str]        # what is missing or damaged


def load_run(folder: str | os.PathLike[str]) -> Run:
    """Reads a run's folder.  Raises FileNotFoundError if it is none, ValueError if its settings are damaged."""
    folder = pathlib.Path(folder)
    path = folder / "config.toml"
    if not path.is_file():
        raise FileNotFoundError(f"{folder} is not the folder of a run: it has no config.toml")
    try:
        settings = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from error
    remarks: list[str] = []
    return Run(
        folder=folder,
        settings=settings,
        log=_table(_records(folder / "log.jsonl", "steps", remarks)),
        eval=_table(_last_of_each(_records(folder / "eval.jsonl", "test_return", remarks))),
        curriculum=_table(_records(folder / "levels.jsonl", "update", remarks)),
        levels=_levels(folder / "levels.csv", remarks),
        remarks=remarks,
    )


def _whole_lines(path: pathlib.Path) -> list[str]:
    """What stands after the last line's end is being written."""
    return path.read_text(errors="replace").split("\n")[:-1]


def _remark_damage(name: str, damaged: list[int], remarks: list[str]) -> None:
    if damaged:
        lines = "line" if len(damaged) == 1 else "lines"
        remarks.append(f"{name}: {len(damaged)} damaged {lines} left out, the first is line {damaged[0]}")


def _records(path: pathlib.Path, required: str, remarks: list[str]) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines; one whose `required` number is missing is damaged."""
    if not path.is_file():
        remarks.append(f"{path.name} is missing")
        return []
    records = []
    damaged = []
    for number, line in enumerate(_whole_lines(path), start=1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict) and isinstance(record.get(required), (int, float)):
            records.append(record)
        else:
            damaged.append(number)
    _remark_damage(path.name, damaged, remarks)
    return records


def _last_of_each(evaluations: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of increasing steps: a later evaluation replaces those of as many steps or more."""
    kept: list[dict[str, Any]] = []
    for evaluation in evaluations:
        while kept and kept[-1]["steps"] >= evaluation["steps"]:
            kept.pop()
        kept.append(evaluation)
    return kept


def _column(values: list[Any]) -> NDArray[Any]:
    """Numbers, NaN where there is none; anything else as it is."""
    present = [value for value in values if value is not None]
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


def _levels(path: pathlib.Path, remarks: list[str]) -> Table:
    if not path.is_file():
        return Table()  # a stream's uniform sampling has nothing to tell
    head, *lines = _whole_lines(path) or [""]
    names = head.split(",")
    rows = []
    damaged = []
    for number, line in enumerate(lines, start=2):
        try:
            level, *rest = line.split(",")
            row = [int(level), *(float(cell) if cell else np.nan for cell in rest)]
        except ValueError:
            row = []
        if len(row) == len(names):
            rows.append(row)
        else:
            damaged.append(number)
    _remark_damage(path.name, damaged, remarks)
    columns = list(zip(*rows)) if rows else [()] * len(names)
    types = [np.uint64] + [np.float64] * (len(names) - 1)
    return Table({name: np.array(column, dtype=kind) for name, column, kind in zip(names, columns, types)})
