"""The Gymnasium ids of plr's own environments.

    env = gymnasium.make("plr/minigrid-MiniGrid-DoorKey-5x5-v0")
    envs = gymnasium.make_vec("plr/maze-random-25", 64)

The id of an environment is "plr/" and its name with "-" for "/".  import plr registers all of them, without
importing gymnasium: if it is imported later, then at that moment. Those of a plug-in are registered
when it is loaded.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from plr._core import environments


def gymnasium_id(name: str) -> str:
    """The Gymnasium id of an environment of plr."""
    return "plr/" + name.replace("/", "-")


def register_with_gymnasium() -> None:
    """Registers all environments that are not registered yet, now or when gymnasium is imported."""
    if "gymnasium" in sys.modules:
        _register()
    elif not any(isinstance(finder, _AfterGymnasium) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterGymnasium())


def _register() -> None:
    import gymnasium

    for env in environments():
        name = env["name"]
        if gymnasium_id(name) in gymnasium.registry:
            continue
        gymnasium.register(gymnasium_id(name), entry_point="plr.level_env:LevelEnv",
                           vector_entry_point="plr.vector_env:NativeVectorEnv", kwargs={"name": name},
                           disable_env_checker=True)


class _AfterGymnasium(MetaPathFinder):
    """Registers the environments when the module gymnasium has been executed."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
                  ) -> ModuleSpec | None:
        if fullname != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Registering(spec.loader)
        return spec


class _Registering(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            module.__loader__ = spec.loader = self._loader  # as without this one
        self._loader.exec_module(module)
        _register()
