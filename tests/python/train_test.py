"""plr.train runs the program and returns its run."""

import os
import signal
import subprocess
import sys
import time

import plr
import pytest

TINY = {"env": "minigrid/MiniGrid-Empty-Random-6x6-v0", "device": "cpu", "threads": 1, "levels": 20, "num_slots": 4,
        "rollout_length": 16, "num_minibatches": 2, "eval_interval": 2, "eval_episodes": 4, "final_episodes": 4}


@pytest.fixture(autouse=True)
def in_new_folder(tmp_path, monkeypatch):
    if "PLR_PROGRAM" not in os.environ:
        pytest.skip("the program was not built")
    monkeypatch.chdir(tmp_path)


def test_settings_become_flags_and_the_run_is_returned(capsys):
    run = plr.train(**TINY, steps=128, curriculum="uniform", drac=True, method=None)
    assert run.folder.parent.name == "runs" and run.folder.is_dir()
    assert run.settings["curriculum"] == "uniform" and run.settings["drac"] is True
    assert list(run.log["steps"]) == [64, 128] and run.eval["final"][-1]
    printed = capsys.readouterr()
    assert printed.err.startswith(f"training on {TINY['env']} in {run.folder}\n") and printed.out == ""


def test_a_function_gets_every_record_and_nothing_is_printed(capfd, tmp_path):
    records = []
    run = plr.train(**TINY, steps=256, out=tmp_path / "run", progress=records.append)
    assert [record["steps"] for record in records] == list(run.log["steps"]) == [64, 128, 192, 256]
    assert tuple(capfd.readouterr()) == ("", "")
    records.clear()
    run = plr.train(resume=run.folder, steps=320, progress=records.append)
    assert [record["steps"] for record in records] == [320] and run.log["steps"][-1] == 320


def test_an_invalid_setting_raises_the_message_of_the_program():
    with pytest.raises(plr.TrainingError, match="^plr train: unknown option '--sed=3'; did you mean --seed?"):
        plr.train(sed=3, progress=False)
    with pytest.raises(plr.TrainingError, match="gamma must be"):
        plr.train(**TINY, gamma=2, progress=False)


def test_an_error_of_the_function_stops_the_run(tmp_path):
    def fail(record):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        plr.train(**TINY, steps=10_000_000, out=tmp_path / "run", progress=fail)
    run = plr.train(resume=tmp_path / "run", steps=int(plr.load_run("run").log["steps"][-1]) + 64, progress=False)
    assert run.eval["final"][-1]


def test_an_interrupt_saves_the_run_and_raises(tmp_path):
    code = f"import plr; plr.train(**{TINY!r}, steps=10_000_000, out='run', progress=False)"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    log = tmp_path / "run" / "log.jsonl"
    while not log.exists() or not log.read_text():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1].strip().endswith("KeyboardInterrupt") and process.returncode != 0
    saved = max(path.name for path in (tmp_path / "run" / "checkpoint").glob("update-*"))
    assert int(saved.removeprefix("update-")) == plr.load_run(tmp_path / "run").log["update"][-1]
