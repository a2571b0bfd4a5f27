"""Tests of the command line of plr: help, errors, and the verbs that need no libtorch.

Run by ctest with the program's path in PLR_PROGRAM; needs Python's standard library only.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from program import PROGRAM, ProgramTest, plr

MULTI_ROOM = "minigrid/MultiRoom-N4-Random"


class CommandLine(ProgramTest):
    # ---- help

    def test_help_lists_every_verb_and_shows_examples(self):
        text = self.output("--help")
        for word in ("envs", "levels", "bench", "report", "Examples:"):
            self.assertIn(word, text)

    def test_no_arguments_print_the_help(self):
        self.assertEqual(self.output(), self.output("--help"))

    def test_every_verb_has_help(self):
        for verb in (["envs"], ["levels"], ["report"], ["bench"], ["bench", "env"]):
            self.assertIn("Usage: plr " + verb[0], self.output(*verb, "--help"))

    def test_commands_that_need_torch_are_passed_to_the_trainer(self):
        if "(needs torch)" not in self.output("--help"):
            self.skipTest("built with libtorch")
        for words in (["train", "--steps", "5", "--help"], ["eval", "runs/NAME"], ["bench", "train", "--json"]):
            environment = {**os.environ, "PLR_PYTHON": "/bin/echo"}
            self.assertEqual(plr(*words, env=environment).stdout, f"-P -m plr.trainer {' '.join(words)}\n")
            environment["PLR_PYTHON"] = ""
            self.assertEqual(plr(*words, env=environment).stderr,
                             f"plr {' '.join(words[:2] if words[0] == 'bench' else words[:1])}: this program was built "
                             "without libtorch; build it with PLR_WITH_TORCH=ON, or use the command plr of the Python "
                             "package level-replay\n")

    def test_version_is_one_line(self):
        self.assertRegex(self.output("--version"), r"^plr \d+\.\d+\.\d+, behavior version \d+\n$")

    # ---- wrong commands

    def test_an_unknown_verb_is_refused_with_the_closest(self):
        self.assert_refused(["lvels"], "plr: unknown verb 'lvels'; did you mean levels?")
        self.assert_refused(["bench", "evn"], "plr bench: unknown verb 'evn'; did you mean env?")

    def test_an_unknown_option_is_refused_with_the_closest(self):
        self.assert_refused(["levels", MULTI_ROOM, "--sedes", "3"],
                            "plr levels: unknown option '--sedes'; did you mean --seeds?")
        self.assert_refused(["--verson"], "plr: unknown option '--verson'; did you mean --version?")

    def test_too_many_arguments_are_refused(self):
        self.assert_refused(["envs", "a", "b"], "plr envs: unexpected argument 'b'")

    def test_an_empty_argument_is_refused(self):
        self.assert_refused(["report", "--export", ""], "plr: --export must not be empty")
        self.assert_refused(["report", "--export="], "plr: --export must not be empty")
        self.assert_refused(["report", ""], "plr: an argument must not be empty")
        for empty in (["--test-env", ""], ["--test-env="]):  # the levels of --env
            done = plr("train", "--preset", "maze-dr", *empty, "--dry-run")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn('test_env = ""', done.stdout)

    def test_missing_arguments_are_named(self):
        self.assert_refused(["levels"], "plr levels: give an environment (plr envs lists them) or --file FILE")
        done = plr("bench")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^plr bench: missing subcommand; choose one of: env.*\n$")

    def test_an_option_without_its_value_is_refused(self):
        self.assert_refused(["levels", MULTI_ROOM, "--seeds"], "plr levels: --seeds needs a value; see plr levels --help")
        self.assert_refused(["levels", MULTI_ROOM, "--tile-size"],
                            "plr levels: --tile-size needs a value; see plr levels --help")

    # ---- envs

    def test_envs_lists_all_eighty_with_size_and_step_limit(self):
        text = self.output("envs")
        self.assertEqual(text.count("  minigrid/"), 80)
        self.assertRegex(text, r"minigrid/MultiRoom-N4-Random +14x14 +80 +7\n")

    def test_envs_filters_by_a_part_of_the_name_in_any_case(self):
        names = [env["name"] for env in json.loads(self.output("envs", "gamut", "--json"))]
        self.assertEqual(names, [f"minigrid/ObstructedMazeGamut-{size}"
                                 for size in ("Easy", "Medium", "Hard")])

    def test_envs_as_json_has_every_field(self):
        [env] = json.loads(self.output("envs", MULTI_ROOM, "--json"))
        self.assertEqual(env, {
            "name": MULTI_ROOM, "group": "The paper's own",
            "summary": "The paper's MultiRoom: one to four rooms on a 14 x 14 grid.",
            "width": 14, "height": 14, "max_steps": 80, "num_actions": 7, "actions": "7",
            "num_difficulties": 4})

    def test_envs_names_the_closest_if_none_matches(self):
        self.assert_refused(["envs", "doorkay"],
                            "plr envs: no environment has 'doorkay' in its name; the closest is "
                            "minigrid/MiniGrid-DoorKey-5x5-v0")

    # ---- levels

    def test_levels_are_drawn_in_letters_without_a_terminal(self):
        text = self.output("levels", "minigrid/MiniGrid-Empty-5x5-v0", "--seeds", "7,9")
        self.assertTrue(text.startswith(
            "minigrid/MiniGrid-Empty-5x5-v0: get to the green goal square\n\n"
            "seed 7  seed 9\n"
            "#####   #####\n"
            "#>  #   #>  #\n"
            "#   #   #   #\n"
            "#  G#   #  G#\n"
            "#####   #####\n"), text)

    def test_levels_show_difficulty_and_mission(self):
        self.assertIn("seed 3, 4 of 4", self.output("levels", MULTI_ROOM, "--seeds", "3"))
        self.assertIn("seed 1: you must fetch a grey ball",
                      self.output("levels", "minigrid/MiniGrid-Fetch-8x8-N3-v0", "--seeds", "0-1"))

    def level_file(self, text):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = pathlib.Path(directory.name) / "mine.txt"
        path.write_text(text)
        return str(path)

    def test_levels_of_a_file_are_drawn_with_their_names(self):
        path = self.level_file("name: detour\n...\n.#.\n>#G\n\n>G\n")
        text = self.output("levels", "--file", path)
        self.assertIn("detour, 2 of 6  seed 1, 1 of 6\n"
                      "...             >G\n"
                      ".#.\n"
                      ">#G\n", text)
        self.assertIn(text, self.output("levels", "maze/file:" + path, "--seeds", "0-1"))

    def test_an_error_in_a_level_file_names_file_and_line(self):
        path = self.level_file(">G\n\n>.\n..\n")
        self.assert_refused(["levels", "--file", path], f"plr levels: {path}:3: the level has no goal; put a G")
        self.assert_refused(["levels", "--file", path + "x"],
                            f"plr levels: cannot read {path}x: No such file or directory")
        self.assert_refused(["levels", MULTI_ROOM, "--file", path],
                            "plr levels: give an environment (plr envs lists them) or --file FILE")

    def test_seeding_changes_the_levels(self):
        legacy = self.output("levels", MULTI_ROOM, "--seeds", "3", "--seeding", "legacy")
        pcg64 = self.output("levels", MULTI_ROOM, "--seeds", "3", "--seeding", "pcg64")
        self.assertEqual(legacy, self.output("levels", MULTI_ROOM, "--seeds", "3"))
        self.assertNotEqual(legacy, pcg64)

    def test_wrong_settings_of_levels_are_refused(self):
        for arguments, message in (
                (["foo-n4-random"], "unknown environment 'foo-n4-random'; did you mean "
                                    "minigrid/MultiRoom-N4-Random?"),
                ([MULTI_ROOM, "--seeds", "3-1"],
                 "--seeds must be numbers and ranges like 0-15 or 3,7,20-29, not '3-1'"),
                ([MULTI_ROOM, "--seeds", "1,"],
                 "--seeds must be numbers and ranges like 0-15 or 3,7,20-29, not '1,'"),
                ([MULTI_ROOM, "--seeds", "18446744073709551616"],
                 "--seeds must be numbers and ranges like 0-15 or 3,7,20-29, "
                 "not '18446744073709551616'"),
                ([MULTI_ROOM, "--seeds", "0-1000"],
                 "--seeds must name at most 1000 levels, not '0-1000'"),
                ([MULTI_ROOM, "--observation", "all"],
                 "--observation must be one of default, full, view, not all"),
                ([MULTI_ROOM, "--seeding", "new"],
                 "--seeding must be one of default, legacy, pcg64, not new"),
                ([MULTI_ROOM, "--tile-size", "0"], "--tile-size must be from 4 to 128, not 0"),
                ([MULTI_ROOM, "--columns", "0"], "--columns must be from 1 to 100, not 0")):
            self.assert_refused(["levels", *arguments], "plr levels: " + message)

    def test_the_largest_seed_is_a_level(self):
        self.assertIn("seed 18446744073709551615",
                      self.output("levels", MULTI_ROOM, "--seeds", "18446744073709551615"))

    def picture_directory(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        return pathlib.Path(directory.name)

    def test_a_picture_is_written_without_leftovers(self):
        out = self.picture_directory() / "levels.png"
        self.assertEqual(self.output("levels", MULTI_ROOM, "--seeds", "0-3", "--out", str(out)),
                         f"4 levels in {out}\n")
        self.assertEqual(out.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(os.listdir(out.parent), ["levels.png"])

    def test_a_picture_that_cannot_be_written_leaves_nothing(self):
        directory = self.picture_directory()
        out = directory / "missing" / "levels.png"
        self.assert_refused(["levels", MULTI_ROOM, "--out", str(out)],
                            f"plr levels: cannot write {out}: No such file or directory")
        self.assertEqual(os.listdir(directory), [])

    # ---- bench

    def test_bench_env_measures_the_given_environment(self):
        rows = json.loads(self.output("bench", "env", "--env", "minigrid/MiniGrid-Empty-5x5-v0",
                                      "--seconds", "0.02", "--num-slots", "3", "--json"))
        self.assertEqual([(row["observation"], row["num_slots"]) for row in rows],
                         [("full", 3), ("view", 3)])
        for row in rows:
            self.assertGreater(row["steps_per_second"], 0)
            self.assertGreater(row["microseconds_per_start"], 0)
            self.assertGreater(row["microseconds_per_start_again"], 0)

    def test_wrong_settings_of_bench_are_refused(self):
        self.assert_refused(["bench", "env", "--seconds", "0"],
                            "plr bench env: --seconds must be above 0 and at most 600, not 0")
        self.assert_refused(["bench", "env", "--num-slots", "0"],
                            "plr bench env: num_slots must be from 1 to 65536, not 0")

    # ---- system errors

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([PROGRAM, "envs"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
