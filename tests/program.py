"""Helpers for tests that run the program plr, whose path is in PLR_PROGRAM."""

import os
import subprocess
import time
import unittest

PROGRAM = os.environ["PLR_PROGRAM"]


def plr(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False,
                          timeout=120, **options)


def wait_for_log(process, log):
    """Waits until a run has logged a record; fails if the run ends before."""
    while not log.exists() or not log.read_text():
        assert process.poll() is None, f"ended with {process.returncode} before {log} existed"
        time.sleep(0.05)


def is_setting(text, value):
    """Whether the text of a setting, as in the reference and in exported results, is the value of a TOML file."""
    if isinstance(value, bool):
        return text == str(value).lower()
    return float(text) == value if isinstance(value, (int, float)) else text == value


class ProgramTest(unittest.TestCase):
    def assert_refused(self, arguments, message):
        """One line on standard error, nothing on standard output."""
        done = plr(*arguments)
        self.assertEqual(done.stderr, message + "\n")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, 2)

    def output(self, *arguments):
        done = plr(*arguments)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return done.stdout
