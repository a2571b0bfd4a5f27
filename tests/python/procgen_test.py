"""Procgen from Python, with any level."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import plr
import pytest

if not os.path.exists(os.environ.get("PLR_PROCGEN", "")):
    pytest.skip("Procgen is not installed here; ./plr setup procgen fetches it", allow_module_level=True)

NAME = "procgen/leaper"  # has short episodes


def played(num_workers, seed=1):
    envs = plr.make_vec(NAME, 6, levels=200, num_workers=num_workers, copy=True)
    random = np.random.default_rng(seed)
    moments = [envs.reset(seed=seed)[0]]
    for _ in range(200):
        observations, rewards, terminated, truncated, info = envs.step(random.integers(0, 15, 6))
        moments += [observations, rewards, terminated, truncated, info["level"]]
    return moments


def test_equal_levels_start_equally_in_any_slot():
    envs = plr.make_vec(NAME, 3)
    observations, _ = envs.reset(options={"levels": [7, 8, 7]})
    assert observations.shape == (3, 64, 64, 3) and observations.dtype == np.uint8
    assert (observations[0] == observations[2]).all() and (observations[0] != observations[1]).any()
    assert envs.single_action_space.n == 15


def test_results_do_not_depend_on_the_number_of_workers():
    assert all((a == b).all() for a, b in zip(played(1), played(2)))


def test_a_curriculum_chooses_the_levels():
    replay = plr.LevelReplay(range(100, 300))
    envs = plr.make_vec(NAME, 4, curriculum=replay)
    envs.reset()
    random = np.random.default_rng(1)
    ended = 0
    for _ in range(400):
        *_, info = envs.step(random.integers(0, 15, 4))
        assert all(100 <= level < 300 for level in info["level"])
        ended += info.get("_final_info", np.zeros(1)).sum()
    assert ended > 4 and replay.num_draws == 4 + ended


def test_invalid_levels_and_options_are_refused():
    envs = plr.make_vec(NAME, 2)
    with pytest.raises(IndexError, match="^level must be from 0 to 2147483646, not 2147483647$"):
        envs.reset(options={"levels": [0, 2**31 - 1]})
    with pytest.raises(ValueError, match="^observation: procgen/leaper offers full only, not view$"):
        plr.make_vec(NAME, 2, observation="view")
    with pytest.raises(ValueError, match="has the modes easy, hard"):
        plr.make_vec("procgen/leaper-memory", 2)


def run_without(cwd, script, **environment):
    """Runs Python without PLR_PROCGEN."""
    env = {name: value for name, value in os.environ.items() if name != "PLR_PROCGEN"}
    return subprocess.run([sys.executable, "-c", script], cwd=cwd, env={**env, **environment}, capture_output=True,
                          text=True, check=False)


def test_a_missing_procgen_is_reported_with_the_remedy(tmp_path):
    done = run_without(tmp_path, "import plr; plr.make_vec('procgen/leaper', 1)")
    assert ("RuntimeError: Procgen is not installed here; plr setup procgen fetches it, or PLR_PROCGEN names"
            in done.stderr)


def test_procgen_is_found_in_an_enclosing_checkout(tmp_path):
    (tmp_path / "plr").touch()
    (tmp_path / ".plr").mkdir()
    (tmp_path / ".plr" / "procgen").symlink_to(pathlib.Path(os.environ["PLR_PROCGEN"]).resolve())
    (tmp_path / "deep").mkdir()
    done = run_without(tmp_path / "deep",
                       "import plr; plr.make_vec('procgen/leaper', 1).reset(seed=1); print('played')")
    assert done.stdout == "played\n", done.stderr
