"""The types of the package match the module."""

import ast
import pathlib
import subprocess
import sys

import plr
import plr._core
import pytest

FOLDER = pathlib.Path(plr.__file__).parent


def test_stubs_and_py_typed_are_in_the_package():
    assert (FOLDER / "_core.pyi").is_file() and (FOLDER / "py.typed").is_file()


def test_the_stub_lists_the_names_of_the_module():
    tree = ast.parse((FOLDER / "_core.pyi").read_text())
    stubbed = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(stubbed) == {name for name in dir(plr._core) if not name.startswith("_")}
    for name, node in stubbed.items():
        if isinstance(node, ast.ClassDef):
            members = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            public = {member for member in vars(getattr(plr._core, name)) if not member.startswith("_")}
            assert {member for member in members if not member.startswith("_")} == public, name


USE = """
import numpy as np
import plr
from typing import assert_type

replay = plr.LevelReplay(200, seed=3, temperature=0.5, transform="rank")
assert_type(replay.next(), int)
assert_type(replay.scores(), dict[int, float])
replay.record(replay.next(), score=0.3)
scorer = plr.EpisodeScorer(num_envs=4, rollout_length=8)
replay.record_batch(**scorer.score([[0]], [[0.0]], [[0.0]], [[True]], [0.0]))
envs = plr.make_vec("minigrid/MiniGrid-Empty-5x5-v0", 4, curriculum=replay, observation="view")
observations, info = envs.reset(seed=1)
rewards = envs.step(np.zeros(4, np.int64))[1]
steps = plr.load_run("runs/x").log["steps"]
run = plr.train(preset="small", steps=1000, drac=True, progress=print)
assert_type(run, plr.Run)
"""
MISUSE = """
import plr

plr.LevelReplay(200).record("level", 1)
plr.make_vec(5)
plr.Uniform(5, sed=[1])
plr.train(progress="yes")
"""
# torch's own types take a minute to read.
CONFIG = """
[mypy]
[mypy-torch.*]
follow_imports = skip
[mypy-plr.torch]
disallow_subclassing_any = false
"""


def test_mypy_accepts_correct_use_and_reports_errors(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "misuse.py").write_text(MISUSE)
    (tmp_path / "mypy.ini").write_text(CONFIG)
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache",
               "--config-file", tmp_path / "mypy.ini"]
    files = [tmp_path / "use.py", tmp_path / "misuse.py", FOLDER]
    told = subprocess.run([*command, *files], capture_output=True, text=True, check=False).stdout
    errors = [line for line in told.splitlines() if ": error:" in line]
    assert [pathlib.Path(line).name.split(": error")[0] for line in errors] == [
        "misuse.py:4", "misuse.py:5", "misuse.py:6", "misuse.py:7"], told
