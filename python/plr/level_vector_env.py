"""Any Gymnasium environment as a vector environment that plays chosen levels.

    replay = plr.LevelReplay(200)
    envs = plr.LevelVectorEnv(make_env, 16, curriculum=replay, processes=4)
    observations, info = envs.reset()
    observations, rewards, terminated, truncated, info = envs.step(actions)
    info["level"]     # [N]: the level that each observation shows

make_env() creates an environment whose reset(seed=level) starts this level.  The curriculum stays in
this process, also if the environments are in worker processes; results do not depend on their number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, iterate

from plr._core import LevelSet, environments
from plr.env_slots import Buffers, EnvSlots, MakeEnv, check_context, maker_of
from plr.env_workers import EnvWorkers
from plr.level_vector import Chooser, Levels, LevelVectorBase, StepResult, autoreset_from, level_from, whole


class LevelVectorEnv(LevelVectorBase):
    """N environments that play levels one after another, with the interface of plr.make_vec.

    make_env        creates one environment: a function without arguments, or a Gymnasium id
    num_envs        number of environments
    levels          the levels to play without a curriculum: a number n for 0..n-1, a range, ids, or
                    a LevelSet; default: all seeds below 2^32
    curriculum      chooses every next level: LevelReplay, Uniform, Tscl, or any object with next();
                    "repeat": an environment starts its level again, until reset() gives it another one
    processes       number of worker processes; 0: the environments run in this process
    autoreset_mode  SameStep: the next episode starts in the step that ended one; NextStep: in the
                    step after it; Disabled: with reset(options={"reset_mask": ended})
    copy            return copies; otherwise arrays that the next step overwrites
    context         how processes start: fork, spawn or forkserver, as in multiprocessing; only fork
                    needs no `if __name__ == "__main__"` in scripts
    """

    def __init__(self, make_env: MakeEnv | str, num_envs: int, *, levels: Levels | None = None,
                 curriculum: Chooser | str | None = None, processes: int = 0,
                 autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP, copy: bool = True,
                 context: str = "fork") -> None:
        self.closed = True  # until there is something to close
        if isinstance(make_env, str) and any(env["name"] == make_env for env in environments()):
            raise ValueError(f"'{make_env}' is an environment of plr; create it with plr.make_vec")
        self.num_envs = whole("num_envs", num_envs, 1, 2**16)
        check_context(context)
        num_workers = whole("processes", processes, 0, self.num_envs)
        self._take_choice(levels, curriculum)
        self.autoreset_mode = autoreset_from(autoreset_mode)
        self._copy = copy
        make = maker_of(make_env)
        first = make()
        if not isinstance(first, Env):
            raise TypeError(f"make_env must return a gymnasium.Env, not {type(first).__name__}")
        self._name = first.spec.id if first.spec is not None else type(first.unwrapped).__name__
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        first.close()

        expected = (self.single_observation_space, self.single_action_space)
        self._slots: EnvSlots | EnvWorkers
        if num_workers == 0:
            self._buffers = Buffers(self.single_observation_space, self.num_envs)
            self._slots = EnvSlots(make, self._buffers, range(self.num_envs), expected)
        else:
            self._slots = EnvWorkers(make, expected, self.num_envs, num_workers, context)
            self._buffers = self._slots.buffers
        self.closed = False
        self._level = np.zeros(self.num_envs, np.uint64)
        self._running = np.zeros(self.num_envs, np.bool_)
        self._has_started = False
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._everywhere = np.ones(self.num_envs, np.bool_)

    def step(self, actions: Any) -> StepResult:
        """Takes one action in every environment.

        Where it ended an episode, info["final_info"] has the environment's last info, the level, and
        the return "r" and length "l" of the episode; make_vec describes the autoreset modes.
        """
        if not self._has_started:
            raise RuntimeError("call reset() before step()")
        items = self._items(actions)
        starts = self._starts_of_this_step()
        infos = self._slots.step(items, starts)
        buffers = self._buffers
        if starts:
            self._note_starts(starts)
        self._returns += buffers.rewards
        self._lengths += 1
        if starts:
            self._lengths[list(starts)] = 0
        ended = buffers.terminated | buffers.truncated
        finals: dict[str, Any] = {}
        if ended.any():
            finals = self._finish(ended, infos)
        info: dict[str, Any] = {}
        for slot, one in infos.items():
            info = self._add_info(info, one, slot)
        info |= self._level_info()
        info |= finals
        if self._copy:
            return (buffers.observations(True), buffers.rewards.copy(), buffers.terminated.copy(),
                    buffers.truncated.copy(), info)
        return buffers.observations(False), buffers.rewards, buffers.terminated, buffers.truncated, info

    def render(self) -> tuple[Any, ...]:
        """An image of every environment."""
        return self.call("render")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of every environment, or returns an attribute."""
        return tuple(self._slots.call(name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The attribute of this name of every environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of every environment: to one value, or to a list with one for each."""
        if not isinstance(values, (list, tuple)):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(f"values must have {self.num_envs} entries, one per environment, not {len(values)}")
        self._slots.set_attr(name, values)

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the environments and ends the worker processes."""
        self._slots.close()

    @property
    def full_distribution(self) -> LevelSet:
        """The levels that are played if neither levels nor curriculum are given."""
        return LevelSet.stream(0, 2**32)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name}, num_envs={self.num_envs})"

    def _check_options(self, options: dict[str, Any]) -> None:
        pass  # they are the environment's

    def _start(self, slots: list[int], levels: list[int], options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        if not self._has_started and len(slots) < self.num_envs:
            raise RuntimeError("call reset() without reset_mask first")
        starts = dict(zip(slots, levels, strict=True))
        infos = self._slots.start(starts, options or None)
        self._note_starts(starts)
        self._has_started = True
        info: dict[str, Any] = {}
        for slot, one in infos.items():
            info = self._add_info(info, one, slot)
        return self._buffers.observations(self._copy), info | self._level_info()

    def _items(self, actions: Any) -> Any:
        """The actions as a sequence."""
        if not isinstance(actions, np.ndarray):
            actions = tuple(iterate(self.action_space, actions))
        if len(actions) != self.num_envs:
            raise ValueError(f"actions must have {self.num_envs} entries, one per environment, not {len(actions)}")
        return actions

    def _starts_of_this_step(self) -> dict[int, int]:
        """The levels that start instead of an action."""
        if self._running.all():
            return {}
        waiting = np.flatnonzero(~self._running).tolist()
        if self.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(f"slot {waiting[0]} has ended its episode; start a level there before it steps")
        return self._next_levels(waiting)

    def _next_levels(self, slots: list[int]) -> dict[int, int]:
        if self._repeats:
            return {slot: int(self._level[slot]) for slot in slots}
        return {slot: level_from(self._chooser.next()) for slot in slots}

    def _note_starts(self, starts: dict[int, int]) -> None:
        for slot, level in starts.items():
            self._level[slot] = level
            self._running[slot] = True
            self._returns[slot] = 0
            self._lengths[slot] = 0

    def _finish(self, ended: Any, infos: dict[int, dict[str, Any]]) -> dict[str, Any]:
        """Ends episodes and, in the mode SameStep, starts the next; returns final_info and final_obs."""
        slots = np.flatnonzero(ended).tolist()
        final: dict[str, Any] = {}
        for slot in slots:
            final = self._add_info(final, infos.get(slot, {}), slot)
        final |= {"level": self._level.copy(), "_level": ended}
        if "episode" not in final:
            final |= {"episode": {"r": self._returns.copy(), "_r": ended,
                                  "l": self._lengths.copy(), "_l": ended}, "_episode": ended}
        finals: dict[str, Any] = {"final_info": final, "_final_info": ended}
        self._running[slots] = False
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            return finals
        observations = np.full(self.num_envs, None, dtype=object)
        for slot in slots:
            observations[slot] = self._buffers.observation(slot)
            infos.pop(slot, None)
        finals |= {"final_obs": observations, "_final_obs": ended}
        starts = self._next_levels(slots)
        infos |= self._slots.start(starts, None)
        self._note_starts(starts)
        return finals

    def _level_info(self) -> dict[str, Any]:
        return {"level": self._level.copy(), "_level": self._everywhere.copy()}
