"""plr's own environments as a Gymnasium vector environment that plays chosen levels.

    envs = plr.make_vec("minigrid/MultiRoom-N4-Random", 64, levels=200)
    observations, info = envs.reset(seed=1)
    observations, rewards, terminated, truncated, info = envs.step(actions)
    info["level"]     # [N]: the level that each observation shows

When an episode ends, the next one starts within the same step (AutoresetMode.SAME_STEP) or in the next
one, on the level that the curriculum chooses.  reset and step return views of the environment's memory,
which the next step or reset overwrites: copy what you keep, or pass copy=True.  One thread at a time may
use an environment; a second one gets a RuntimeError.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
from typing import Any, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from plr._core import Environment, LevelSet, LevelStore, files_variable
from plr.level_vector import Chooser, Levels, LevelVectorBase, StepResult, as_array, autoreset_from
from plr.native_spaces import action_space, observation_space
from plr.settings_types import NativeOptions
from plr.trainer import cache_folder


class NativeVectorEnv(LevelVectorBase):
    """N slots that play levels one after another; make_vec describes the arguments."""

    def __init__(self, name: str, num_envs: int = 64, *, levels: Levels | None = None,
                 curriculum: Chooser | str | None = None, store: LevelStore | None = None,
                 autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP, copy: bool = False,
                 render_mode: str | None = None, **options: Unpack[NativeOptions]) -> None:
        mode = autoreset_from(autoreset_mode)
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode must be None or rgb_array, not {render_mode}")
        self._take_choice(levels, curriculum)
        find_files(name)
        self._env = Environment(name, num_envs, store=store, **options)
        self._copy = copy
        self.render_mode = render_mode
        self.autoreset_mode = mode
        self.metadata = {"autoreset_mode": mode, "render_modes": ["rgb_array"], "render_fps": 10}

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
        self.single_observation_space = observation_space(self._env)
        self.single_action_space = action_space(self._env)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def step(self, actions: ArrayLike) -> StepResult:
        """Takes one action in every slot.

        Where it ended an episode, info["final_info"] has the level, whether it was solved, and the
        return "r" and length "l" of the episode.

        SameStep: the observation is the first of the next episode, info["level"] its level, and
        info["final_obs"][slot] the last observation of the ended one.
        NextStep: the observation is the last one of the episode; the next step ignores the slot's
        action, has the reward 0 and returns the first observation of the next episode.
        Disabled: the observation is the last one, and the slot waits for
        reset(options={"reset_mask": ended}).
        """
        chooser = "repeat" if self._repeats else self._chooser
        num_ended = self._env.step(as_array("actions", actions),
                                   None if self.autoreset_mode is AutoresetMode.DISABLED else chooser,
                                   self.autoreset_mode is AutoresetMode.NEXT_STEP)
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
    def full_distribution(self) -> LevelSet:
        """The set of all levels of this environment."""
        return self._env.full_distribution

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._env.name}, num_envs={self.num_envs})"

    def _start(self, slots: list[int], levels: list[int], options: dict[str, Any]
               ) -> tuple[NDArray[Any], dict[str, Any]]:
        self._env.start(slots, np.asarray(levels, np.uint64))
        return (self._observations.copy() if self._copy else self._observations), self._info()

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
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            return
        observations = np.full(self.num_envs, None, dtype=object)
        for slot in np.flatnonzero(ended):
            observations[slot] = final["final_observations"][slot]
        info["final_obs"] = observations
        info["_final_obs"] = ended


def make_vec(name: str, num_envs: int = 64, *, levels: Levels | None = None,
             curriculum: Chooser | str | None = None, store: LevelStore | None = None,
             autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP, copy: bool = False,
             render_mode: str | None = None, **options: Unpack[NativeOptions]) -> NativeVectorEnv:
    """Creates the environment of this name (plr.environments() lists them) with `num_envs` slots.

    levels          the levels to play without a curriculum: a number n for 0..n-1, a range, ids, or
                    a LevelSet; default: the full distribution
    curriculum      chooses every next level: LevelReplay, Uniform, Tscl, or any object with next();
                    "repeat": a slot starts its level again, until reset() gives it another one
    store           holds the levels with ids from 2^63 on, such as edited mazes
    autoreset_mode  SameStep: the next episode starts in the step that ended one; NextStep: in the
                    step after it; Disabled: with reset(options={"reset_mask": ended}), after scores
                    were recorded
    copy            return copies instead of views that the next step overwrites
    render_mode     None, or "rgb_array" for images from render()
    options         observation="full" or "view" of MiniGrid and the maze;
                    seeding="default", "legacy" or "pcg64" of MiniGrid;
                    view_size, see_agent, penalize_time, max_steps, step_limit of the maze;
                    num_workers of Procgen, 0 for one thread per core
    """
    return NativeVectorEnv(name, num_envs, levels=levels, curriculum=curriculum, store=store,
                           autoreset_mode=autoreset_mode, copy=copy, render_mode=render_mode, **options)


def find_files(name: str) -> None:
    """Sets the environment variable of the folder with the files of a family, e.g. PLR_PROCGEN.

    Looks where ./plr installs them, where `plr setup` installs them, then for a Python package of the
    family's name; does not set the variable if none is found.
    """
    variable = files_variable(name)
    family = name.partition("/")[0]
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
