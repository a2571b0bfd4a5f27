"""load_run reads the files of plr train."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import plr
import pytest

spec = importlib.util.spec_from_file_location(
    "sample_runs", pathlib.Path(__file__).parents[1] / "report" / "sample_runs.py")
sample_runs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sample_runs)


@pytest.fixture
def folder(tmp_path):
    sample_runs.write_run(tmp_path / "run", "plr", "minigrid/MultiRoom-N4-Random", seed=3, num_points=30)
    return tmp_path / "run"


def test_logs_are_columns_of_arrays(folder):
    run = plr.load_run(folder)
    assert run.settings["env"] == "minigrid/MultiRoom-N4-Random" and run.settings["seed"] == 3
    assert run.log["steps"].dtype == np.int64 and run.log["steps"][-1] == 16384 * 10 * 30
    assert run.log.num_rows == run.eval.num_rows == run.curriculum.num_rows == 30
    assert run.eval["test_return"].dtype == np.float64
    assert run.curriculum["by_difficulty"][0] == json.loads(
        (folder / "levels.jsonl").read_text().splitlines()[0])["by_difficulty"]
    assert run.levels["level"].dtype == np.uint64 and run.levels["probability"].sum() == pytest.approx(1)
    assert run.remarks == []


def test_a_data_frame_has_the_same_columns(folder):
    pandas = pytest.importorskip("pandas")
    run = plr.load_run(str(folder))
    frame = run.eval.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 30
    assert (frame["test_return"].to_numpy() == run.eval["test_return"]).all()


def test_to_pandas_without_pandas_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="^to_pandas needs pandas: pip install pandas$"):
        plr.load_run(folder).log.to_pandas()


def test_a_partial_line_is_ignored_and_damage_is_reported(folder):
    with open(folder / "log.jsonl", "a") as file:
        file.write('nonsense\n{"steps": 7}\n{"steps": 8')
    run = plr.load_run(folder)
    assert run.log["steps"][-1] == 7 and np.isnan(run.log["return"][-1])
    assert run.remarks == ["log.jsonl: 1 damaged line left out, the first is line 31 (not a JSON object)"]


def test_a_deeply_nested_line_is_damaged(folder):
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"update": ' + "[" * 200_000 + "]" * 200_000 + "}\n")
    assert "not a JSON object" in plr.load_run(folder).remarks[0]


def test_a_record_without_a_required_field_is_damaged(folder):
    with open(folder / "eval.jsonl", "a") as file:
        file.write('{"steps": 7}\n{"steps": 8, "test_return": null}\n')
    assert plr.load_run(folder).remarks == [
        "eval.jsonl: 2 damaged lines left out, the first is line 31 (test_return is missing)"]


def test_the_later_evaluation_of_the_same_steps_is_used(folder):
    with open(folder / "eval.jsonl", "a") as file:
        file.write(json.dumps({"steps": 16384 * 10 * 30, "test_return": 0.125}) + "\n")
    run = plr.load_run(folder)
    assert run.eval.num_rows == 30 and run.eval["test_return"][-1] == 0.125


def test_missing_files_are_reported_and_a_folder_without_settings_is_refused(folder, tmp_path):
    (folder / "levels.jsonl").unlink()
    (folder / "levels.csv").unlink()
    run = plr.load_run(folder)
    assert run.remarks == ["levels.jsonl is missing"] and run.levels == {}
    with pytest.raises(FileNotFoundError, match="is not the folder of a run: it has no config.toml$"):
        plr.load_run(tmp_path)
    (folder / "config.toml").write_text("env = \n")
    with pytest.raises(ValueError, match="config.toml: "):
        plr.load_run(folder)


def test_levels_of_evaluations_are_read(folder):
    assert plr.load_run(folder).cvar == {}
    (folder / "cvar.csv").write_text("level,episodes_a,successes_a,episodes_b,successes_b\n7,10,3,11,4\n9,12,0,10,1\n")
    levels = [{"name": "Labyrinth", "episodes": 10, "solved": 3, "return": 0.25}]
    with open(folder / "eval.jsonl", "a") as file:
        file.write(json.dumps({"steps": 16384 * 10 * 31, "test_return": 0.125, "test_levels": levels}) + "\n")
    run = plr.load_run(folder)
    assert run.cvar["level"].tolist() == [7, 9] and run.cvar["successes_b"].tolist() == [4, 1]
    assert run.eval["test_levels"][-1] == levels and run.eval["test_levels"][0] is None
    assert run.remarks == []


def test_reads_a_run_of_the_program(tmp_path):
    done = subprocess.run(
        [os.environ.get("PLR_PROGRAM", ""), "train", "--steps", "2048", "--num-slots", "8", "--rollout-length", "64",
         "--eval-interval", "2", "--eval-episodes", "2", "--final-episodes", "4", "--levels-interval", "1",
         "--device", "cpu", "--threads", "1", "--out", str(tmp_path / "run")],
        capture_output=True, text=True, check=False) if os.environ.get("PLR_PROGRAM") else None
    if done is None or "train" in done.stderr and "unknown" in done.stderr:
        pytest.skip("no program that can train")
    assert done.returncode == 0, done.stderr
    run = plr.load_run(tmp_path / "run")
    assert run.log["steps"].tolist() == [512, 1024, 1536, 2048] and run.remarks == []
    assert run.eval["final"].tolist() == [False, True]
    schema = json.loads(pathlib.Path(plr.__file__).with_name("run_schema.json").read_text())["records"]
    for kind, table in (("log", run.log), ("eval", run.eval), ("levels", run.curriculum), ("level_table", run.levels)):
        always = {name for name, presence in schema[kind].items() if presence != "optional"}
        assert always <= set(table) <= set(schema[kind]), kind
    assert run.settings["num_slots"] == 8 and len(run.eval["test_returns"][-1]) == 4
    # The sampler of the run can be constructed from its settings.
    names = plr.LevelReplay(1).settings
    replay = plr.LevelReplay(int(run.settings["levels"]), seed=run.settings["seed"],
                             **{name: value for name, value in run.settings.items() if name in names})
    assert replay.settings["staleness_coef"] == run.settings["staleness_coef"]
    assert set(replay.first(8).tolist()) <= set(run.levels["level"].tolist())
