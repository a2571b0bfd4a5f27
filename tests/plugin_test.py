"""A plug-in, from its sources to a trained agent: examples/plugin, built against an installed plr.

    plugin_test.py BUILD [TEST ...]     # the folder of a build of plr, which is installed to a scratch folder

Run by ctest with the program's path in PLR_PROGRAM; needs Python's standard library, CMake and ninja.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

from program import PROGRAM, ProgramTest, plr

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv.pop(1))
TINY = ["--device", "cpu", "--threads", "1", "--num-slots", "4", "--rollout-length", "16", "--num-minibatches", "2",
        "--levels", "20", "--eval-interval", "2", "--eval-episodes", "4", "--final-episodes", "4",
        "--checkpoint-interval", "1"]


def has_trainer():
    return "needs torch" not in plr("--help").stdout


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


class Plugin(ProgramTest):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name).resolve()
        os.environ["PLR_CACHE"] = str(cls.folder / "cache")  # where plug-ins that were named are remembered
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "prefix")
        cls.plugin = cls.build("caves", lambda text: text)
        cls.with_workers = cls.build("workers", lambda text: text.replace(
            "VectorEnv(spec_of(task, options))",
            "VectorEnv(spec_of(task, options), plr::num_workers_for(options.num_workers, options.num_slots))"))
        cls.wrong = cls.build("endless", lambda text: text.replace("= clock == kMaxSteps;", "= 0;"))

    @classmethod
    def build(cls, name, change):
        """Builds the example outside of the repository, with a change of its text."""
        source = cls.folder / name
        shutil.copytree(SOURCE / "examples" / "plugin", source)
        text = (source / "caves.cc").read_text()
        (source / "caves.cc").write_text(change(text))
        run("cmake", "-G", "Ninja", "-S", source, "-B", source / "build",
            f"-DCMAKE_PREFIX_PATH={cls.folder / 'prefix'}")
        run("cmake", "--build", source / "build")
        return source / "build" / "libcaves.so"

    def setUp(self):
        self.runs = pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def train(self, *arguments):
        if not has_trainer():
            self.skipTest("built without libtorch")
        # Without the limit of plr(): the longest run takes half a minute of an idle machine.
        done = subprocess.run([PROGRAM, "train", "--env", "caves/gold", *TINY, *arguments], cwd=self.runs,
                              capture_output=True, text=True, check=False, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)

    def records(self, name, file):
        return [json.loads(line) for line in (self.runs / name / file).read_text().splitlines()]

    # ---- environments

    def test_example_has_fewer_than_300_lines(self):
        self.assertLess(len((SOURCE / "examples/plugin/caves.cc").read_text().splitlines()), 300)

    def test_environments_are_listed_and_drawn(self):
        listed = json.loads(self.output("envs", "caves", "--json", "--plugin", self.plugin))
        self.assertEqual([env["name"] for env in listed], ["caves/gold", "caves/bats", "caves/classic"])
        picture = self.runs / "levels.png"
        self.assertIn("4 levels", self.output("levels", "caves/gold", "--seeds", "0-3", "--out", picture,
                                              "--plugin", self.plugin))
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")
        rows = json.loads(self.output("bench", "env", "--env", "caves/bats", "--seconds", "0.01", "--json",
                                      "--plugin", self.plugin))
        self.assertEqual([row["env"] for row in rows], ["caves/bats"])

    def test_check_prints_a_line_per_rule(self):
        for env in ("caves/gold", "caves/bats", "caves/classic"):
            lines = self.output("check", env, "--plugin", self.plugin).splitlines()
            self.assertEqual(lines[0], f"{env}, observation full")
            self.assertEqual(lines[-1], f"{env} obeys all rules")
            self.assertGreater(len(lines), 15)
            for line in lines[1:-1]:
                self.assertTrue(line.endswith(" ok"), line)

    def test_check_finds_violations(self):
        done = plr("check", "caves/gold", "--plugin", self.wrong)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("episodes end within the step limit         VIOLATED\n"
                      "      not true: no episode is longer than max_steps\n", done.stdout)
        self.assertIn("slots can be played by any threads         skipped\n", done.stdout)
        self.assertTrue(done.stdout.endswith("caves/gold violates 3 rules\n"), done.stdout)

    def test_an_evaluation_ends_if_an_episode_does_not(self):
        if not has_trainer():
            self.skipTest("built without libtorch")
        done = subprocess.run([PROGRAM, "train", "--env", "caves/gold", *TINY, "--plugin", self.wrong], cwd=self.runs,
                              capture_output=True, text=True, check=False, timeout=600)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr.splitlines()[-1],
                         r"^plr train: level \d+ of caves/gold did not end within max_steps, \d+$")

    def test_check_knows_the_environments_of_the_program(self):
        self.assertIn("maze/random-25, observation view\n", self.output("check", "maze/random-25"))
        self.assert_refused(["check", "maze/Labirinth"],
                            "plr check: unknown environment 'maze/Labirinth'; did you mean maze/Labyrinth?")

    def test_wrong_files_are_refused(self):
        text = self.folder / "text.so"
        text.write_text("x" * 100)
        for file, message in ((self.folder / "none.so", "does not exist; name its file by --plugin FILE"),
                              (self.folder, "is not a file"),
                              (text, "cannot be loaded: invalid ELF header")):
            self.assert_refused(["envs", "--plugin", str(file)], f"plr envs: plug-in {file} {message}")
        self.assert_refused(["envs", "caves"], "plr envs: no environment has 'caves' in its name; the closest is "
                                               "procgen/caveflyer")

    # ---- runs

    def test_agent_learns(self):
        self.train("--plugin", self.plugin, "--out", "run", "--steps", "25000", "--num-slots", "16",
                   "--rollout-length", "64", "--levels", "1000", "--num-minibatches", "8", "--gamma", "0.95",
                   "--learning-rate", "1e-3", "--learning-rate-schedule", "constant", "--eval-interval", "8",
                   "--eval-episodes", "100", "--final-episodes", "200", "--checkpoint-interval", "100")
        # On levels that it has not seen. A random agent has about 0.56, with a standard error of 0.03.
        self.assertGreater(self.records("run", "eval.jsonl")[-1]["test_return"], 0.7)

    def test_the_program_wakes_the_threads_of_a_plugin(self):
        self.train("--plugin", self.with_workers, "--out", "workers", "--num-workers", "2", "--steps", "640")
        self.train("--plugin", self.with_workers, "--out", "alone", "--num-workers", "1", "--steps", "640")
        returns = [[record["return"] for record in self.records(name, "log.jsonl")] for name in ("workers", "alone")]
        self.assertEqual(*returns)

    def test_levels_have_names(self):
        self.train("--plugin", self.plugin, "--out", "run", "--steps", "64", "--test-env", "caves/classic")
        final = self.records("run", "eval.jsonl")[-1]
        self.assertEqual([level["name"] for level in final["test_levels"]], ["corridor", "rooms"])

    def test_run_resumes_identically_and_knows_its_plugin(self):
        relative = os.path.relpath(self.plugin, self.runs)
        constant = ["--learning-rate-schedule", "constant"]
        self.train("--plugin", relative, "--out", "whole", "--steps", "256", *constant)
        self.train("--plugin", relative, "--out", "parts", "--steps", "128", *constant)
        settings = tomllib.loads((self.runs / "parts/config.toml").read_text())
        self.assertEqual(settings["plugin"], str(self.plugin))
        done = plr("train", "--resume", self.runs / "parts", "--steps", "256", cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        clocks = {"seconds", "steps_per_second"}
        whole, parts = ([{key: value for key, value in record.items() if key not in clocks}
                         for record in self.records(name, "log.jsonl")] for name in ("whole", "parts"))
        self.assertEqual(whole, parts)

        run = str(self.runs / "whole")
        self.assertIn("caves/gold", self.output("eval", run, "--episodes", "4"))
        self.assertIn("rooms", self.output("eval", run, "--episodes", "4", "--env", "caves/classic"))
        self.assertIn("step", self.output("play", run, "--level", "3", "--steps", "5"))
        self.assertIn("step", self.output("play", "caves/gold", "--level", "3", "--plugin", self.plugin))
        self.assertIn("1 run in", self.output("report", run))
        self.assertIn("data:image/png", (self.runs / "whole/report.html").read_text())

    def test_plugin_of_a_run_is_loaded_only_if_the_user_has_named_it(self):
        self.train("--plugin", self.plugin, "--out", "run", "--steps", "64")
        run = str(self.runs / "run")
        os.environ["PLR_CACHE"] = str(self.runs / "cache")  # another user
        self.addCleanup(os.environ.__setitem__, "PLR_CACHE", str(self.folder / "cache"))
        problem = (f"plug-in {self.plugin} is named by a run, but not yet by you; if you trust it, give "
                   f"--plugin {self.plugin}")
        for command in (["eval", run], ["play", run], ["train", "--resume", run],
                        ["train", "--config", run + "/config.toml"]):
            done = plr(*command)
            self.assertEqual(done.returncode, 2)
            self.assertIn(problem, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
        done = plr("report", run)
        self.assertEqual((done.returncode, done.stderr), (0, f"{run}: levels are not drawn: {problem}\n"))
        self.output("eval", run, "--episodes", "2", "--plugin", self.plugin)
        self.output("eval", run, "--episodes", "2")  # it is remembered

    def test_resume_says_that_the_plugin_has_changed(self):
        copy = self.runs / "libcaves.so"
        shutil.copy(self.plugin, copy)
        self.train("--plugin", copy, "--out", "run", "--steps", "64")
        with open(copy, "ab") as file:
            file.write(b"another build")
        run = str(self.runs / "run")
        note = (f"the plug-in {copy} has changed since this run's checkpoint: its episodes may differ from those "
                "before\n")
        self.assertIn(note, plr("eval", run, "--episodes", "2", "--plugin", copy).stderr)
        done = plr("train", "--resume", run, "--steps", "128", "--plugin", copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(note, done.stderr)
        # The new checkpoint belongs to the new build.
        self.assertNotIn("has changed", plr("eval", run, "--episodes", "2").stderr)
        moved = self.runs / "moved.so"
        copy.rename(moved)
        done = plr("eval", run)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"config.toml:\d+: plug-in {copy} does not exist; name its file by --plugin FILE\n")
        self.assertEqual(plr("eval", run, "--episodes", "2", "--plugin", moved).returncode, 0)

    def test_files_of_settings_and_experiments_name_plugins(self):
        if not has_trainer():
            self.skipTest("built without libtorch")
        (self.runs / "mine.toml").write_text(f'env = "caves/bats"\nplugin = "{self.plugin}"\n')
        settings = tomllib.loads(self.output("train", "--config", str(self.runs / "mine.toml"), "--dry-run"))
        self.assertEqual((settings["env"], settings["plugin"]), ("caves/bats", str(self.plugin)))

        settings = "\n".join(f"{flag[2:].replace('-', '_')} = {value!r}".replace("'", '"')
                             for flag, value in zip(TINY[::2], TINY[1::2], strict=True))
        file = self.runs / "caves.toml"
        file.write_text(f'envs = ["caves/gold", "caves/bats"]\nplugin = "{self.plugin}"\n'
                        f'[settings]\nsteps = 64\n{settings}\n')
        for _ in range(2):  # the second time all runs are finished
            done = plr("experiment", file, "--out", self.runs / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(path.name for path in (self.runs / "out").glob("*-s1")), ["bats-s1", "gold-s1"])
        self.output("experiment", str(file), "--out", str(self.runs / "slurm"), "--slurm")
        job = subprocess.run(["sh", self.runs / "slurm/job.sh"], env={**os.environ, "SLURM_ARRAY_TASK_ID": "1"},
                             capture_output=True, text=True, check=False)
        self.assertEqual(job.returncode, 0, job.stderr)
        self.assertTrue((self.runs / "slurm/bats-s1/report.html").exists())
        resumed = self.output("experiment", str(file), "--out", str(self.runs / "out"), "--scale", "1", "--dry-run")
        self.assertIn("caves", resumed)

        file.write_text(f'plugin = "{self.folder}/none.so"\nenv = "caves/gold"\n')
        self.assert_refused(["experiment", str(file)],
                            f"plr experiment: {file}:1: plug-in {self.folder}/none.so does not exist; name its file by --plugin FILE")


if __name__ == "__main__":
    unittest.main()
