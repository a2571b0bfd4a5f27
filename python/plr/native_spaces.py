"""The spaces of plr's own environments as those of Gymnasium."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiDiscrete, Space

from plr._core import Environment


def observation_space(env: Environment) -> Box:
    """Bytes from 0 to 255, or floats without bounds; the shape [n] of vectors, [H, W, C] of images."""
    observations = env.arrays()["observations"]
    if observations.dtype == np.uint8:
        return Box(0, 255, observations.shape[1:], np.uint8)
    return Box(-np.inf, np.inf, observations.shape[1:], np.float32)


def action_space(env: Environment) -> Space[Any]:
    """Discrete, MultiDiscrete, or a Box of floats."""
    parts = env.action_space
    if parts["kind"] == "discrete":
        return Discrete(parts["counts"][0])
    if parts["kind"] == "multi-discrete":
        return MultiDiscrete(parts["counts"])
    return Box(np.array(parts["low"], np.float32), np.array(parts["high"], np.float32), dtype=np.float32)
