"""One run by several processes: the same bytes for any number of ranks, and what happens if one fails.

Run by ctest with the program's path in PLR_PROGRAM. Needs torch for torchrun, which starts the ranks;
all of them meet on the loopback interface. Skipped if there is no torch.
"""

import contextlib
import importlib.util
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from kill_test import MINIGRID, begin, finish, records, resume, result
from program import PROGRAM

RANK_LOST = 75
NUM_UPDATES = 24
SHARDS = {**MINIGRID, "shards": "4", "num_minibatches": "2", "num_workers": "1",
          "steps": str(8 * 32 * NUM_UPDATES)}


def torchrun(num_ranks, command, *options):
    return [sys.executable, "-m", "torch.distributed.run", "--no-python", "--standalone",
            "--nproc-per-node", str(num_ranks), *options, *command]


def free_port():
    """Below the ports that the system gives to connections, one of which could take it before it is used."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_768)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@contextlib.contextmanager
def ranks(num_ranks, command, stdout=subprocess.DEVNULL):
    """Starts the ranks of a run without a launcher, so that each can be killed by itself."""
    port = free_port()
    processes = []
    for rank in range(num_ranks):
        variables = {"WORLD_SIZE": str(num_ranks), "RANK": str(rank), "LOCAL_RANK": str(rank),
                     "LOCAL_WORLD_SIZE": str(num_ranks), "MASTER_ADDR": "127.0.0.1",
                     "MASTER_PORT": str(port)}
        processes.append(subprocess.Popen(command, env={**os.environ, **variables}, text=True,
                                          stdout=stdout, stderr=subprocess.PIPE))
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def wait_for_updates(log, count, processes):
    while not log.exists() or len(log.read_text().splitlines()) < count:
        assert all(process.poll() is None for process in processes), "a rank has ended"
        time.sleep(0.02)


class RanksTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_same(self, one, other):
        for expected, found in zip(result(one), result(other)):
            self.assertEqual(expected, found)

    def test_torchrun_gives_the_same_run_for_1_2_and_4_ranks(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("torchrun needs torch")
        finish(begin(self.folder / "1", SHARDS))
        for num_ranks in (2, 4):
            folder = self.folder / str(num_ranks)
            finish(torchrun(num_ranks, begin(folder, SHARDS)))
            self.assert_same(self.folder / "1", folder)

    def test_torchrun_restarts_a_run_that_lost_a_rank(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("torchrun needs torch")
        finish(begin(self.folder / "whole", SHARDS))
        killed = self.folder / "killed"
        with subprocess.Popen(torchrun(2, begin(killed, SHARDS), "--max-restarts", "1"),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as launcher:
            wait_for_updates(killed / "log.jsonl", 10, [launcher])
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(launcher.pid)], text=True,
                                      capture_output=True, check=True).stdout.split()
            os.kill(int(children[-1]), signal.SIGKILL)
            self.assertEqual(launcher.wait(timeout=300), 0)
        self.assert_same(self.folder / "whole", killed)

    def test_runs_resume_with_other_numbers_of_ranks_after_kills_of_each_rank(self):
        finish(begin(self.folder / "whole", SHARDS))
        killed = self.folder / "killed"
        moments = random.Random(1)
        for kill in range(20):
            num_ranks = (2, 4)[kill % 2]
            victim = kill // 2 % num_ranks
            with ranks(num_ranks, resume(killed, SHARDS)) as processes:
                processes[0].stderr.readline()  # the ranks have met
                time.sleep(moments.uniform(0, 0.4))
                processes[victim].send_signal(signal.SIGKILL)
                codes = [process.wait(timeout=60) for process in processes]
                if 0 in codes:  # the kill came after the last update, which all ranks have agreed upon
                    self.assertEqual(len(records(killed / "log.jsonl")), NUM_UPDATES)
                    break
                expected = [-signal.SIGKILL if rank == victim else RANK_LOST for rank in range(num_ranks)]
                self.assertEqual(codes, expected, [process.stderr.read() for process in processes])
        finish(resume(killed, SHARDS))
        self.assert_same(self.folder / "whole", killed)

    def test_a_rank_that_dies_ends_the_others_with_one_line(self):
        folder = self.folder / "a"
        with ranks(2, begin(folder, SHARDS)) as processes:
            wait_for_updates(folder / "log.jsonl", 3, processes)
            processes[1].send_signal(signal.SIGKILL)
            _, error = processes[0].communicate(timeout=60)
        self.assertEqual(processes[0].returncode, RANK_LOST)
        lines = [line for line in error.splitlines() if line.startswith("plr train:")]
        self.assertEqual(len(lines), 1, error)
        self.assertIn("rank 0 stops: ", lines[0])
        self.assertIn("the last checkpoint is kept", lines[0])

    def test_a_stop_signal_to_one_rank_saves_and_stops_all(self):
        folder = self.folder / "a"
        with ranks(2, begin(folder, SHARDS)) as processes:
            wait_for_updates(folder / "log.jsonl", 3, processes)
            processes[1].send_signal(signal.SIGTERM)
            codes = [process.wait(timeout=60) for process in processes]
        self.assertEqual(codes[1], 128 + signal.SIGTERM)
        finish([PROGRAM, "train", "--resume", str(folder)])
        finish(begin(self.folder / "whole", SHARDS))
        self.assert_same(self.folder / "whole", folder)

    def test_a_slow_rank_changes_nothing(self):
        finish(begin(self.folder / "whole", SHARDS))
        folder = self.folder / "slow"
        with ranks(2, begin(folder, SHARDS)) as processes:
            while processes[0].poll() is None:  # rank 1 runs a tenth of the time
                processes[1].send_signal(signal.SIGSTOP)
                time.sleep(0.09)
                processes[1].send_signal(signal.SIGCONT)
                time.sleep(0.01)
            self.assertEqual(processes[0].returncode, 0)
            self.assertEqual(processes[1].wait(timeout=60), 0)
        self.assert_same(self.folder / "whole", folder)

    def test_two_ranks_on_one_gpu_give_the_run_of_one(self):
        if not os.path.exists("/dev/nvidia0"):
            self.skipTest("no GPU")
        settings = {**SHARDS, "device": "cuda", "deterministic": "true"}
        finish(begin(self.folder / "1", settings))
        with ranks(2, begin(self.folder / "2", settings)) as processes:
            self.assertEqual([process.wait(timeout=300) for process in processes], [0, 0])
        self.assert_same(self.folder / "1", self.folder / "2")

    def test_ranks_with_other_settings_are_refused_by_one_line(self):
        port = free_port()
        processes = []
        for rank, seed in enumerate(("1", "2")):
            variables = {"WORLD_SIZE": "2", "RANK": str(rank), "LOCAL_RANK": str(rank),
                         "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
            command = begin(self.folder / "a", {**SHARDS, "seed": seed})
            processes.append(subprocess.Popen(command, env={**os.environ, **variables}, text=True,
                                              stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        results = [process.communicate(timeout=60) for process in processes]
        self.assertEqual([process.returncode for process in processes], [2, 2])
        self.assertEqual(results[0][1], "plr train: all ranks must have the same seed, but rank 0 "
                                        "has 1 and rank 1 has 2\n")
        self.assertEqual(results[1][1], "")
        self.assertFalse((self.folder / "a").exists())

    def test_a_wrong_command_line_is_reported_by_one_rank(self):
        for words, message in ((["train", "--sed", "3"], "plr train: unknown option '--sed'; did you mean --seed?"),
                               (["train", "--seed"], "plr train: --seed needs a value"),
                               (["trian"], "plr: unknown verb 'trian'; did you mean train?"),
                               (["train", "--out", ""], "plr: --out must not be empty"),
                               (["bench", "train", "--updates", "many"], "plr bench train: ")):
            with self.subTest(words=words), ranks(2, [PROGRAM, *words]) as processes:
                errors = [process.communicate(timeout=60)[1] for process in processes]
                self.assertEqual([process.returncode for process in processes], [2, 2])
                self.assertTrue(errors[0].startswith(message), errors[0])
                self.assertEqual((errors[0].count("\n"), errors[1]), (1, ""))

    def test_a_dry_run_is_printed_by_one_rank(self):
        with ranks(2, [PROGRAM, "train", "--dry-run"], stdout=subprocess.PIPE) as processes:
            outputs = [process.communicate(timeout=60)[0] for process in processes]
            self.assertEqual([process.returncode for process in processes], [0, 0])
        self.assertIn("seed = ", outputs[0])
        self.assertEqual(outputs[1], "")

    def test_a_wrong_number_of_ranks_is_reported_by_one_rank(self):
        with ranks(3, begin(self.folder / "a", SHARDS)) as processes:
            errors = [process.communicate(timeout=60)[1] for process in processes]
        self.assertEqual([process.returncode for process in processes], [2, 2, 2])
        self.assertEqual(errors, ["plr train: WORLD_SIZE must be a power of two, not 3\n", "", ""])

    def test_commands_that_do_not_run_as_ranks_report_in_every_process(self):
        with ranks(2, [PROGRAM, "envs", "--jsn"]) as processes:
            errors = [process.communicate(timeout=60)[1] for process in processes]
        self.assertEqual(errors, ["plr envs: unknown option '--jsn'; did you mean --json?\n"] * 2)

    def test_shards_must_be_a_power_of_two_that_divides_the_slots(self):
        for settings, message in (({"shards": "3"}, "shards must be a power of two, not 3"),
                                  ({"shards": "16"}, "num_slots must be a multiple of the 16 shards, "
                                                     "not 8")):
            done = subprocess.run(begin(self.folder / "a", {**SHARDS, **settings}), text=True,
                                  capture_output=True, check=False, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (2, f"plr train: {message}\n"))

    def test_bench_train_measures_ranks(self):
        with ranks(2, [PROGRAM, "bench", "train", "--preset", "small", "--device", "cpu", "--updates",
                       "1", "--json"]) as processes:
            codes = [process.wait(timeout=120) for process in processes]
        self.assertEqual(codes, [0, 0])


if __name__ == "__main__":
    unittest.main()
