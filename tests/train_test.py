"""plr train and plr eval: their effects, files and error messages.

Run by ctest with the program's path in PLR_PROGRAM; needs Python's standard library only.
"""

import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib
import unittest

from program import PROGRAM, ProgramTest, is_setting, plr, wait_for_log

TINY = ["--env", "minigrid/MiniGrid-Empty-Random-6x6-v0", "--device", "cpu", "--threads", "1",
        "--levels", "20",
        "--num-slots", "4", "--rollout-length", "16", "--num-minibatches", "2",
        "--eval-interval", "2", "--eval-episodes", "4", "--final-episodes", "4"]


class Train(ProgramTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def assert_leaves_nothing(self, arguments, message, **options):
        """The command fails with one line on standard error and writes nothing."""
        before = sorted(self.folder.rglob("*"))
        done = plr(*arguments, cwd=self.folder, **options)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def train(self, *arguments):
        done = plr("train", *TINY, "--steps", "256", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    # ---- invalid commands

    def test_invalid_settings_are_refused_by_name(self):
        for arguments, message in [
                (["--temperature", "0"], "temperature must be above 0, not 0"),
                (["--epochs", "many"], "epochs must be a whole number, not many"),
                (["--curriculum", "prl"], "curriculum must be one of plr, uniform, tscl, sfl, not prl"),
                (["--env", "minigrid/DoorKye"], "did you mean"),
                (["--preset", "minigrid-multirom"], "preset must be one of small, minigrid-multiroom,"),
                (["--algorithm", "papr"], "algorithm must be one of default, paper, released-code, not papr"),
                (["--seed", "-1"], "seed must be from 0 to 18446744073709551615, not -1"),
                (["--num-slots", "2147483648"], "num_slots must be from -2147483648 to 2147483647, not 2147483648"),
                (["--adam-beta1", "1"], "adam_beta1 must be from 0 to below 1, not 1"),
                (["--levels", "0-18446744073709551615"], "levels: the range 0-18446744073709551615 is too long"),
                (["--levels", "."], "there is no file ."),
                (["--levels", "9-3"], "levels: the range 9-3 ends before it begins"),
                (["--device", "tpu"], "device must be auto, cpu, cuda or cuda:N, not tpu"),
                (["--steps", "3"], "steps must be at least one update"),
                (["--temperatur", "1"], "unknown option '--temperatur'; did you mean --temperature?"),
                (["--config", "nowhere.toml"], "there is no file nowhere.toml"),
                (["--resume", "nowhere"], "there is no run in nowhere"),
                (["--precision", "bf16", "--device", "cpu"], "precision must be fp32 on the CPU, not bf16"),
                (["--method", "pls"], "method must be one of uniform, tscl, mixreg, ucb-drac, plr, ucb-drac+plr, not pls"),
                (["--mixreg", "2"], "mixreg must be from 0 to 1, not 2"),
                (["--augmentation", "crop"], "augmentation is crop, but drac is false"),
                (["--drac", "--augmentation", "blur"], "augmentation must be one of crop, random-conv,"),
                (["--method", "tscl", "--levels", "full"], "levels must be a finite set, not full"),
                (["--drac", "--env", "minigrid/MiniGrid-RedBlueDoors-6x6-v0"],
                 "augmentation rotate needs square observations"),
        ]:
            self.assert_leaves_nothing(["train", *arguments], message)

    def test_an_invalid_settings_file_is_refused(self):
        path = self.folder / "bad.toml"
        path.write_text("temperatur = 1\n")
        self.assert_leaves_nothing(["train", "--config", "bad.toml"],
                            "bad.toml:1: unknown setting 'temperatur'; did you mean temperature?")
        path.write_text("temperature = 1\nseed == 2\n")
        self.assert_leaves_nothing(["train", "--config", "bad.toml"], "bad.toml:2:7: ")

    def test_an_existing_run_is_not_overwritten(self):
        self.train("--out", "run")
        self.assert_leaves_nothing(["train", "--out", "run"], "run holds a run already")

    def test_a_resumed_run_keeps_its_settings(self):
        self.train("--out", "run")
        for flag, value in (("--seed", "2"), ("--eval-interval", "3"), ("--method", "uniform"), ("--preset", "no"),
                            ("--algorithm", "paper"), ("--config", "run/config.toml"), ("--out", "other")):
            self.assert_leaves_nothing(["train", "--resume", "run", flag, value],
                                f"{flag} cannot be changed with --resume; only --steps, --num-workers and "
                                "--plugin can")
        self.assert_leaves_nothing(["train", "--resume", "run", "--steps", "64"], "steps must be at least")

    def test_a_resumed_run_may_have_another_number_of_workers(self):
        self.train("--out", "run")
        done = plr("train", "--resume", "run", "--num-workers", "2", "--steps", "512", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex((self.folder / "run/config.toml").read_text(), "(?m)^num_workers = 2 ")
        self.assert_leaves_nothing(["train", "--resume", "run", "--num-workers", "-1"], "num_workers must be from 0")

    def test_a_run_finds_its_file_of_levels_from_any_working_directory(self):
        (self.folder / "ids.txt").write_text("".join(f"{i}\n" for i in range(7, 27)))
        self.train("--levels", "ids.txt", "--out", "run")  # the last of two --levels counts
        done = plr("eval", str(self.folder / "run"), "--episodes", "2")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_folder_that_cannot_be_written_is_refused(self):
        (self.folder / "file").write_text("")
        self.assert_leaves_nothing(["train", *TINY, "--steps", "256", "--out", "file/run"],
                            "cannot make the directory file")

    def test_a_damaged_checkpoint_is_named(self):
        self.train("--out", "run")
        newest = sorted((self.folder / "run/checkpoint").glob("update-*"))[-1]
        path = newest / "tensors.safetensors"
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        for command in (["train", "--resume", "run"], ["eval", "run"]):
            done = plr(*command, cwd=self.folder)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn("tensors.safetensors", done.stderr)

    # ---- files of a run

    def test_a_run_has_a_descriptive_name_and_all_its_files(self):
        self.train()
        run = self.folder / "runs/empty-random-6x6-plr-s1"
        self.assertEqual(sorted(path.name for path in run.iterdir()),
                         ["checkpoint", "config.toml", "episode.gif", "eval.jsonl", "events.out.tfevents.plr",
                          "levels.csv", "levels.jsonl", "log.jsonl", "report.html"])
        log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
        self.assertEqual([record["steps"] for record in log], [64, 128, 192, 256])
        self.train()
        self.assertTrue((self.folder / "runs/empty-random-6x6-plr-s1-2").is_dir())

    def test_the_steps_that_are_suggested_at_the_end_work(self):
        out = self.train("--out", "it's a run")
        steps = [shlex.split(line.strip().split("   ")[0])
                 for line in out.split("\nNext:\n")[1].splitlines()]
        self.assertEqual([words[:2] for words in steps],
                         [["it's a run/report.html"], ["it's a run/episode.gif"], ["plr", "play"],
                          ["plr", "eval"], ["plr", "train"], ["plr", "train"]])
        for words in steps:
            if words[0] != "plr":
                self.assertTrue((self.folder / words[0]).exists())
                continue
            done = plr(*words[1:], *(["--dry-run"] if words[1] == "train" else []), cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_method_of_the_paper_trains(self):
        for method in ["uniform", "tscl", "mixreg", "ucb-drac", "plr", "ucb-drac+plr"]:
            self.train("--method", method)
            run = self.folder / f"runs/empty-random-6x6-{method}-s1"
            log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
            self.assertEqual(len(log), 4, method)
            self.assertEqual("augmentation" in log[0], "drac" in method)

    def test_methods_can_be_combined_and_switches_need_no_value(self):
        self.train("--curriculum", "tscl", "--mixreg", "0.01", "--drac", "--augmentation", "crop",
                   "--out", "all")
        config = (self.folder / "all/config.toml").read_text()
        for line in ("drac = true ", 'augmentation = "crop"', "mixreg = 0.01 ", 'curriculum = "tscl"'):
            self.assertIn(line, config)
        self.train("--drac", "false", "--out", "none")
        self.assertIn("drac = false ", (self.folder / "none/config.toml").read_text())

    def test_a_config_file_repeats_a_run(self):
        self.train("--out", "first")
        done = plr("train", "--config", "first/config.toml", "--out", "second", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        newest = [sorted((self.folder / name / "checkpoint").glob("update-*"))[-1]
                  for name in ("first", "second")]
        self.assertEqual(*[(path / "tensors.safetensors").read_bytes() for path in newest])

    def assert_saves_when_sent(self, *signals):
        process = subprocess.Popen(
            [PROGRAM, "train", *TINY, "--steps", "100000000", "--out", "run"], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        log = self.folder / "run/log.jsonl"
        wait_for_log(process, log)
        for number in signals:
            process.send_signal(number)
            time.sleep(0.001)  # two pending signals would be merged
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signals[0])
        self.assertIn("plr train --resume run", out)
        saved = sorted((self.folder / "run/checkpoint").glob("update-*"))[-1].name
        updates = len(log.read_text().splitlines())
        self.assertEqual(saved, f"update-{updates:08}")

    def test_ctrl_c_saves_and_prints_how_to_resume(self):
        self.assert_saves_when_sent(signal.SIGINT)

    def test_sigterm_saves_even_if_sent_twice_as_by_timeout(self):
        self.assert_saves_when_sent(signal.SIGTERM, signal.SIGTERM)

    def test_sighup_saves(self):
        self.assert_saves_when_sent(signal.SIGHUP)

    def test_the_final_evaluation_can_be_stopped(self):
        process = subprocess.Popen([PROGRAM, "train", *TINY, "--steps", "64", "--final-episodes", "1000000",
                                    "--out", "run"], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        while not (self.folder / "run/checkpoint/update-00000001").exists():
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        self.assertIn("plr train --resume run", process.communicate(timeout=60)[0])
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_waiting_threads_spin_for_a_bounded_time_unless_the_user_chooses(self):
        for chosen, expected in [({}, {"GOMP_SPINCOUNT": "1000"}),
                                 ({"GOMP_SPINCOUNT": "7"}, {"GOMP_SPINCOUNT": "7"}),
                                 ({"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "active"})]:
            names = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
            environment = {name: value for name, value in os.environ.items() if name not in names}
            process = subprocess.Popen([PROGRAM, "train", *TINY, "--steps", "1000000", "--out", "run"], cwd=self.folder,
                                       env={**environment, **chosen}, stdout=subprocess.DEVNULL)
            self.addCleanup(process.kill)
            wait_for_log(process, self.folder / "run/log.jsonl")
            variables = pathlib.Path(f"/proc/{process.pid}/environ").read_text().split("\0")
            process.kill()
            process.wait()
            shutil.rmtree(self.folder / "run")
            self.assertEqual(dict(line.split("=", 1) for line in variables if line.startswith(names)), expected)

    def test_a_file_size_limit_is_reported(self):
        def few_bytes():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        self.assert_leaves_nothing(["train", *TINY, "--steps", "256", "--out", "run"], "File too large",
                                   preexec_fn=few_bytes)

    def test_folders_and_files_may_have_any_name(self):
        folder = self.folder / 'a#b "c" \\d, [e]'
        folder.mkdir()
        (folder / "ids#1.txt").write_text("3\n5\n8\n")
        done = plr("train", *TINY, "--steps", "64", "--levels", "ids#1.txt", "--out", "run", cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for verb in (["eval", "run"], ["report", "run"], ["train", "--resume", "run", "--steps", "128"]):
            done = plr(*verb, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    # ---- dry runs

    def test_a_dry_run_prints_the_settings_and_leaves_nothing(self):
        text = self.output("train", "--preset", "procgen-easy", "--env", "procgen/bigfish", "--steps", "16384", "--dry-run")
        settings = tomllib.loads(text)
        self.assertEqual((settings["env"], settings["steps"]), ("procgen/bigfish", 16384))
        folder = self.folder / "repeated"
        (self.folder / "my.toml").write_text(self.output("train", *TINY, "--steps", "64", "--dry-run"))
        done = plr("train", "--config", str(self.folder / "my.toml"), "--out", str(folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = (self.folder / "my.toml").read_text()
        # A run chooses its precision and, by the number of its ranks, its shards.
        chosen = printed.replace('precision = "auto"', 'precision = "fp32"').replace("shards = 0", "shards = 1")
        self.assertEqual((folder / "config.toml").read_text(), chosen)
        self.assert_refused(["train", "--gamma", "2", "--dry-run"],
                            "plr train: gamma must be from 0 to 1, not 2")

    def test_every_preset_has_the_settings_of_the_reference(self):
        page = (pathlib.Path(__file__).parent.parent / "docs/reference/settings.md").read_text()
        presets = re.findall(r"^### ([a-z0-9-]+)\n\n.*\n\n```toml\n([^`]*)```", page, re.MULTILINE)
        self.assertGreater(len(presets), 10)
        for name, text in presets:
            settings = tomllib.loads(self.output("train", "--preset", name, "--dry-run"))
            for setting, value in (line.split(" = ", 1) for line in text.splitlines()):
                self.assertTrue(is_setting(value, settings[setting]),
                                f"{setting} of {name} is {settings[setting]}, not {value}")

    # ---- methods

    def test_augmented_levels_are_drawn_as_a_picture(self):
        level = ["levels", "minigrid/MiniGrid-DoorKey-8x8-v0", "--seeds", "0-1", "--tile-size", "8"]
        done = plr(*level, "--augment", "--out", "a.png", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "a.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assert_leaves_nothing([*level, "--augment"], "--augment requires --out FILE")

    def test_the_cost_of_methods_is_measured(self):
        small = ["bench", "update", "--network", "multiroom", "--device", "cpu", "--threads", "1",
                 "--minibatch", "4", "--minibatches", "2", "--rounds", "1"]
        done = plr(*small, "--json", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        costs = json.loads(done.stdout)["costs"]
        self.assertEqual([cost["method"] for cost in costs][:3], ["ppo", "mixreg", "drac, crop"])
        self.assertEqual((len(costs), costs[0]["relative"]), (11, 1))
        self.assertIn("ucb-drac", plr(*small, cwd=self.folder).stdout)
        self.assert_leaves_nothing(["bench", "update", "--network", "atari"],
                                   "--network must be one of procgen, multiroom, omg-medium, maze, not atari")
        self.assert_leaves_nothing([*small, "--rounds", "0"], "--rounds")

    def test_bench_gpu_says_which_kernels_are_used_and_why(self):
        done = plr("bench", "gpu", "--device", "cpu", "--network", "multiroom", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("CPU, precision fp32\n"), done.stdout)
        for part in ("inference", "training"):
            self.assertRegex(done.stdout, rf"(?m)^multiroom +{part} +libtorch +\S.*$")
        self.assert_leaves_nothing(["bench", "gpu", "--device", "cpu", "--network", "atari"],
                                   "--network must be one of procgen, multiroom, omg-medium, maze, not atari")

    # ---- eval

    def test_eval_measures_test_and_training_levels(self):
        self.train("--out", "run")
        done = plr("eval", "run", "--episodes", "6", "--json", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        result = json.loads(done.stdout)
        self.assertEqual(result["test"]["episodes"], 6)
        self.assertAlmostEqual(result["gap"], result["train"]["return"] - result["test"]["return"])
        again = plr("eval", "run", "--episodes", "6", "--json", cwd=self.folder)
        self.assertEqual(done.stdout, again.stdout)
        table = plr("eval", "run", "--episodes", "6", cwd=self.folder).stdout
        self.assertIn("unseen", table)

    def train_maze(self):
        self.train("--preset", "maze-dr", "--env", "maze/random-25", "--eval-interval", "0", "--final-episodes", "8",
                   "--max-steps", "20", "--lstm-units", "16", "--num-minibatches", "1", "--out", "maze")

    def test_eval_lists_the_levels_of_another_environment(self):
        self.train_maze()
        done = plr("eval", "maze", "--env", "maze/SmallCorridor", "--episodes", "20", "--json", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        levels = json.loads(done.stdout)["test_levels"]
        self.assertEqual([level["name"] for level in levels], [f"SmallCorridor/{i}" for i in range(10)])
        self.assertEqual({level["episodes"] for level in levels}, {2})
        # Without --env, the run's own test environment.
        table = plr("eval", "maze", "--episodes", "8", cwd=self.folder).stdout
        self.assertRegex(table, r"(?m)^Labyrinth2 +1 +0\.0% +0\.0000$")
        self.assertIn("training set", table)
        self.assert_leaves_nothing(["eval", "maze", "--env", "maze/JaxUED-9"], "did you mean maze/JaxUED-8?")

    def test_eval_cvar_measures_the_worst_levels(self):
        self.train_maze()
        command = ["eval", "maze", "--cvar", "--cvar-levels", "20", "--json"]
        done = plr(*command, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["env"], result["levels"]), ("maze/random-60", 20))
        self.assertEqual([row["fraction"] for row in result["cvar"]], [0.05, 0.1, 0.2, 0.5, 1])
        head, *rows = (self.folder / "maze" / "cvar.csv").read_text().splitlines()
        self.assertEqual(head, "level,episodes_a,successes_a,episodes_b,successes_b")
        self.assertEqual(len(rows), 20)
        totals = [[int(cell) for cell in row.split(",")] for row in rows]
        self.assertAlmostEqual(result["cvar"][-1]["success_rate"], sum(row[4] / row[3] for row in totals) / 20)
        self.assertEqual(plr(*command, cwd=self.folder).stdout, done.stdout)
        self.assert_leaves_nothing(["eval", "maze", "--cvar", "--cvar-levels", "0"], "--cvar-levels must be from 1")

    def test_wrong_evaluations_are_refused(self):
        self.train("--out", "run")
        self.assert_leaves_nothing(["eval", "nowhere"], "there is no run in nowhere")
        self.assert_leaves_nothing(["eval", "run", "--episodes", "0"], "--episodes must be from 1 to 1048576, not 0")
        self.assert_leaves_nothing(["eval", "run", "--levels", "5-2"], "the range 5-2 ends before it begins")


if __name__ == "__main__":
    unittest.main()
