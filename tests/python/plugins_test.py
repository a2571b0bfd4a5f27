"""plr.load_plugin: environments of a shared library, here of examples/plugin."""

import os
import subprocess
import sys

import gymnasium
import numpy as np
import plr
import pytest
from gymnasium.utils.env_checker import check_env

CAVES = os.environ["PLR_CAVES"]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Where plug-ins that were named are remembered."""
    monkeypatch.setenv("PLR_CACHE", str(tmp_path))


def test_its_environments_are_made_by_name():
    assert plr.load_plugin(CAVES) == ["caves/gold", "caves/bats", "caves/classic"]
    assert plr.load_plugin(CAVES) == ["caves/gold", "caves/bats", "caves/classic"]  # it is loaded once
    assert "caves/bats" in [env["name"] for env in plr.environments()]
    envs = plr.make_vec("caves/gold", 4, levels=[7])
    observations, _ = envs.reset(seed=1)
    assert observations.shape == (4, 11, 11, 3) and (observations[0] == observations[3]).all()
    envs.step(np.zeros(4, np.int64))


def test_its_environments_have_gymnasium_ids():
    plr.load_plugin(CAVES)
    check_env(gymnasium.make("plr/caves-bats", render_mode="rgb_array").unwrapped, skip_render_check=True)


def test_ids_are_registered_when_gymnasium_is_imported_later():
    script = f"import plr; plr.load_plugin('{CAVES}'); import gymnasium; gymnasium.make('plr/caves-gold'); print('made')"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "made\n", done.stderr


def test_wrong_files_are_refused(tmp_path):
    text = tmp_path / "text.so"
    text.write_text("x" * 100)
    with pytest.raises(ValueError, match="cannot be loaded: invalid ELF header"):
        plr.load_plugin(text)
    with pytest.raises(ValueError, match="does not exist"):
        plr.load_plugin(tmp_path / "none.so")
    with pytest.raises(TypeError):
        plr.load_plugin(5)
