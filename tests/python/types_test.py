"""The types of the package match the module."""

import ast
import importlib.util
import pathlib
import subprocess
import sys

import plr
import plr._core
import plr.settings_types
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
other = plr.LevelReplay(200, **replay.settings, seed=4)
released = plr.EpisodeScorer(4, 8, **plr.EpisodeScorer.released_code())
plr.Tscl(9, tscl_window=5, first_levels="sequential")
plr.RolloutReplay(range(9), num_edits=5, edit=lambda parent, num_edits: parent + num_edits)
own = plr.LevelVectorEnv("CartPole-v1", 4, curriculum=plr.Uniform(9), processes=2)
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
plr.LevelReplay(200, temprature=0.1)
plr.LevelReplay(200, temperature="warm")
plr.LevelReplay(200, transform="rnk")
plr.EpisodeScorer(4, 8, score_function="value_l2")
plr.make_vec("maze/random-25", observaton="view")
plr.make_vec("maze/random-25", observation="near")
plr.RolloutReplay(9, num_edit=5)
plr.LevelVectorEnv("CartPole-v1", 4, process=2)
"""
# torch's own types take a minute to read.
CONFIG = """
[mypy]
[mypy-torch.*,matplotlib.*,tensorboard.*]
follow_imports = skip
[mypy-onnxscript.*]
ignore_missing_imports = true
[mypy-plr.torch_networks]
disallow_subclassing_any = false
"""


def test_mypy_accepts_correct_use_and_reports_errors(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "misuse.py").write_text(MISUSE)
    (tmp_path / "mypy.ini").write_text(CONFIG)
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache",
               "--config-file", tmp_path / "mypy.ini"]
    if importlib.util.find_spec("stable_baselines3") is None:
        command += ["--exclude", "/sb3.py$"]
    files = [tmp_path / "use.py", tmp_path / "misuse.py", FOLDER]
    told = subprocess.run([*command, *files], capture_output=True, text=True, check=False).stdout
    errors = [line for line in told.splitlines() if ": error:" in line]
    last = len(MISUSE.splitlines())
    assert [pathlib.Path(line).name.split(": error")[0] for line in errors] == [
        f"misuse.py:{line}" for line in range(4, last + 1)], told
    assert 'Unexpected keyword argument "temprature" for "LevelReplay"; did you mean "temperature"?' in told


# ---- settings -------------------------------------------------------------------------------------


def settings_in_stub(name):
    """{setting: (type, default)} of the constructor of a class."""
    tree = ast.parse((FOLDER / "_core.pyi").read_text())
    (cls,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    (init,) = (node for node in cls.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    assert init.args.kwarg is None
    return {argument.arg: (ast.unparse(argument.annotation), ast.literal_eval(default))
            for argument, default in zip(init.args.kwonlyargs, init.args.kw_defaults)
            if argument.arg not in ("seed", "env", "store", "edit", "optimal_return")}


@pytest.mark.parametrize("name", ["LevelReplay", "Uniform", "Tscl", "EpisodeScorer"])
def test_the_stub_has_every_setting_with_its_default(name):
    made = plr.EpisodeScorer(1, 1) if name == "EpisodeScorer" else getattr(plr, name)(5)
    assert {setting: default for setting, (_, default) in settings_in_stub(name).items()} == made.settings


@pytest.mark.parametrize("name", ["LevelReplay", "Uniform", "Tscl", "EpisodeScorer", "RolloutReplay", "Sfl",
                                  "LevelBuffer", "Environment"])
def test_every_setting_in_the_stub_is_accepted_and_listed_by_help(name):
    arguments = {"EpisodeScorer": (1, 1), "Environment": ("maze/random-25", 1), "LevelBuffer": (),
                 "Sfl": (plr.LevelSet.stream(0, 10**6),)}.get(name, (5,))
    kind = getattr(plr._core, name)
    settings = {setting: default for setting, (_, default) in settings_in_stub(name).items()}
    assert settings
    kind(*arguments, **settings)
    if name != "Environment":
        assert all(f"\n    {setting} = " in kind.__doc__ for setting in settings)


@pytest.mark.parametrize("ours, name", [(plr.settings_types.NativeOptions, "Environment"),
                                        (plr.settings_types.ScoreSettings, "EpisodeScorer")])
def test_typed_dicts_have_the_settings_of_the_module(ours, name):
    given = {setting: ast.unparse(ast.parse(reference.__forward_arg__, mode="eval").body)
             for setting, reference in ours.__annotations__.items()}
    assert given == {setting: kind for setting, (kind, _) in settings_in_stub(name).items()}
