"""Tests of plr experiment: runs, plans, failures, interruption and resumption.

Run by ctest with the program's path in PLR_PROGRAM; needs Python's standard library only.
"""

import csv
import json
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
import tomllib
import unittest

from program import PROGRAM, ProgramTest, is_setting, plr, wait_for_log

TINY = """
methods = ["plr", "uniform"]
seeds = "1-2"
[settings]
env = "minigrid/MiniGrid-Empty-Random-6x6-v0"
device = "cpu"
levels = 20
num_slots = 4
rollout_length = 16
num_minibatches = 2
eval_interval = 2
eval_episodes = 4
final_episodes = 4
checkpoint_interval = 2
steps = 256
"""
NAMES = [f"empty-random-6x6-{method}-s{seed}" for method in ("plr", "uniform") for seed in (1, 2)]
STARTED_FIRST = [name for name in NAMES if name.endswith("-s1")]


def planned_commands(plan):
    """The folder of each run of a printed plan, and the arguments of its command."""
    for line in re.finditer("^ +plr (train .*)$", plan, re.MULTILINE):
        words = shlex.split(line[1])
        yield pathlib.Path(words[words.index("--out") + 1]), words


class Experiment(ProgramTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, text=TINY):
        (self.folder / "tiny.toml").write_text(text)

    def experiment(self, *arguments):
        return plr("experiment", "tiny.toml", *arguments, cwd=self.folder)

    def steps(self, name, folder="tiny"):
        log = (self.folder / "runs" / folder / name / "log.jsonl").read_text().splitlines()
        return [json.loads(line)["steps"] for line in log]

    def test_all_runs_are_made_and_reported(self):
        self.write()
        done = self.experiment()
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in NAMES:
            self.assertEqual(self.steps(name), [64, 128, 192, 256])
            self.assertTrue((self.folder / "runs/tiny" / name / "report.html").exists())
            self.assertIn(f"finished {name}", done.stderr)
        self.assertIn("4 of 4 runs are finished: runs/tiny/report.html", done.stdout)
        self.assertIn("4 runs, 4 finished", (self.folder / "runs/tiny/report.html").read_text())
        # The second time there is nothing to do.
        again = self.experiment()
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("finished empty", again.stderr)

    def test_a_dry_run_lists_runs_and_their_cost_only(self):
        self.write()
        done = self.experiment("--dry-run", "--speed", "1", "--jobs", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in NAMES:
            self.assertIn(name, done.stdout)
        self.assertIn("--method uniform --seed 2", done.stdout)
        # 4 x 256 steps at one per second are 17 minutes 4 seconds, two at a time half of that.
        self.assertIn("4 runs in runs/tiny, 1.0k steps left; 18 min in total at 1 steps/s, 2 at a time: about 9 min",
                      done.stdout)
        self.assertFalse((self.folder / "runs").exists())

    def test_a_rehearsal_is_short_and_has_its_own_folder(self):
        self.write()
        done = self.experiment("--scale", "0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.steps(NAMES[0], "tiny-scale0.5"), [64, 128])
        # Its speed is used to estimate the cost of the whole.
        self.assertRegex(self.experiment("--dry-run").stdout, "in total at .* steps/s")

    def test_a_failing_run_does_not_affect_the_others(self):
        self.write()
        # A file in place of the folder of a run.
        (self.folder / "runs/tiny").mkdir(parents=True)
        (self.folder / "runs/tiny" / NAMES[1]).write_text("")
        done = self.experiment()
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"plr experiment: 1 of 4 runs failed: {NAMES[1]} failed (exit code 2): plr train: cannot make",
                      done.stderr.splitlines()[-1])
        self.assertIn("3 of 4 runs are finished", done.stdout)
        for name in NAMES[:1] + NAMES[2:]:
            self.assertEqual(self.steps(name)[-1], 256)
        # When the cause is removed, only that run is made.
        (self.folder / "runs/tiny" / NAMES[1]).unlink()
        done = self.experiment()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"finished {NAMES[1]} (4 of 4)", done.stderr)

    def interrupted(self, how):
        """Interrupts long runs and waits until they have stopped; returns exit code and output."""
        self.write(TINY.replace("steps = 256", "steps = 100000000"))
        process = subprocess.Popen([PROGRAM, "experiment", "tiny.toml", "--jobs", "2"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        logs = [self.folder / "runs/tiny" / name / "log.jsonl" for name in STARTED_FIRST]
        for log in logs:
            wait_for_log(process, log)
        process.send_signal(how)
        out, _ = process.communicate(timeout=60)
        # They end when their parent has ended; until then their logs grow.
        for _ in range(200):
            sizes = [log.stat().st_size for log in logs]
            time.sleep(0.3)
            if sizes == [log.stat().st_size for log in logs]:
                break
        else:
            self.fail("the runs have not stopped")
        return process.returncode, out

    def test_planned_commands_are_quoted_for_the_shell(self):
        self.write()
        done = self.experiment("--dry-run", "--out", "it's all here")
        self.assertEqual([words[-2:] for _, words in planned_commands(done.stdout)],
                         [["--out", f"it's all here/{name}"] for name in NAMES])

    def test_stopping_while_runs_start_is_no_failure(self):
        self.write(TINY.replace("steps = 256", "steps = 100000000"))
        for delay in (0.02, 0.05, 0.1, 0.2, 0.3):
            process = subprocess.Popen([PROGRAM, "experiment", "tiny.toml", "--jobs", "2"], cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while not (self.folder / "runs/tiny/output").exists():
                time.sleep(0.005)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
            self.assertIn(process.returncode, (128 + signal.SIGINT, -signal.SIGINT))  # before the handlers are installed
            self.assertNotIn("failed", err)

    def test_ctrl_c_saves_all_runs_and_the_same_command_resumes(self):
        code, out = self.interrupted(signal.SIGINT)
        self.assertEqual(code, 128 + signal.SIGINT)
        self.assertIn("Stopped and saved.  The same command resumes.", out)
        done = [self.steps(name)[-1] for name in STARTED_FIRST]
        self.assertFalse((self.folder / "runs/tiny" / NAMES[1]).exists())
        # Both resume, and end one update later, as the file now says.
        steps = max(done) + 64
        self.write(TINY.replace("steps = 256", f"steps = {steps}"))
        again = self.experiment("--jobs", "2")
        self.assertEqual(again.returncode, 0, again.stderr)
        for name in NAMES:
            self.assertEqual(self.steps(name), list(range(64, steps + 1, 64)))

    def test_runs_end_when_the_experiment_is_killed(self):
        code, _ = self.interrupted(signal.SIGKILL)
        self.assertEqual(code, -signal.SIGKILL)

    def test_an_experiment_has_one_owner(self):
        self.write(TINY.replace("steps = 256", "steps = 200000"))
        first = subprocess.Popen([PROGRAM, "experiment", "tiny.toml"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for_log(first, self.folder / "runs/tiny" / NAMES[0] / "log.jsonl")
            done = self.experiment()
            self.assertEqual(done.stderr, "plr experiment: cannot write runs/tiny/experiment.lock: another process is "
                             "writing it; wait until it has finished, or stop it\n")
            self.assertEqual(done.returncode, 2)
        finally:
            first.send_signal(signal.SIGTERM)
            self.assertEqual(first.wait(), 143)

    def test_a_plan_of_too_many_runs_is_refused_before_it_is_made(self):
        lists = "".join(f"{name} = [{', '.join(str(i) for i in range(1, 60))}]\n"
                        for name in ("epochs", "num_slots", "eval_interval", "levels_interval", "final_episodes",
                                     "eval_episodes", "checkpoint_interval", "rollout_length"))
        self.write("[sweep]\n" + lists)
        done = self.experiment("--dry-run")
        self.assertEqual((done.stderr, done.returncode),
                         ("plr experiment: tiny.toml: an experiment has at most 20000 runs; give fewer seeds or "
                          "shorter lists, or several files\n", 2))
        self.write(TINY.replace('seeds = "1-2"', "seeds = 18446744073709551615"))
        self.assertIn("-s18446744073709551615", self.experiment("--dry-run").stdout)

    def test_a_folder_with_other_settings_is_refused(self):
        self.write()
        self.assertEqual(self.experiment().returncode, 0)
        self.write(TINY + "temperature = 0.7\n")
        done = self.experiment()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"plr experiment: runs/tiny/{NAMES[0]} holds another run: temperature is 0.1, "
                                      "not 0.7; choose another folder with --out\n")

    def test_wrong_files_and_options_are_refused(self):
        self.write("methods = [\"plr\"]\nsteps = 3\n")
        for arguments, message in [
                (["nowhere.toml"], "there is no file nowhere.toml"),
                (["tiny.toml"], "tiny.toml:2: unknown line 'steps'"),
                (["tiny.toml", "--jobs", "0"], "--jobs must be at least 1, not 0"),
                (["tiny.toml", "--speed", "0"], "--speed must be above 0, not 0"),
                (["tiny.toml", "--scale", "2"], "--scale must be above 0 and at most 1, not 2"),
                (["tiny.toml", "--set", "gamma"], "--set must be NAME=VALUE, not gamma"),
                (["tiny.toml", "--sbatch=--time=1"], "--sbatch requires --slurm"),
                (["tiny.toml", "--slurm", "--ranks-per-run", "3"], "--ranks-per-run must be a power of two, not 3")]:
            done = plr("experiment", *arguments, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
            self.assertIn(message, done.stderr)
        for text, message in [
                ("", "tiny.toml: the file names no runs"),
                ('env = "minigrid/DoorKye"\n', "tiny.toml:1: unknown environment 'minigrid/DoorKye'"),
                ("[settings]\nsteps = 10\n", "tiny.toml: steps must be at least one update"),
                ("[settings]\nseed = 5\n", "tiny.toml:2: seed belongs above all sections"),
                ('[settings]\nlevels = "nofile"\n', "tiny.toml:2: levels must be a number, a range such as 100-299, full, or a file of ids; "
                 "there is no file nofile"),
                ("[sweep]\ntemperature = []\n", "tiny.toml:2: temperature has no value"),
                ('preset = "small"\npresets = ["small"]\n', "tiny.toml:2: presets is given twice")]:
            self.write(text)
            done = plr("experiment", "tiny.toml", "--dry-run", cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
            self.assertIn(message, done.stderr)
        self.write("seeds = 2\n")
        for setting, message in [("gamma=2", "--set: gamma must be "), ("gama=0.9", "--set: unknown setting 'gama'"),
                                 ("seed=5", "--set: the file lists every seed; change it there")]:
            done = plr("experiment", "tiny.toml", "--dry-run", "--set", setting, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
            self.assertIn(message, done.stderr)
        self.assertFalse((self.folder / "runs").exists())

    def test_every_experiment_of_the_paper_can_be_planned(self):
        # Environments x methods or settings x seeds.
        expected = {"quick": 6, "procgen-easy": 16 * 6 * 10, "procgen-hard": 16 * 6 * 5,
                    "staleness-rank": 16 * 5 * 10, "staleness-proportional": 16 * 5 * 10,
                    "rank-proportional": 16 * 3 * 10, "scores": 16 * 7 * 4,
                    "grid-plr": 16 * 6 * 2 * 5 * 3 * 4, "grid-mixreg": 16 * 9 * 4,
                    "grid-mixreg-hard": 16 * 9 * 4, "grid-multiroom": 2 * 5 * 3 * 3,
                    "grid-full-multiroom": 5 * 3, "grid-full-omg-easy": 5 * 3,
                    "grid-tscl-epsilon": 16 * 4 * 4 * 4 * 4 * 4, "grid-tscl-boltzmann": 16 * 4 * 4 * 3 * 4 * 4,
                    "multiroom": 2 * 10, "omg-easy": 2 * 10, "omg-medium": 2 * 5,
                    "omg-easy-no-pool": 2 * 2, "omg-medium-no-pool": 2 * 2, "omg-easy-late": 4 * 4,
                    "algorithms": 3 * 3, "algorithm-decision": 3 * 3 * 3,
                    "starpilot-decision": 8 * 3, "small-schedule": 5 * 6,
                    "small-budget": 6 * 12,
                    "open-episodes": 6 * 3, "bigfish": 2 * 2, "kernels": 2 * 2,
                    "full-multiroom": 6 * 3, "full-omg-easy": 6 * 3, "full-omg-medium": 3,
                    "jaxued": 4 * 3, "sfl": 2 * 3, "uniform-plr": 16 * 2 * 3,
                    "five-games": 5 * 4}
        files = [file for file in sorted((pathlib.Path(__file__).parent.parent / "experiments").rglob("*.toml"))
                 if "results" not in file.parts]
        self.assertEqual({file.stem for file in files}, set(expected))
        presets = set()
        for file in files:
            done = plr("experiment", str(file), "--dry-run", cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"\n{expected[file.stem]} runs in runs/{file.stem}, ", done.stdout)
            preset = re.search("--preset ([a-z-]+)", done.stdout)[1]
            if preset not in presets:
                self.assert_resumes_its_first_run(file, done.stdout)
            presets.add(preset)

    def test_committed_results_have_the_settings_of_their_files(self):
        of_the_machine = {"device", "threads", "num_workers", "precision", "shards", "seed"}
        num_runs = 0
        for common in (pathlib.Path(__file__).parent.parent / "experiments").rglob("results/*/settings.toml"):
            file = common.parent.parent.parent / f"{common.parent.name}.toml"
            if not file.exists():
                continue  # runs that no file plans; the README beside them has their command
            plan = plr("experiment", str(file), "--dry-run", cwd=self.folder).stdout
            commands = {folder.name: words for folder, words in planned_commands(plan)}
            of_all = tomllib.loads(common.read_text())
            planned = {}  # settings, by the name of a run without its seed
            with open(common.parent / "runs.csv") as runs:
                rows = list(csv.DictReader(runs))
            for row in rows:
                run = pathlib.Path(row["run"]).name
                kind = re.sub(r"-s\d+$", "", run)
                if kind not in planned:
                    planned[kind] = tomllib.loads(plr(*commands[run], "--dry-run", cwd=self.folder).stdout)
                settings = row | of_all
                ignored = set(of_the_machine)
                if settings["curriculum"] == "uniform":
                    ignored |= {"open_episodes"}
                if settings["drac"] == "false":
                    ignored |= {"drac_sampled", "overbright_cutout"}
                for name in planned[kind].keys() - ignored:
                    self.assertTrue(is_setting(settings[name], planned[kind][name]),
                                    f"{common.parent}: {run} has {name} {settings[name]}, not {planned[kind][name]}")
                num_runs += 1
        self.assertGreaterEqual(num_runs, 91)

    def assert_resumes_its_first_run(self, file, plan):
        """plr train gives a planned run the settings of the plan: else it could not be resumed."""
        folder, words = next(planned_commands(plan))
        (self.folder / folder).mkdir(parents=True)
        (self.folder / folder / "config.toml").write_text(plr(*words, "--dry-run", cwd=self.folder).stdout)
        done = plr("experiment", str(file), "--dry-run", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_makes_only_the_runs_that_match(self):
        self.write()
        done = self.experiment("--only", NAMES[1], "--only", "*-uniform-s1")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = {path.parent.name for path in (self.folder / "runs/tiny").glob("*/config.toml")}
        self.assertEqual(made, {NAMES[1], NAMES[2]})
        done = self.experiment("--only", "nothing")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "plr experiment: --only: tiny.toml has no run 'nothing'; names are such as "
                         f"{NAMES[0]}, and * stands for any text\n")

    def test_a_task_is_one_run(self):
        self.write()
        done = self.experiment("--task", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.name for path in (self.folder / "runs/tiny").iterdir()], [NAMES[2]])
        self.assertIn("is finished", self.experiment("--task", "2").stdout)
        self.assertIn("--task must be from 0 to 3, not 4", self.experiment("--task", "4").stderr)


if __name__ == "__main__":
    unittest.main()
