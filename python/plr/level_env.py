"""plr's own environments as Gymnasium environments.

    env = gymnasium.make("plr/minigrid-MiniGrid-DoorKey-5x5-v0", render_mode="rgb_array")
    observation, info = env.reset(seed=17)     # starts level 17
"""

from __future__ import annotations

from typing import Any, Unpack

import gymnasium
import numpy as np
from numpy.typing import NDArray

from plr._core import Environment, LevelSet, LevelStore, Uniform
from plr.level_vector import Levels, level_from
from plr.native_spaces import action_space, observation_space
from plr.settings_types import NativeOptions
from plr.vector_env import find_files


class LevelEnv(gymnasium.Env[NDArray[Any], Any]):
    """One environment of plr; plr.make_vec describes the arguments.

    reset(seed=level) starts this level.  reset() draws one of `levels`, by default of the full
    distribution.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, name: str, *, levels: Levels | None = None, store: LevelStore | None = None,
                 render_mode: str | None = None, **options: Unpack[NativeOptions]) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode must be None or rgb_array, not {render_mode}")
        find_files(name)
        options.setdefault("num_workers", 1)
        self._env = Environment(name, 1, store=store, **options)
        self._levels = self._env.full_distribution if levels is None else Uniform(levels).levels
        self._arrays = self._env.arrays()
        self.render_mode = render_mode
        self.observation_space = observation_space(self._env)
        self.action_space = action_space(self._env)

    @property
    def full_distribution(self) -> LevelSet:
        """The set of all levels of this environment."""
        return self._env.full_distribution

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None
              ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts the level `seed`, or one that is drawn."""
        if options:
            raise ValueError(f"unknown option '{next(iter(options))}'; reset takes the level as seed")
        if seed is None:
            level = self._levels[int(self.np_random.integers(len(self._levels), dtype=np.uint64))]
        else:
            level = level_from(seed)
        self._env.start([0], np.array([level], np.uint64))
        super().reset(seed=seed)
        return self._observation(), {"level": level}

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Takes an action; info["solved"] says whether an ended episode solved its level."""
        ended = self._env.step(np.asarray(action).reshape(1, *(self.action_space.shape or ())), None)
        arrays = self._arrays
        info: dict[str, Any] = {"level": int(arrays["levels"][0])}
        if ended:
            info["solved"] = bool(arrays["solved"][0])
        return (self._observation(), float(arrays["rewards"][0]), bool(arrays["terminated"][0]),
                bool(arrays["truncated"][0]), info)

    def render(self) -> NDArray[np.uint8] | None:
        """An image; requires render_mode="rgb_array"."""
        return None if self.render_mode is None else self._env.frame(0)

    def _observation(self) -> NDArray[Any]:
        copy: NDArray[Any] = self._arrays["observations"][0].copy()
        return copy
