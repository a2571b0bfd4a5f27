"""Prioritized Level Replay: level samplers, level scores and vector environments.

    import plr

    replay = plr.LevelReplay(200, staleness_coef=0.3)    # the sampler, for any environment
    level = replay.next()
    replay.record(level, score=0.3)

    envs = plr.make_vec("minigrid/MultiRoom-N4-Random", 64, curriculum=replay)   # Gymnasium VectorEnv
    scorer = plr.EpisodeScorer(num_envs=64, rollout_length=256)                  # rollouts -> scores
    run = plr.load_run("runs/NAME")                                              # logs as arrays
"""

from plr._core import (Curriculum, EpisodeScorer, LevelBuffer, LevelReplay, LevelSet, LevelStore,
                       RolloutCurriculum, RolloutReplay, RolloutResults, Sfl, Tscl, Uniform,
                       environments, score_rollout)
from plr.runs import Run, Table, load_run
from plr.vector_env import LevelVectorEnv, make_vec

__version__ = "0.1.0"

__all__ = [
    "Curriculum",
    "EpisodeScorer",
    "LevelBuffer",
    "LevelReplay",
    "LevelSet",
    "LevelStore",
    "LevelVectorEnv",
    "RolloutCurriculum",
    "RolloutReplay",
    "RolloutResults",
    "Run",
    "Sfl",
    "Table",
    "Tscl",
    "Uniform",
    "environments",
    "load_run",
    "make_vec",
    "score_rollout",
]
