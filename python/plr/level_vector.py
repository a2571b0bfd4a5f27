"""What all vector environments of plr share: slots whose levels a curriculum chooses.

A subclass calls _take_choice() in its constructor and implements _start(slots, levels, options).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import ArrayLike, NDArray

from plr._core import Curriculum, LevelReplay, LevelSet, Tscl, Uniform

Levels = int | range | LevelSet | Sequence[int] | NDArray[Any]
StepResult = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class Chooser(Protocol):
    """Any object whose next() returns a level: the curricula of plr, or your own."""

    def next(self) -> int: ...


def whole(name: str, value: object, least: int, most: int) -> int:
    """An integer of any type, as an int.  Raises TypeError or ValueError with the name."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} must be from {least} to {most}, not {number}")
    return number


def as_array(name: str, value: Any) -> NDArray[Any]:
    """numpy.asarray with a message that has the name."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be an array; its rows differ in length") from None


def level_from(value: object) -> int:
    """The level that a user or a curriculum of the user gives, as an int."""
    return whole("level", value, 0, 2**64 - 1)


def check_chooser(curriculum: object) -> None:
    """Raises TypeError unless the object has a method next()."""
    if not callable(getattr(curriculum, "next", None)):
        kind = type(curriculum).__name__
        raise TypeError(f"curriculum must have a method next(); {kind} has none")


def autoreset_from(mode: object) -> AutoresetMode:
    """The mode of this name or value."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        raise ValueError(f"autoreset_mode must be SameStep, NextStep or Disabled, not {mode}") from None


class LevelVectorBase(VectorEnv[Any, Any, Any]):
    """N slots that play levels one after another."""

    autoreset_mode: AutoresetMode
    _level: NDArray[np.uint64]  # [N]: the level that each observation shows

    def _take_choice(self, levels: Levels | None, curriculum: Chooser | str | None) -> None:
        """Checks the arguments by which the user chooses levels."""
        self._repeats = isinstance(curriculum, str)
        if self._repeats and curriculum != "repeat":
            raise ValueError(f"curriculum must be 'repeat' or have a method next(), not {curriculum!r}")
        if levels is not None and curriculum is not None and not self._repeats:
            raise ValueError("give levels or curriculum, not both: a curriculum has its own levels")
        self._curriculum = None if isinstance(curriculum, str) else curriculum
        if self._curriculum is not None:
            check_chooser(self._curriculum)
        self._given_levels = None if levels is None else Uniform(levels).levels
        self._chooser: Any = self._curriculum
        self._has_begun = False

    @property
    def curriculum(self) -> Chooser | None:
        """The curriculum that was passed to the constructor."""
        return self._curriculum

    @property
    def full_distribution(self) -> LevelSet:
        """The set of all levels of this environment."""
        raise NotImplementedError

    def reset(self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
              ) -> tuple[Any, dict[str, Any]]:
        """Starts a new episode in every slot.

        options["levels"]: the levels to start, one per slot; drawn by default.
        options["reset_mask"]: bools, one per slot; slots where it is False continue their episode.

        Without a curriculum, levels are drawn as by plr.Uniform(levels, seed=seed), now and at the end
        of every episode; a reset without a seed continues these draws.  A curriculum has its own seed.
        """
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise TypeError("seed must be an integer; "
                            "options={'levels': [...]} chooses a level per slot")
        if seed is not None:
            seed = whole("seed", seed, 0, 2**64 - 1)
        options = dict(options or {})
        levels = options.pop("levels", None)
        slots = self._slots_to_reset(options.pop("reset_mask", None))
        self._check_options(options)
        super().reset(seed=seed)
        if self._curriculum is None and (seed is not None or self._chooser is None):
            drawn_from = self.full_distribution if self._given_levels is None else self._given_levels
            self._chooser = Uniform(drawn_from, seed=(self.np_random_seed or 0) % 2**64)
        if levels is None:
            return self._start(slots, self._drawn(slots), options)
        given = self._checked_levels(levels, slots)
        result = self._start(slots, given, options)
        # Notifies a curriculum that counts the levels played.
        choose = getattr(self._curriculum, "choose", None)
        if choose is not None:
            for level in given:
                choose(level)
        return result

    def _start(self, slots: list[int], levels: list[int], options: dict[str, Any]
               ) -> tuple[Any, dict[str, Any]]:
        """Starts a level in each of these slots.  Returns the observations of all, and infos."""
        raise NotImplementedError

    def _check_options(self, options: dict[str, Any]) -> None:
        if options:
            raise ValueError(f"unknown option '{next(iter(options))}'; reset takes levels and reset_mask")

    def _slots_to_reset(self, mask: Any) -> list[int]:
        if mask is None:
            return list(range(self.num_envs))
        mask = as_array("reset_mask", mask)
        if mask.dtype != np.bool_:
            raise TypeError(f"reset_mask must be bools, not {mask.dtype}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask must have the shape [{self.num_envs}], not {list(mask.shape)}")
        if not mask.any():
            raise ValueError("reset_mask must have at least one True")
        return np.flatnonzero(mask).tolist()

    def _drawn(self, slots: list[int]) -> list[int]:
        # A subclass may override next().
        is_ours = getattr(type(self._chooser), "next", None) is Curriculum.next
        first = not self._has_begun and is_ours
        self._has_begun = True
        if first:
            return list(self._chooser.first(len(slots)).tolist())
        return [level_from(self._chooser.next()) for _ in slots]

    def _checked_levels(self, levels: ArrayLike, slots: list[int]) -> list[int]:
        given = as_array("levels", levels)
        if given.shape != (self.num_envs,):
            raise ValueError(f"levels must have the shape [{self.num_envs}], not {list(given.shape)}")
        if given.dtype.kind not in "iu":
            raise TypeError(f"levels must be whole numbers, not {given.dtype}")
        if (given < 0).any():
            raise ValueError("levels must not be negative")
        chosen = [int(level) for level in given[slots]]
        if isinstance(self._curriculum, (LevelReplay, Uniform, Tscl)):
            for level in chosen:
                if level not in self._curriculum.levels:
                    raise IndexError(f"level {level} is not in the set of levels")
        return chosen
