"""Plug-ins: shared libraries that bring environments.

    plr.load_plugin("build/libcaves.so")     # ["caves/gold", "caves/bats", "caves/classic"]
    envs = plr.make_vec("caves/gold", 64)

docs/adding_an_environment.md describes how to write one.
"""

from __future__ import annotations

import os

from plr import _core
from plr.gymnasium_ids import register_with_gymnasium


def load_plugin(path: str | os.PathLike[str]) -> list[str]:
    """Loads a plug-in and returns the names of its environments.

    plr.make_vec and Gymnasium know them from then on, in this process. A library is loaded once and stays loaded.
    Raises ValueError if the file is no plug-in for this version of plr.
    """
    family = _core.load_plugin(os.fsdecode(path))
    register_with_gymnasium()
    return [env["name"] for env in _core.environments() if env["name"].startswith(family + "/")]
