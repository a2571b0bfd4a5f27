"""The settings of functions that pass them on to the C++ part, for type checkers and editors.

plr._core has the types of its own settings, generated from C++; a test compares these with them.
"""

from __future__ import annotations

from typing import Literal, TypedDict


class NativeOptions(TypedDict, total=False):
    """Options of plr's own environments: those of plr._core.Environment."""

    num_workers: int
    observation: Literal["default", "full", "view"]
    seeding: Literal["default", "legacy", "pcg64"]
    view_size: int
    see_agent: bool
    penalize_time: bool
    max_steps: int
    step_limit: Literal["default", "area"]
    maze_edits: Literal["flips", "tiles", "tiles-without-agent"]


class ScoreSettings(TypedDict, total=False):
    """Settings of plr.EpisodeScorer."""

    score_function: Literal["value_l1", "gae", "one_step_td_error", "policy_entropy", "least_confidence",
                            "min_margin"]
    gamma: float
    gae_lambda: float
    score_update: Literal["episode", "rollout"]
    open_episodes: Literal["stitch", "commit"]
    update_order: Literal["time", "slot"]
    commit_zeros: bool
    tail_row: bool
    released_td_error: bool
    printed_signs: bool
