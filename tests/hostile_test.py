"""Output that cannot be written and folders that are not to be trusted.

A run never depends on its terminal, the program replaces no device and follows no link inside a
run's folder, and files that are not regular are refused.

Run by ctest with the program's path in PLR_PROGRAM; needs Python's standard library only.
"""

import os
import pathlib
import signal
import stat
import subprocess
import tempfile
import unittest

from program import PROGRAM, ProgramTest, plr, wait_for_log

TINY = ["--env", "minigrid/MiniGrid-Empty-Random-6x6-v0", "--device", "cpu", "--threads", "1",
        "--levels", "20", "--num-slots", "4", "--rollout-length", "16", "--num-minibatches", "2",
        "--eval-interval", "2", "--eval-episodes", "4", "--final-episodes", "4", "--steps", "256"]
DEEP = "[" * 200_000 + "]" * 200_000


class Hostile(ProgramTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def train(self, *arguments):
        done = plr("train", *TINY, "--out", "run", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "run"

    def shell(self, command):
        """Runs `plr COMMAND` with the shell's redirections."""
        return subprocess.run(["sh", "-c", f'exec "$0" {command}', PROGRAM], cwd=self.folder,
                              capture_output=True, text=True, check=False, timeout=120)

    # ---- standard streams

    def test_a_run_needs_no_standard_streams(self):
        flags = " ".join(TINY)
        for name, closed in (("error", "2>&-"), ("all", "<&- >&- 2>&-")):
            done = self.shell(f"train {flags} --out {name} {closed}")
            self.assertEqual(done.returncode, 0 if name == "error" else 2, done.stderr)
            log = (self.folder / name / "log.jsonl").read_text()
            self.assertEqual([line[:10] for line in log.splitlines()],
                             ['{"update":'] * 4)
            self.assertTrue((self.folder / name / "report.html").exists())

    def test_a_full_disk_below_standard_error_ends_nothing(self):
        flags = " ".join(TINY)
        done = self.shell(f"train {flags} --out run 2>/dev/full")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Trained on", done.stdout)
        self.assertEqual(self.shell("train --nosuch 2>/dev/full").returncode, 2)

    def test_output_that_is_lost_is_an_error_but_the_run_is_saved(self):
        done = self.shell(f"train {' '.join(TINY)} --out run >/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith("plr train: cannot write to standard output: No space left on device\n"))
        self.assertEqual(len((self.folder / "run/log.jsonl").read_text().splitlines()), 4)
        for flag in ("--help", "--version"):
            self.assertEqual(self.shell(f"{flag} >/dev/full").returncode, 2)

    def test_a_closed_pipe_saves_and_stops(self):
        read, write = os.pipe()
        process = subprocess.Popen([PROGRAM, "train", *TINY, "--steps", "2000000", "--out", "run",
                                    "--checkpoint-interval", "100000"],
                                   cwd=self.folder, stdout=write, stderr=write, restore_signals=True)
        os.close(write)
        wait_for_log(process, self.folder / "run/log.jsonl")
        os.close(read)
        # The next progress line, within ten seconds, finds the pipe closed.
        self.assertEqual(process.wait(timeout=60), 128 + signal.SIGPIPE)
        saved = sorted((self.folder / "run/checkpoint").iterdir())[-1].name
        updates = len((self.folder / "run/log.jsonl").read_text().splitlines())
        self.assertEqual(saved, f"update-{updates:08}")

    # ---- outputs that are not files

    def test_devices_pipes_and_links_are_written_to(self):
        run = self.train()
        page = self.folder / "page.html"
        (self.folder / "link.html").symlink_to(page)
        self.assertEqual(plr("report", str(run), "--out", str(self.folder / "link.html")).returncode, 0)
        self.assertTrue((self.folder / "link.html").is_symlink())
        self.assertTrue(page.read_text().startswith("<!DOCTYPE html>"))
        done = plr("report", str(run), "--out", "/dev/stdout")
        self.assertTrue(done.stdout.startswith("<!DOCTYPE html>"))
        self.assertTrue(done.stdout.endswith("1 run in /dev/stdout\n"))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        done = plr("report", str(run), "--out", "/dev/full")
        self.assertEqual((done.stderr, done.returncode),
                         ("plr report: cannot write /dev/full: No space left on device\n", 2))
        done = plr("levels", "minigrid/MultiRoom-N4-Random", "--seeds", "0", "--out", "/dev/null")
        self.assertEqual(done.returncode, 0, done.stderr)
        for device in ("/dev/full", "/dev/null"):
            self.assertTrue(stat.S_ISCHR(os.stat(device).st_mode))

    # ---- folders of others

    def test_a_report_follows_no_link_in_the_folder_of_a_run(self):
        run = self.train()
        precious = self.folder / "precious"
        precious.write_text("kept")
        (run / "report.html").unlink()
        for name in ("report.html", "report.html.tmp"):
            (run / name).symlink_to(precious)
        self.assertEqual(plr("report", str(run)).returncode, 0)
        self.assertEqual(precious.read_text(), "kept")
        self.assertFalse((run / "report.html").is_symlink())

    def test_many_reports_of_one_run_at_a_time_all_succeed(self):
        run = self.train()
        reports = [subprocess.Popen([PROGRAM, "report", str(run)], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, text=True) for _ in range(12)]
        for report in reports:
            self.assertEqual((report.communicate()[1], report.returncode), ("", 0))
        self.assertTrue((run / "report.html").read_text().endswith("</html>\n"))
        self.assertEqual([path.name for path in run.glob("*.tmp")], [])

    def test_files_that_are_not_regular_are_refused(self):
        run = self.train()
        log = (run / "log.jsonl").read_text()
        for name in ("log.jsonl", "config.toml"):
            text = (run / name).read_text()
            (run / name).unlink()
            os.mkfifo(run / name)  # reading would wait for a writer
            done = plr("report", str(run))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{name}: it is not a regular file", done.stderr)
            (run / name).unlink()
            (run / name).symlink_to("/dev/zero")
            done = plr("report", str(run))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{name}: it is not a regular file", done.stderr)
            (run / name).unlink()
            (run / name).write_text(text)
        self.assertEqual((run / "log.jsonl").read_text(), log)
        self.assertEqual(plr("report", str(run)).returncode, 0)
        self.assert_refused(["train", "--levels", "/dev/zero"],
                            "plr train: cannot read /dev/zero: it is not a regular file")

    def test_deeply_nested_files_are_refused(self):
        run = self.train()
        newest = sorted((run / "checkpoint").iterdir())[-1]
        (newest / "checkpoint.json").write_text('{"format": ' + DEEP + "}")
        for command in (["eval", str(run)], ["train", "--resume", str(run)]):
            done = plr(*command)
            self.assertEqual(done.returncode, 2)
            self.assertIn("checkpoint.json is damaged (its checksum differs)", done.stderr)
        with (run / "log.jsonl").open("a") as log:
            log.write('{"update": ' + DEEP + "}\n")
        done = plr("report", str(run))
        self.assertEqual(done.returncode, 0)
        self.assertIn("log.jsonl: 1 damaged line left out", done.stderr)

    def test_levels_far_beyond_memory_are_evaluated_or_refused_at_once(self):
        run = self.train()
        done = plr("eval", str(run), "--levels", "2000000000", "--episodes", "2")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
