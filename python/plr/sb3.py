"""Prioritized Level Replay with Stable-Baselines3.

    import plr, plr.sb3
    from stable_baselines3 import PPO

    replay = plr.LevelReplay(200)
    envs = plr.LevelVectorEnv(make_env, 8, curriculum=replay)     # or plr.make_vec(name, 64, curriculum=replay)
    model = PPO("MlpPolicy", plr.sb3.PlrVecEnv(envs))
    model.learn(100_000, callback=plr.sb3.PlrCallback())

PlrVecEnv adapts a vector environment of plr to Stable-Baselines3.  PlrCallback scores every rollout with
the rewards and values that the agent learns from, and records the scores in the curriculum.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from plr._core import Curriculum, EpisodeScorer, LevelReplay
from plr.level_vector import LevelVectorBase
from plr.level_vector_env import LevelVectorEnv
from plr.settings_types import ScoreSettings

try:
    import torch
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
    from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
except ImportError as error:
    raise ImportError(f"plr.sb3 needs stable-baselines3 (pip install stable-baselines3): {error}") from error


class PlrVecEnv(VecEnv):
    """A vector environment of plr as a VecEnv.

    info["level"] is the level of the step.  The info of a step that ended an episode has the entries of
    Monitor ("episode"), so that training logs the returns of episodes.
    """

    def __init__(self, envs: LevelVectorBase) -> None:
        if not isinstance(envs, LevelVectorBase):
            kind = type(envs).__name__
            raise TypeError(f"envs must be a plr.LevelVectorEnv or the result of plr.make_vec, not {kind}")
        if envs.metadata["autoreset_mode"] is not AutoresetMode.SAME_STEP:
            raise ValueError("envs must have autoreset_mode SameStep, as Stable-Baselines3 expects")
        self.envs = envs
        self.num_resets = 0
        self.played_levels = np.zeros(envs.num_envs, np.uint64)  # of the last step
        self.raw_rewards = np.zeros(envs.num_envs)  # of the last step, before wrappers change them
        self._actions: Any = None
        self._level = self.played_levels
        self._start_time = time.time()
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> Any:
        observations, info = self.envs.reset(seed=self._seeds[0], options=self._options[0] or None)
        self._reset_seeds()
        self._reset_options()
        self.num_resets += 1
        self._level = info["level"].copy()
        self.reset_infos = self._split(info)
        return _copied(observations)

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        observations, rewards, terminated, truncated, info = self.envs.step(self._actions)
        dones = terminated | truncated
        self.raw_rewards = rewards.copy()
        self.played_levels = self._level
        self._level = info["level"].copy()
        ends = {key: info.pop(key) for key in ("final_info", "final_obs") if key in info}
        infos = self._split(info)
        if ends:
            finals = self._split(ends["final_info"])
            for slot in np.flatnonzero(dones).tolist():
                self.reset_infos[slot] = infos[slot]
                infos[slot] = finals[slot]
                self._add_end(infos[slot], ends["final_obs"][slot], not terminated[slot])
        return _copied(observations), rewards.astype(np.float32), dones, infos

    def _add_end(self, info: dict[str, Any], observation: Any, is_truncated: bool) -> None:
        """Adds the entries by which Stable-Baselines3 knows how an episode ended."""
        episode = info["episode"]
        info["episode"] = {"r": round(float(episode["r"]), 6), "l": int(episode["l"]),
                           "t": round(time.time() - self._start_time, 6)}
        info["terminal_observation"] = observation
        info["TimeLimit.truncated"] = bool(is_truncated)
        if "solved" in info:
            info["is_success"] = info["solved"]

    def _split(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        """The info of each environment from those of a vector environment."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for key, values in info.items():
            if key.startswith("_"):
                continue
            parts = self._split(values) if isinstance(values, dict) else values
            present = info.get(f"_{key}")
            for slot, one in enumerate(infos):
                if present is None or present[slot]:
                    one[key] = parts[slot]
        return infos

    def close(self) -> None:
        self.envs.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        images: Any = self.envs.render()
        return list(images)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if isinstance(self.envs, LevelVectorEnv):
            values = self.envs.get_attr(attr_name)
        else:
            values = (getattr(self.envs, attr_name),) * self.num_envs
        return [values[slot] for slot in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        self._own("set_attr", indices).set_attr(attr_name, [value] * self.num_envs)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        return list(self._own("env_method", indices).call(method_name, *method_args, **method_kwargs))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        # The infos have the entries of Monitor.
        return [issubclass(Monitor, wrapper_class) for _ in self._get_indices(indices)]

    def _own(self, function: str, indices: Any) -> LevelVectorEnv:
        if not isinstance(self.envs, LevelVectorEnv):
            raise AttributeError(f"{function} needs a plr.LevelVectorEnv: the slots of plr's own environments have "
                                 "no objects in Python")
        if sorted(self._get_indices(indices)) != list(range(self.num_envs)):
            raise ValueError(f"{function} applies to all environments: indices must be None")
        return self.envs


class PlrCallback(BaseCallback):
    """Scores every rollout and records the scores in the curriculum of the environment.

    For on-policy algorithms: PPO, A2C, and those of sb3-contrib.  `settings` are those of
    plr.EpisodeScorer; gamma and gae_lambda are those of the model by default.  Wrappers around PlrVecEnv,
    such as VecNormalize, are allowed: levels are scored with the rewards that the agent learns from, and
    returns are those of the environment.
    """

    def __init__(self, verbose: int = 0, **settings: Unpack[ScoreSettings]) -> None:
        super().__init__(verbose)
        self._settings = settings
        self._make_scorer(1, 1)  # checks the settings
        self._scorer: EpisodeScorer | None = None
        self._num_resets = 0

    def _make_scorer(self, num_envs: int, num_steps: int) -> EpisodeScorer:
        return EpisodeScorer(num_envs, num_steps, **self._settings)

    def _on_training_start(self) -> None:
        if not isinstance(self.model, OnPolicyAlgorithm):
            kind = type(self.model).__name__
            raise TypeError(f"PlrCallback needs an on-policy algorithm such as PPO: {kind} has no values of states")
        env: VecEnv = self.training_env
        while isinstance(env, VecEnvWrapper):
            env = env.venv
        if not isinstance(env, PlrVecEnv):
            raise TypeError(f"PlrCallback needs the environment plr.sb3.PlrVecEnv(envs), not {type(env).__name__}")
        if not isinstance(env.envs.curriculum, Curriculum):
            raise ValueError("the environment has no curriculum of plr that records scores; "
                             "pass curriculum=plr.LevelReplay(...) to it")
        self._env, self.curriculum = env, env.envs.curriculum
        model = self.model
        self._settings.setdefault("gamma", model.gamma)
        self._settings.setdefault("gae_lambda", model.gae_lambda)
        if self._scorer is None or env.num_resets != self._num_resets:
            self._scorer = self._make_scorer(env.num_envs, model.n_steps)
        self._num_resets = env.num_resets
        self._needs_logits = self._settings.get("score_function") in (
            "policy_entropy", "least_confidence", "min_margin")
        if self._needs_logits and not hasattr(model.action_space, "n"):
            raise TypeError(f"score_function {self._settings['score_function']} needs a discrete action space, "
                            f"not {type(model.action_space).__name__}")

    def _on_rollout_start(self) -> None:
        self._levels: list[NDArray[np.uint64]] = []
        self._raw_rewards: list[NDArray[np.float64]] = []
        self._dones: list[NDArray[np.bool_]] = []
        self._logits: list[NDArray[np.float32]] = []

    def _on_step(self) -> bool:
        self._levels.append(self._env.played_levels)
        self._raw_rewards.append(self._env.raw_rewards)
        self._dones.append(self.locals["dones"])
        if self._needs_logits:
            policy: Any = self.model.policy
            with torch.no_grad():
                distribution = policy.get_distribution(self.locals["obs_tensor"]).distribution
            self._logits.append(distribution.logits.cpu().numpy())
        return True

    def _on_rollout_end(self) -> None:
        assert isinstance(self.model, OnPolicyAlgorithm) and self._scorer is not None
        rollout = self.model.rollout_buffer
        results = self._scorer.score(
            np.array(self._levels), rollout.rewards, rollout.values, np.array(self._dones),
            self.locals["values"].detach().cpu().numpy().reshape(-1),
            logits=np.array(self._logits) if self._needs_logits else None, raw_rewards=np.array(self._raw_rewards))
        self.curriculum.record_batch(**results)
        if len(results["scores"]):
            self.logger.record("plr/mean_score", float(np.mean(results["scores"])))
        if isinstance(self.curriculum, LevelReplay):
            self.logger.record("plr/num_seen", self.curriculum.num_seen)
            self.logger.record("plr/replay_probability", self.curriculum.replay_probability)


def _copied(observations: Any) -> Any:
    """A copy of the arrays: a rollout buffer keeps the last observations during the next step."""
    if isinstance(observations, dict):
        return {key: _copied(part) for key, part in observations.items()}
    if isinstance(observations, tuple):
        return tuple(_copied(part) for part in observations)
    return observations.copy()
