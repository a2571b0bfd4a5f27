"""A Gymnasium vector environment that plays chosen levels.

    envs = plr.make_vec("minigrid/MultiRoom-N4-Random", 64, levels=200)
    observations, info = envs.reset(seed=1)
    observations, rewards, terminated, truncated, info = envs.step(actions)
    info["level"]     # [N]: the level that each observation shows

When an episode ends, the next one starts within the same step (AutoresetMode.SAME_STEP), on the level
that the curriculum chooses.  reset and step return views of the environment's memory, which the next
step or reset overwrites: copy what you keep, or pass copy=True.  One thread at a time may use an
environment; a second one gets a RuntimeError.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from plr._core import (Curriculum, Environment, LevelReplay, LevelSet, LevelStore, Tscl, Uniform,
                       files_variable)
from plr.trainer import cache_folder

Levels = int | range | LevelSet | Sequence[int] | NDArray[Any]
StepResult = tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_],
                   dict[str, Any]]


class Chooser(Protocol):
    """Any object whose next() returns a level: the curricula of plr, or your own."""

    def next(self) -> int: ...


class LevelVectorEnv(VectorEnv[NDArray[np.uint8], NDArray[Any], NDArray[Any]]):
    """N slots that play levels one after another; make_vec describes the arguments."""

    def __init__(self, name: str, num_envs: int = 64, *, levels: Levels | None = None,
                 curriculum: Chooser | str | None = None, store: LevelStore | None = None,
                 autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP, copy: bool = False,
                 render_mode: str | None = None, **options: bool | float | str) -> None:
        repeats = isinstance(curriculum, str)
        if repeats and curriculum != "repeat":
            raise ValueError(f"curriculum must be 'repeat' or have a method next(), not {curriculum!r}")
        if levels is not None and curriculum is not None and not repeats:
            raise ValueError("give levels or curriculum, not both: a curriculum has its own levels")
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        if mode not in ("SameStep", "Disabled"):
            raise ValueError(f"autoreset_mode must be SameStep or Disabled, not {mode}")
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode must be None or rgb_array, not {render_mode}")
        if curriculum is not None and not repeats and not callable(getattr(curriculum, "next", None)):
            kind = type(curriculum).__name__
            raise TypeError(f"curriculum must have a method next(); {kind} has none")
        _find_files(name)
        self._env = Environment(name, num_envs, store=store, **options)
        self._levels = self._env.full_distribution if levels is None else Uniform(levels).levels
        self._repeats = repeats
        self._curriculum = None if isinstance(curriculum, str) else curriculum
        self._chooser: Any = self._curriculum
        self._has_begun = False
        self._copy = copy
        self.render_mode = render_mode
        self._autoreset = mode == "SameStep"
        self.metadata = {"autoreset_mode": AutoresetMode(mode), "render_modes": ["rgb_array"],
                         "render_fps": 10}

        arrays = self._env.arrays()
        self._observations = arrays["observations"]
        self._rewards = arrays["rewards"]
        self._terminated = arrays["terminated"]
        self._truncated = arrays["truncated"]
        self._level = arrays["levels"]
        self._level.flags.writeable = False  # the environment uses it
        self._final = arrays
        self._everywhere = np.ones(len(self._level), dtype=np.bool_)
        self._everywhere.flags.writeable = False

        self.num_envs = len(self._level)
        self.single_observation_space = Box(0, 255, self._observations.shape[1:], np.uint8)
        self.single_action_space = Discrete(self._env.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None
              ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Starts a new episode in every slot.

        options["levels"]: the levels to start, one per slot; drawn by default.
        options["reset_mask"]: bools, one per slot; slots where it is False continue their episode.

        Without a curriculum, levels are drawn as by plr.Uniform(levels, seed=seed), now and at the end
        of every episode; a reset without a seed continues these draws.  A curriculum has its own seed.
        """
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise TypeError("seed must be an integer; "
                            "options={'levels': [...]} chooses a level per slot")
        options = dict(options or {})
        levels = options.pop("levels", None)
        slots = self._slots_to_reset(options.pop("reset_mask", None))
        if options:
            raise ValueError(f"unknown option '{next(iter(options))}'; reset takes levels and reset_mask")
        super().reset(seed=None if seed is None else int(seed))
        if self._curriculum is None and (seed is not None or self._chooser is None):
            self._chooser = Uniform(self._levels, seed=(self.np_random_seed or 0) % 2**64)
        if levels is None:
            self._env.start(slots, self._drawn(slots))
        else:
            self._begin_with(slots, levels)
        return (self._observations.copy() if self._copy else self._observations), self._info()

    def step(self, actions: ArrayLike) -> StepResult:
        """Takes one action in every slot.

        Where it ended an episode, the observation is the first of the next episode, info["level"] its
        level, info["final_obs"][slot] the last observation, and info["final_info"] has the level,
        whether it was solved, and the return "r" and length "l" of the episode.  If the autoreset
        mode is Disabled, the slot waits for reset(options={"reset_mask": ended}), and the
        observation is the last one of the episode.
        """
        chooser = "repeat" if self._repeats else self._chooser
        num_ended = self._env.step(np.asarray(actions), chooser if self._autoreset else None)
        info = self._info()
        if num_ended:
            self._add_ends(info)
        if self._copy:
            return (self._observations.copy(), self._rewards.copy(), self._terminated.copy(),
                    self._truncated.copy(), info)
        return self._observations, self._rewards, self._terminated, self._truncated, info

    def render(self) -> tuple[NDArray[np.uint8], ...]:
        """Returns an image of every slot; requires render_mode="rgb_array"."""
        if self.render_mode is None:
            raise ValueError("render needs make_vec(..., render_mode='rgb_array')")
        return tuple(self._env.frame(slot) for slot in range(self.num_envs))

    def missions(self) -> tuple[str, ...]:
        """The task of every slot as text; empty if the environment has none."""
        return tuple(self._env.mission(slot) for slot in range(self.num_envs))

    def difficulty(self, level: int) -> int | None:
        """Difficulty of a level from 0, the easiest; None if the environment defines none."""
        return self._env.difficulty(level)

    @property
    def curriculum(self) -> Chooser | None:
        """The curriculum that was passed to make_vec."""
        return self._curriculum

    @property
    def full_distribution(self) -> LevelSet:
        """The set of all levels of this environment."""
        return self._env.full_distribution

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._env.name}, num_envs={self.num_envs})"

    def _slots_to_reset(self, mask: Any) -> list[int]:
        if mask is None:
            return list(range(self.num_envs))
        mask = np.asarray(mask)
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
            return list(self._chooser.first(len(slots)))
        return [self._chooser.next() for _ in slots]

    def _begin_with(self, slots: list[int], levels: ArrayLike) -> None:
        given = np.asarray(levels)
        if given.shape != (self.num_envs,):
            raise ValueError(f"levels must have the shape [{self.num_envs}], not {list(given.shape)}")
        if isinstance(self._curriculum, (LevelReplay, Uniform, Tscl)):
            for level in given[slots].tolist():
                if level not in self._curriculum.levels:
                    raise IndexError(f"level {level} is not in the set of levels")
        self._env.start(slots, given[slots])
        # Notifies a curriculum that counts the levels played.
        choose = getattr(self._curriculum, "choose", None)
        if choose is not None:
            for slot in slots:
                choose(int(given[slot]))

    def _info(self) -> dict[str, Any]:
        if self._copy:
            return {"level": self._level.copy(), "_level": self._everywhere.copy()}
        return {"level": self._level, "_level": self._everywhere}

    def _add_ends(self, info: dict[str, Any]) -> None:
        """Adds final_info and final_obs, each with its mask, as Gymnasium's vector environments do."""
        ended = self._terminated | self._truncated
        final = self._final
        if self._copy:
            final = {key: array.copy() for key, array in final.items()}
        info["final_info"] = {
            "level": final["final_levels"], "_level": ended,
            "solved": final["solved"], "_solved": ended,
            "episode": {"r": final["final_returns"], "_r": ended,
                        "l": final["final_lengths"], "_l": ended},
            "_episode": ended,
        }
        info["_final_info"] = ended
        if not self._autoreset:
            return
        observations = np.full(self.num_envs, None, dtype=object)
        for slot in np.flatnonzero(ended):
            observations[slot] = final["final_observations"][slot]
        info["final_obs"] = observations
        info["_final_obs"] = ended


def make_vec(name: str, num_envs: int = 64, *, levels: Levels | None = None,
             curriculum: Chooser | str | None = None, store: LevelStore | None = None,
             autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP, copy: bool = False,
             render_mode: str | None = None, **options: bool | float | str) -> LevelVectorEnv:
    """Creates the environment of this name (plr.environments() lists them) with `num_envs` slots.

    levels          the levels to play without a curriculum: a number n for 0..n-1, a range, ids, or
                    a LevelSet; default: the full distribution
    curriculum      chooses every next level: LevelReplay, Uniform, Tscl, or any object with next();
                    "repeat": a slot starts its level again, until reset() gives it another one
    store           holds the levels with ids from 2^63 on, such as edited mazes
    autoreset_mode  SameStep: the next episode starts in the step that ended one; Disabled: it starts
                    with reset(options={"reset_mask": ended}), after scores were recorded
    copy            return copies instead of views that the next step overwrites
    render_mode     None, or "rgb_array" for images from render()
    options         observation="full" or "view" of MiniGrid and the maze;
                    seeding="default", "legacy" or "pcg64" of MiniGrid;
                    view_size, see_agent, penalize_time, max_steps, step_limit of the maze;
                    num_workers of Procgen, 0 for one thread per core
    """
    return LevelVectorEnv(name, num_envs, levels=levels, curriculum=curriculum, store=store,
                          autoreset_mode=autoreset_mode, copy=copy, render_mode=render_mode, **options)


def _find_files(name: str) -> None:
    """Sets the environment variable of the folder with the files of a family, e.g. PLR_PROCGEN.

    Looks where ./plr installs them, where `plr setup` installs them, then for a Python package of the
    family's name; does not set the variable if none is found.
    """
    family = name.partition("/")[0]
    variable = files_variable(name)
    if not variable or os.environ.get(variable):
        return
    here = pathlib.Path.cwd()
    for folder in (here, *here.parents):
        files = folder / ".plr" / family
        # Not from a folder of another user. The library itself is checked by its SHA-256 when it is loaded.
        if (folder / "plr").is_file() and files.is_dir() and files.stat().st_uid in (0, os.getuid()):
            os.environ[variable] = str(files)
            return
    if (cache_folder() / family).is_dir():
        os.environ[variable] = str(cache_folder() / family)
        return
    package = importlib.util.find_spec(family)
    if package is not None and package.submodule_search_locations:
        os.environ[variable] = package.submodule_search_locations[0]
