"""A run that is killed many times at random moments ends bitwise identical to an undisturbed one.

Run by ctest with the program's path in PLR_PROGRAM; needs Python's standard library only.
"""

import json
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

from program import PROGRAM

SHORT = {"device": "cpu", "threads": "1", "num_slots": "8", "rollout_length": "32",
         "steps": str(8 * 32 * 60), "eval_interval": "6", "eval_episodes": "8", "final_episodes": "8",
         "checkpoint_interval": "2", "levels_interval": "3"}
MINIGRID = {**SHORT, "env": "minigrid/MiniGrid-Empty-Random-6x6-v0", "levels": "40",
            "num_minibatches": "4"}
MAZE = {**SHORT, "lstm_units": "16", "max_steps": "20"}
ACCEL = {**MAZE, "preset": "maze-accel", "buffer_capacity": "24"}
SFL = {**MAZE, "preset": "maze-sfl", "sfl_interval": "4", "sfl_surveyed": "30", "sfl_kept": "8",
       "sfl_survey_steps": "60", "sfl_survey_slots": "16"}


def begin(folder, settings):
    flags = [word for name, value in settings.items() for word in ("--" + name, value)]
    return [PROGRAM, "train", "--out", str(folder), *flags]


def resume(folder, settings):
    """Resumes, or begins again if the kill came before the run could be resumed."""
    if (folder / "config.toml").exists():
        return [PROGRAM, "train", "--resume", str(folder)]
    return begin(folder, settings)


def finish(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr


def records(path):
    """The records of a log without wall-clock fields."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.pop("seconds", None)
        line.pop("steps_per_second", None)
    return lines


def result(folder):
    """All results of a run except times."""
    newest = sorted((folder / "checkpoint").glob("update-*"))[-1]
    files = {str(path.relative_to(newest)): path.read_bytes()
             for path in newest.rglob("*") if path.suffix in (".bin", ".safetensors")}
    logs = {name: records(folder / name) for name in ("log.jsonl", "eval.jsonl", "levels.jsonl")}
    return newest.name, files, logs, (folder / "levels.csv").read_text()


class Kill(unittest.TestCase):
    def check(self, settings, kills):
        with tempfile.TemporaryDirectory() as temporary:
            whole = pathlib.Path(temporary) / "whole"
            killed = pathlib.Path(temporary) / "killed"
            started = time.monotonic()
            finish(begin(whole, settings))
            duration = time.monotonic() - started

            moments = random.Random(1)
            for _ in range(kills):
                process = subprocess.Popen(resume(killed, settings), stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                time.sleep(moments.uniform(0.05, duration / 3))
                process.send_signal(signal.SIGKILL)
                process.wait()
            finish(resume(killed, settings))
            for expected, found in zip(result(whole), result(killed)):
                self.assertEqual(expected, found)

    def test_level_replay(self):
        self.check(MINIGRID, 20)

    def test_edited_levels(self):
        self.check(ACCEL, 10)

    def test_surveys(self):
        self.check(SFL, 10)


if __name__ == "__main__":
    unittest.main()
