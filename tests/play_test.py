"""Tests of plr play: transcripts, pictures, errors and the live view.

Run by ctest with the program's path in PLR_PROGRAM; needs Python's standard library only.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import PROGRAM, ProgramTest, plr

EMPTY = "minigrid/MiniGrid-Empty-8x8-v0"
HIDE_CURSOR = "\x1b[?25l"
SHOW_CURSOR = "\x1b[?25h"


class Play(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.folder = pathlib.Path(cls.directory.name)
        cls.run_folder = str(cls.folder / "run")
        done = plr("train", "--env", EMPTY, "--levels", "10", "--steps", "256", "--num_slots", "8",
                   "--rollout_length", "32", "--channels", "4", "--threads", "1",
                   "--device", "cpu", "--final_episodes", "1", "--out", cls.run_folder)
        assert done.returncode == 0, done.stderr

    # ---- the transcript

    def test_a_transcript_has_a_line_per_step_and_ends_with_the_result(self):
        lines = self.output("play", self.run_folder, "--level", "3").splitlines()
        self.assertEqual(lines[0], f"{EMPTY}, level 3: get to the green goal square")
        self.assertEqual(lines[1],
                         f"{self.run_folder} after 1 updates, on a level of its training set; "
                         "values of normalized rewards")
        self.assertEqual(lines[3].split(), ["step", "action", "probability", "value", "reward"])
        end = re.fullmatch(r"(success|no success): return (\d\.\d{3}) in (\d+) steps?", lines[-1])
        self.assertTrue(end, lines[-1])
        steps = lines[4:4 + int(end[3])]
        for number, line in enumerate(steps, start=1):
            self.assertRegex(line, rf"^ +{number}  (left|right|forward|pick up|drop|toggle|done) "
                                   r" +[01]\.\d{3} +-?\d\.\d{3} +\d\.\d{3}$")
        self.assertEqual(lines[4 + len(steps)], "")
        self.assertEqual(lines[-10], "########")  # eight rows, an empty line, the result
        self.assertEqual(float(end[2]) > 0, end[1] == "success")

    def test_the_same_command_plays_the_same_episode(self):
        first = self.output("play", self.run_folder, "--seed", "5")
        self.assertIn("on a level outside its training set", first)
        self.assertEqual(self.output("play", self.run_folder, "--seed", "5"), first)
        self.assertNotEqual(self.output("play", self.run_folder, "--seed", "6"), first)

    def test_steps_cut_the_episode_short(self):
        text = self.output("play", self.run_folder, "--level", "3", "--steps", "2")
        self.assertTrue(text.endswith("stopped: return 0.000 in 2 steps\n"), text)

    def test_a_greedy_agent_takes_the_most_likely_action(self):
        text = self.output("play", self.run_folder, "--level", "3", "--greedy", "--steps", "4")
        for line in text.splitlines()[4:8]:
            self.assertGreaterEqual(float(line.split()[-3]), 0.142)  # at least one in seven

    def test_a_random_agent_needs_only_an_environment(self):
        text = self.output("play", EMPTY, "--level", "3", "--steps", "3")
        self.assertIn("random actions\n", text)
        self.assertRegex(text, r"\n    1  [a-z ]+ +0\.143 +- +0\.000\n")

    # ---- pictures

    def in_new_directory(self, name):
        out = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / name
        if out.suffix == ".gif":
            done = plr("play", EMPTY, "--level", "3", "--steps", "1", "--gif", str(out))
            if "built without giflib" in done.stderr:
                self.skipTest("built without giflib")
            out.unlink()
        return out

    def test_a_gif_has_a_frame_per_step_and_loops(self):
        out = self.in_new_directory("a.gif")
        text = self.output("play", self.run_folder, "--level", "3", "--steps", "6", "--gif", str(out))
        self.assertEqual(text, f"an animation in {out}\nstopped: return 0.000 in 6 steps\n")
        data = out.read_bytes()
        self.assertEqual(data[:6], b"GIF89a")
        self.assertEqual(data.count(b"\x21\xf9\x04"), 7)  # a control block before each frame
        self.assertIn(b"NETSCAPE2.0\x03\x01\x00\x00", data)
        self.assertEqual(os.listdir(out.parent), ["a.gif"])

    def test_a_sheet_is_a_picture(self):
        out = self.in_new_directory("a.png")
        text = self.output("play", self.run_folder, "--level", "3", "--steps", "6", "--png", str(out))
        self.assertTrue(text.startswith(f"a sheet of frames in {out}\n"), text)
        self.assertEqual(out.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(os.listdir(out.parent), ["a.png"])

    def test_a_picture_that_cannot_be_written_leaves_nothing(self):
        for name in ("a.png", "a.gif"):
            out = self.in_new_directory(name)
            missing = out.parent / "missing" / name
            self.assert_refused(
                ["play", EMPTY, "--level", "3", "--" + out.suffix[1:], str(missing)],
                f"plr play: cannot write {missing}: No such file or directory")
            self.assertEqual(os.listdir(out.parent), [])

    # ---- wrong commands

    def test_a_name_that_is_no_run_is_refused(self):
        self.assert_refused(["play", "nowhere"],
                            "plr play: 'nowhere' is neither the folder of a run (no config.toml) "
                            "nor an environment (plr envs lists them)")
        self.assert_refused(["play", "minigrid/Empt-5x5"],
                            "plr play: unknown environment 'minigrid/Empt-5x5'; did you mean "
                            "minigrid/MiniGrid-Empty-5x5-v0?")
        self.assert_refused(["play", "procgen/maze-extreme"],
                            "plr play: procgen/maze has the modes easy, hard, memory (the first without a suffix), "
                            "not 'extreme'")

    def test_wrong_settings_are_refused_in_one_line(self):
        for text, what in (("18446744073709551616", "from 0 to 18446744073709551615"),
                           ("-1", "from 0 to 18446744073709551615"), ("first", "a whole number")):
            for option in ("--level", "--seed"):
                self.assert_refused(["play", EMPTY, option, text],
                                    f"plr play: {option} must be {what}, not {text}")
        for option, text in (("--steps", "0"), ("--delay", "-1"), ("--tile-size", "3")):
            done = plr("play", EMPTY, option, text)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"^plr play: {option}: .*; see plr play --help\n$")

    def test_options_that_conflict_are_refused(self):
        self.assert_refused(["play", EMPTY, "--greedy"],
                            "plr play: --greedy requires a trained agent: give the folder of a run")
        self.assert_refused(["play", EMPTY, "--step"],
                            "plr play: --step requires a terminal: remove it with --gif, --png or "
                            "redirected output")

    def test_a_damaged_checkpoint_is_named(self):
        copy = self.folder / "damaged"
        shutil.copytree(self.run_folder, copy)
        tensors = max(copy.glob("checkpoint/*/tensors.safetensors"))  # the newest
        data = bytearray(tensors.read_bytes())
        data[-1] ^= 1
        tensors.write_bytes(data)
        done = plr("play", str(copy))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^plr play: .*tensors\.safetensors.*\n$")
        shutil.rmtree(copy / "checkpoint")
        done = plr("play", str(copy))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^plr play: .*checkpoint.*\n$")

    # ---- the terminal

    def at_terminal(self, arguments, act=None, times=1):
        """Returns the output at a terminal and the exit code; calls `act` after the first frames."""
        terminal, inner = pty.openpty()
        environment = dict(os.environ, COLORTERM="truecolor", NO_COLOR="")
        with subprocess.Popen([PROGRAM, "play", *arguments], stdin=inner, stdout=inner,
                              stderr=inner, env=environment) as process:
            os.close(inner)
            data = b""
            until = time.monotonic() + 60
            while time.monotonic() < until:
                if not select.select([terminal], [], [], 1)[0]:
                    continue
                try:
                    piece = os.read(terminal, 65536)
                except OSError:  # the program has ended
                    break
                data += piece
                if act and times > 0 and HIDE_CURSOR.encode() in data:
                    act(process, terminal)
                    times -= 1
            code = process.wait(timeout=10)
        os.close(terminal)
        return data.decode(), code

    def test_at_a_terminal_the_level_changes_in_place(self):
        text, code = self.at_terminal([EMPTY, "--level", "3", "--steps", "4", "--delay", "1"])
        self.assertEqual(code, 0)
        self.assertEqual(len(re.findall(r"\x1b\[\d+A\r", text)), 4)  # five pictures
        self.assertGreater(text.index(SHOW_CURSOR), text.index(HIDE_CURSOR))
        self.assertTrue(text.endswith("stopped: return 0.000 in 4 steps\r\n"), text[-200:])

    def test_enter_takes_a_step(self):
        text, code = self.at_terminal(
            [EMPTY, "--level", "3", "--steps", "3", "--step"],
            lambda _, terminal: os.write(terminal, b"\n"), times=3)
        self.assertEqual(code, 0)
        self.assertTrue(text.endswith("stopped: return 0.000 in 3 steps\r\n"), text[-200:])

    def test_ctrl_c_leaves_the_terminal_as_it_was(self):
        for waiting in (["--delay", "60000"], ["--step"]):
            text, code = self.at_terminal(
                [EMPTY, "--level", "3", *waiting],
                lambda process, _: process.send_signal(signal.SIGINT))
            self.assertEqual(code, 0)
            self.assertGreater(text.index(SHOW_CURSOR), text.index(HIDE_CURSOR))
            self.assertTrue(text.endswith("stopped: return 0.000 in 0 steps\r\n"), text[-200:])


if __name__ == "__main__":
    unittest.main()
