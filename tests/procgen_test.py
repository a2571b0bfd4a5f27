"""Tests of the program with Procgen, installed and missing.

Run by ctest with the program's path in PLR_PROGRAM and Procgen in PLR_PROCGEN; needs Python's standard
library only.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, ProgramTest, plr, wait_for_log

REMEDY = ("; plr setup procgen fetches it, or PLR_PROCGEN names the folder procgen of an unpacked "
          "procgen 0.10.7 wheel (cp310, manylinux x86_64)\n")
# A game with short episodes, and a short training run.
TRAIN = ["train", "--preset", "procgen-easy", "--env", "procgen/leaper", "--device", "cpu", "--threads",
         "1", "--num-slots", "4", "--num-workers", "2", "--rollout-length", "8", "--num-minibatches", "2",
         "--epochs", "1", "--eval-interval", "0", "--eval-episodes", "1", "--final-episodes", "1"]


class Procgen(ProgramTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_a_missing_procgen_is_named_with_the_remedy(self):
        without = {name: value for name, value in os.environ.items()
                   if name not in ("PLR_COMMAND", "PLR_PROCGEN")}
        for command in (["levels", "procgen/coinrun"], ["play", "procgen/coinrun"],
                        [*TRAIN, "--out", "run"]):
            done = plr(*command, env=without, cwd=self.folder)
            self.assertEqual(done.stderr, f"plr {command[0]}: Procgen is not installed here{REMEDY}")
            self.assertEqual((done.stdout, done.returncode), ("", 2))
        done = plr("levels", "procgen/coinrun", env={**without, "PLR_PROCGEN": str(self.folder)})
        self.assertEqual(done.stderr, f"plr levels: Procgen: {self.folder}/data/prebuilt/libenv.so does "
                                      f"not exist{REMEDY}")
        self.assertEqual(list(self.folder.iterdir()), [])

    def fake_command(self, script):
        """A command for PLR_COMMAND that logs its calls to `calls` and then runs `script`."""
        command = self.folder / "fake"
        command.write_text(f"#!/bin/sh\necho $@ >> {self.folder}/calls\necho output\n{script}\n")
        command.chmod(0o755)
        return {**os.environ, "PLR_COMMAND": str(command), "PLR_PROCGEN": str(self.folder / "procgen")}

    def calls(self):
        return (self.folder / "calls").read_text()

    def test_a_missing_procgen_is_set_up_by_the_command(self):
        environment = self.fake_command(f"ln -s {os.environ['PLR_PROCGEN']} {self.folder}/procgen")
        done = plr("play", "procgen/leaper", "--level", "7", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "procgen/leaper needs Procgen 0.10.7, which is missing; running "
                                      f"{self.folder}/fake setup procgen\noutput\n")
        self.assertIn("procgen/leaper, level 7\n", done.stdout)
        self.assertEqual(self.calls(), "setup procgen\n")
        # The second time it is installed.
        self.assertEqual(plr("play", "procgen/leaper", "--level", "7", env=environment).stderr, "")
        self.assertEqual(self.calls(), "setup procgen\n")

    def test_other_environments_do_not_need_procgen(self):
        environment = self.fake_command("exit 1")
        done = plr("levels", "minigrid/MiniGrid-Empty-5x5-v0", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse((self.folder / "calls").exists())

    def test_a_failed_set_up_is_an_error_with_the_remedy(self):
        done = plr("levels", "procgen/coinrun", env=self.fake_command("exit 1"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.splitlines()[-1],
                         f"plr levels: {self.folder}/fake setup procgen failed; set PLR_PROCGEN to the folder "
                         "procgen of an unpacked procgen 0.10.7 wheel (cp310, manylinux x86_64)")

    def test_an_experiment_sets_procgen_up_once_before_its_runs(self):
        settings = dict(zip(TRAIN[5::2], TRAIN[6::2]))
        lines = [f"{name[2:].replace('-', '_')} = {value!r}".replace("'", '"') for name, value in settings.items()]
        (self.folder / "two.toml").write_text("\n".join(
            ['preset = "procgen-easy"', 'env = "procgen/leaper"', 'seeds = "1-2"', "[settings]", "steps = 32", *lines]))
        environment = self.fake_command(f"ln -s {os.environ['PLR_PROCGEN']} {self.folder}/procgen")
        done = plr("experiment", "two.toml", env=environment, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), "setup procgen\n")

    def test_wrong_names_are_refused_before_anything_is_loaded(self):
        self.assert_refused(["levels", "procgen/bigfihs"],
                            "plr levels: unknown environment 'procgen/bigfihs'; did you mean "
                            "procgen/bigfish?")
        self.assert_refused(["levels", "procgen/bigfish-memory"],
                            "plr levels: procgen/bigfish has the modes easy, hard (the first without a "
                            "suffix), not 'memory'")

    def test_levels_are_pictures(self):
        self.assert_refused(["levels", "procgen/maze"],
                            "plr levels: levels of procgen/maze are pictures: write them with --out "
                            "FILE, or use a terminal with colors")
        out = self.folder / "maze.png"
        done = plr("levels", "procgen/maze", "--seeds", "0-2", "--out", str(out))
        if "built without" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual((done.stdout, done.stderr), (f"3 levels in {out}\n", ""))
        self.assertEqual(out.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_the_same_command_plays_the_same_episode(self):
        first = self.output("play", "procgen/leaper", "--level", "7")
        self.assertIn("procgen/leaper, level 7\n", first)
        self.assertRegex(first, r"\n    1  \S+ +0\.067 +- +0\.000\n")
        self.assertEqual(self.output("play", "procgen/leaper", "--level", "7"), first)

    def test_bench_measures_the_library_too(self):
        [row] = json.loads(self.output("bench", "procgen", "--env", "procgen/bigfish", "--seconds", "0.1",
                                       "--num-slots", "4", "--workers", "2", "--json"))
        self.assertEqual((row["env"], row["num_slots"], row["num_workers"]), ("procgen/bigfish", 4, 2))
        self.assertGreater(row["library_steps_per_second"], 0)
        self.assertGreater(row["steps_per_second"], 0)

    def test_a_run_stops_at_ctrl_c_and_resumes(self):
        run = self.folder / "run"
        process = subprocess.Popen([PROGRAM, *TRAIN, "--steps", "1000000", "--out", str(run)],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        log = run / "log.jsonl"
        wait_for_log(process, log)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT)
        self.assertIn(f"plr train --resume {run}", out)
        updates = len(log.read_text().splitlines())
        done = plr("train", "--resume", str(run), "--steps", str(32 * (updates + 1)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(log.read_text().splitlines()), updates + 1)
        result = json.loads(self.output("eval", str(run), "--episodes", "2", "--json"))
        self.assertEqual(result["env"], "procgen/leaper")


if __name__ == "__main__":
    if not os.path.exists(os.environ.get("PLR_PROCGEN", "")):
        print("Procgen is not installed here; ./plr setup procgen fetches it")
        sys.exit(77)
    unittest.main()
