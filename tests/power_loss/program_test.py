"""The program resumes bitwise identically from states that a loss of power may leave.

power_loss_test.cc does this for thousands of states of a small run; here a few states of real training check that
the trainer writes its files in the same order. Run by ctest with the program in PLR_PROGRAM; the arguments are the
recorder (a library for LD_PRELOAD) and write_states.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from program import PROGRAM  # noqa: E402

RECORDER, WRITE_STATES = sys.argv[1:3]
NUM_STATES = 10
SETTINGS = ["--env", "minigrid/MiniGrid-Empty-Random-6x6-v0", "--device", "cpu", "--threads", "1", "--levels", "20",
            "--num-slots", "4", "--rollout-length", "16", "--num-minibatches", "2", "--steps", "384",
            "--eval-interval", "2", "--eval-episodes", "2", "--final-episodes", "2", "--checkpoint-interval", "2"]


def train(*arguments, **environment):
    return subprocess.run([PROGRAM, "train", *arguments], capture_output=True, text=True, check=False, timeout=120,
                          env={**os.environ, **environment})


def result(folder):
    """All results of a run except times."""
    logs = {}
    for name in ("log.jsonl", "eval.jsonl", "levels.jsonl"):
        logs[name] = [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for record in logs[name]:
            record.pop("seconds", None)
            record.pop("steps_per_second", None)
    newest = sorted((folder / "checkpoint").iterdir())[-1]
    files = {path.name: path.read_bytes() for path in newest.rglob("*") if path.suffix in (".bin", ".safetensors")}
    return newest.name, files, logs, (folder / "levels.csv").read_text()


class PowerLoss(unittest.TestCase):
    def test_training_resumes_from_any_state(self):
        with tempfile.TemporaryDirectory() as temporary:
            root = pathlib.Path(temporary).resolve() / "disk"
            root.mkdir()
            journal = pathlib.Path(temporary) / "journal"
            done = train(*SETTINGS, "--out", str(root / "run"), LD_PRELOAD=RECORDER, PLR_JOURNAL=str(journal),
                         PLR_JOURNAL_ROOT=str(root))
            self.assertEqual(done.returncode, 0, done.stderr)
            expected = result(root / "run")
            states = pathlib.Path(temporary) / "states"
            subprocess.run([WRITE_STATES, str(journal), str(root.stat().st_ino), str(states), str(NUM_STATES)], check=True)
            self.assertEqual(len(list(states.iterdir())), NUM_STATES)
            for state in sorted(states.iterdir()):
                run = state / "run"
                resumable = (run / "config.toml").exists()
                done = train("--resume", str(run)) if resumable else train(*SETTINGS, "--out", str(run))
                self.assertEqual(done.returncode, 0, f"{state}: {done.stderr}")
                for one, other in zip(expected, result(run)):
                    self.assertEqual(one, other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
