"""Prioritized Level Replay: level samplers, level scores, vector environments, trained agents.

    import plr

    replay = plr.LevelReplay(200, staleness_coef=0.3)    # the sampler, for any environment
    level = replay.next()
    replay.record(level, score=0.3)

    envs = plr.LevelVectorEnv(make_env, 8, curriculum=replay)                    # your environment
    envs = plr.make_vec("minigrid/MultiRoom-N4-Random", 64, curriculum=replay)   # one of plr's
    plr.load_plugin("build/libcaves.so")                                         # or of your own library
    scorer = plr.EpisodeScorer(num_envs=64, rollout_length=256)                  # rollouts -> scores

    run = plr.train(preset="small", seed=1)              # runs the program; needs torch
    run = plr.load_run("runs/NAME")                      # logs as arrays
    policy = plr.torch.load_policy("runs/NAME")          # the trained agent as a PyTorch module

The parts that import numpy, gymnasium or torch are loaded when they are first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from plr._core import (Curriculum, EpisodeScorer, LevelBuffer, LevelReplay, LevelSet, LevelStore,
                       RolloutCurriculum, RolloutReplay, RolloutResults, Sfl, Tscl, Uniform,
                       environments, score_rollout, version)

from plr.gymnasium_ids import register_with_gymnasium
from plr.sampler_processes import guard_samplers

if TYPE_CHECKING:
    from plr import sb3, torch
    from plr.level_env import LevelEnv
    from plr.level_vector_env import LevelVectorEnv
    from plr.level_wrapper import LevelWrapper
    from plr.mirror import log_to
    from plr.plugins import load_plugin
    from plr.runs import Run, Table, load_run
    from plr.training import TrainingError, train
    from plr.vector_env import NativeVectorEnv, make_vec

__version__ = version()

#: Where the names are that are loaded when they are first used; None: a module.
_LOADED_LATER = {
    "LevelEnv": "level_env",
    "LevelVectorEnv": "level_vector_env",
    "LevelWrapper": "level_wrapper",
    "NativeVectorEnv": "vector_env",
    "Run": "runs",
    "Table": "runs",
    "TrainingError": "training",
    "load_plugin": "plugins",
    "load_run": "runs",
    "log_to": "mirror",
    "make_vec": "vector_env",
    "sb3": None,
    "torch": None,
    "train": "training",
}

__all__ = [
    "Curriculum",
    "EpisodeScorer",
    "LevelBuffer",
    "LevelEnv",
    "LevelReplay",
    "LevelSet",
    "LevelStore",
    "LevelVectorEnv",
    "LevelWrapper",
    "NativeVectorEnv",
    "RolloutCurriculum",
    "RolloutReplay",
    "RolloutResults",
    "Run",
    "Sfl",
    "Table",
    "TrainingError",
    "Tscl",
    "Uniform",
    "__version__",
    "environments",
    "load_plugin",
    "load_run",
    "log_to",
    "make_vec",
    "score_rollout",
    "train",
]


def __getattr__(name: str) -> Any:
    if name not in _LOADED_LATER:
        raise AttributeError(f"module 'plr' has no attribute '{name}'")
    module = _LOADED_LATER[name]
    value = getattr(importlib.import_module("plr." + module), name) if module else importlib.import_module("plr." + name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


guard_samplers()
register_with_gymnasium()
