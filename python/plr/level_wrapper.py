"""A Gymnasium environment that plays chosen levels.

    env = plr.LevelWrapper(make_env(), plr.LevelReplay(200))
    observation, info = env.reset()      # the curriculum chooses the level
    info["level"]

Several wrappers in one process may share a curriculum, for example in Gymnasium's SyncVectorEnv.  A
curriculum does not work in worker processes, each of which would have a copy: plr.LevelVectorEnv keeps
it in the parent process.
"""

from __future__ import annotations

from typing import Any

import gymnasium
from gymnasium import Env

from plr._core import LevelSet, Uniform
from plr.level_vector import Chooser, Levels, check_chooser, level_from


class LevelWrapper(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Plays the levels of a curriculum in an environment whose reset(seed=level) starts a level.

    curriculum  chooses the level of every episode: LevelReplay, Uniform, Tscl, or any object with next()
    levels      the levels to play without a curriculum: a number n for 0..n-1, a range, ids, or a
                LevelSet; default: all seeds below 2^32
    """

    def __init__(self, env: Env[Any, Any], curriculum: Chooser | None = None, *, levels: Levels | None = None) -> None:
        super().__init__(env)
        if levels is not None and curriculum is not None:
            raise ValueError("give levels or curriculum, not both: a curriculum has its own levels")
        if curriculum is not None:
            check_chooser(curriculum)
        self._curriculum = curriculum
        self._chooser = curriculum
        self._levels = LevelSet.stream(0, 2**32) if levels is None else Uniform(levels).levels
        self._level: int | None = None

    @property
    def curriculum(self) -> Chooser | None:
        """The curriculum that was passed to the constructor."""
        return self._curriculum

    @property
    def level(self) -> int | None:
        """The level of the current episode; None before the first one."""
        return self._level

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode.

        options["level"]: the level to start; drawn by default.  Other options are the environment's.
        Without a curriculum, levels are drawn as by plr.Uniform(levels, seed=seed), and a reset without
        a seed continues these draws.  A curriculum has its own seed.
        """
        options = dict(options or {})
        given = options.pop("level", None)
        if self._curriculum is None and (seed is not None or self._chooser is None):
            if seed is None:
                seed = int(self.env.unwrapped.np_random.integers(2**63))
            self._chooser = Uniform(self._levels, seed=seed)
        assert self._chooser is not None
        level = level_from(self._chooser.next() if given is None else given)
        # Notifies a curriculum that counts the levels played.
        choose = getattr(self._curriculum, "choose", None)
        if given is not None and choose is not None:
            choose(level)
        observation, info = self.env.reset(seed=level, options=options or None)
        self._level = level
        return observation, {**info, "level": level}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Takes an action; info["level"] is the level of the episode."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, {**info, "level": self._level}
