"""log_to copies a run to the real clients of Weights & Biases and MLflow, offline."""

import importlib.util
import json
import pathlib
import struct
import sys
import threading
import time

import numpy as np
import plr
import pytest

spec = importlib.util.spec_from_file_location(
    "sample_runs", pathlib.Path(__file__).parents[1] / "report" / "sample_runs.py")
sample_runs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sample_runs)


@pytest.fixture
def folder(tmp_path):
    sample_runs.write_run(tmp_path / "run", "plr", "minigrid/MultiRoom-N4-Random", seed=3, num_points=8, resumed_at=5)
    return tmp_path / "run"


class FakeRun:
    id = "fake"
    last = None

    def __init__(self, run, options):
        self.rows, self.state = [], None
        FakeRun.last = self

    def log(self, steps, seconds, values):
        self.rows.append((steps, seconds, values))

    def finish(self, is_complete):
        self.state = is_complete


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setitem(importlib.import_module("plr.mirror")._SERVICES, "wandb", FakeRun)
    monkeypatch.setattr(FakeRun, "last", None)
    return FakeRun


def test_training_seconds_continue_over_a_resume(folder):
    seconds = plr.load_run(folder).training_seconds
    assert np.allclose(seconds, 50.0 * np.arange(1, 9))  # the second process starts after five updates


def test_training_seconds_continue_if_the_first_update_of_a_process_was_slow(folder):
    lines = [{"steps": 100, "seconds": 1.0, "steps_per_second": 100.0},
             {"steps": 200, "seconds": 4.0, "steps_per_second": 25.0},   # first update of a second process
             {"steps": 300, "seconds": 5.0, "steps_per_second": 40.0}]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert plr.load_run(folder).training_seconds.tolist() == [1.0, 5.0, 6.0]


def test_all_numbers_are_copied_by_increasing_steps(folder, fake):
    assert plr.log_to(folder, "wandb") == "fake"
    rows = fake.last.rows
    assert [row[0] for row in rows] == [163840 * i for i in range(1, 9)]
    assert np.allclose(np.diff([row[1] for row in rows]), 50)
    last = rows[-1][2]
    run = plr.load_run(folder)
    assert last["eval/test_return"] == run.eval["test_return"][-1]
    assert last["train/entropy"] == run.log["entropy"][-1]
    assert last["levels/effective_levels"] == 27 and last["eval/final"] == 1
    assert not any(isinstance(value, (list, str)) for value in last.values())
    assert fake.last.state is True


def test_a_run_in_progress_is_followed_to_its_end(folder, fake):
    log, evaluations = ((folder / name).read_text().splitlines(True) for name in ("log.jsonl", "eval.jsonl"))
    (folder / "log.jsonl").write_text("".join(log[:4]))
    (folder / "eval.jsonl").write_text("".join(evaluations[:3]))
    copying = threading.Thread(target=plr.log_to, args=(folder, "wandb"), kwargs={"follow": True, "interval": 0.01})
    copying.start()
    while fake.last is None or len(fake.last.rows) < 3:
        time.sleep(0.005)
    # The fourth update waits for its evaluation.
    assert [row[0] for row in fake.last.rows] == [163840, 327680, 491520] and copying.is_alive()
    (folder / "eval.jsonl").write_text("".join(evaluations))
    (folder / "log.jsonl").write_text("".join(log))
    copying.join(timeout=60)
    assert not copying.is_alive() and len(fake.last.rows) == 8
    assert all("eval/test_return" in values for _, _, values in fake.last.rows)


def test_an_error_ends_the_copy_as_failed(folder, fake, monkeypatch):
    monkeypatch.setattr(fake, "log", lambda *_: (_ for _ in ()).throw(OSError("no space")))
    with pytest.raises(OSError, match="no space"):
        plr.log_to(folder, "wandb")
    assert fake.last.state is False


def test_bad_arguments_are_refused(folder, monkeypatch):
    with pytest.raises(ValueError, match="""^service must be "wandb" or "mlflow", not 'neptune'$"""):
        plr.log_to(folder, "neptune")
    with pytest.raises(FileNotFoundError, match="is not the folder of a run"):
        plr.log_to(folder / "nowhere", "wandb")
    for package in ("wandb", "mlflow"):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ImportError, match=f"^log_to needs {package}: pip install {package}$"):
            plr.log_to(folder, package)


def wandb_records(path):
    """The records of a .wandb file: after seven bytes, blocks of 32 KiB with chunks of checksum, size and kind."""
    from wandb.proto import wandb_internal_pb2
    data, at, content = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:  # a block ends with zeros
            at += left
            continue
        size, kind = struct.unpack_from("<HB", data, at + 4)
        content += data[at + 7:at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # whole, or the last of several chunks
            record = wandb_internal_pb2.Record()
            record.ParseFromString(content)
            yield record
            content = b""


def test_wandb_stores_the_run_offline(folder, tmp_path, monkeypatch):
    pytest.importorskip("wandb", reason="wandb is not installed (pip install wandb)")
    monkeypatch.setenv("WANDB_SILENT", "true")
    number = plr.log_to(folder, "wandb", project="plr", mode="offline", dir=tmp_path)
    (stored,) = tmp_path.glob(f"wandb/offline-run-*/run-{number}.wandb")
    history, config = {}, {}
    for record in wandb_records(stored):
        kind = record.WhichOneof("record_type")
        if kind == "history":
            row = {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in record.history.item}
            history[row["_step"]] = row
        elif kind == "run":
            config.update({item.key: json.loads(item.value_json) for item in record.run.config.update})
    run = plr.load_run(folder)
    assert sorted(history) == run.log["steps"].tolist()
    assert [history[step]["eval/test_return"] for step in sorted(history)] == run.eval["test_return"].tolist()
    assert config["env"] == "minigrid/MultiRoom-N4-Random" and config["seed"] == 3


def test_mlflow_stores_the_run_offline(folder, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed (pip install mlflow-skinny)")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    address = (tmp_path / "mlruns").as_uri()
    number = plr.log_to(folder, "mlflow", experiment="mazes", tracking_uri=address)
    client = mlflow.MlflowClient(tracking_uri=address)
    stored = client.get_run(number)
    assert stored.info.run_name == "run" and stored.info.status == "FINISHED"
    assert client.get_experiment_by_name("mazes").experiment_id == stored.info.experiment_id
    assert stored.data.params["env"] == "minigrid/MultiRoom-N4-Random" and stored.data.params["seed"] == "3"
    run = plr.load_run(folder)
    returns = sorted(client.get_metric_history(number, "eval/test_return"), key=lambda metric: metric.step)
    assert [metric.value for metric in returns] == run.eval["test_return"].tolist()
    assert [metric.step for metric in returns] == run.eval["steps"].tolist()
    assert {returns[i + 1].timestamp - returns[i].timestamp for i in range(7)} == {50_000}
    with pytest.raises(ValueError, match="options of mlflow are .*, not project"):
        plr.log_to(folder, "mlflow", project="x", tracking_uri=address)
