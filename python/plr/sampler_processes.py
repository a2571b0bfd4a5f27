"""Refuses to send a live sampler to a worker process through multiprocessing.

The receiver would have a copy: its draws repeat those of the parent, and its results are lost.  A
sampler that a fork copies refuses by itself (python/src/process.h).  pickle, copy and state_dict() work
as always, and a worker may send its own sampler to its parent.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing.reduction import ForkingPickler
from typing import Any

from plr._core import Curriculum, LevelReplay, Tscl, Uniform, worker_refusal


def _reduce(sampler: Curriculum) -> Any:
    if multiprocessing.parent_process() is None:
        raise RuntimeError(worker_refusal(type(sampler).__name__))
    return sampler.__reduce_ex__(2)


def guard_samplers() -> None:
    """Makes the pickler of multiprocessing's pipes, queues and pools refuse samplers."""
    for kind in (LevelReplay, Uniform, Tscl):
        ForkingPickler.register(kind, _reduce)
