"""Tests of plr experiment --slurm on a real Slurm.

Starts a Slurm of one node in a temporary directory and stops it at the end.  Needs Debian's package
slurm-wlm and root.  Run by ctest with the program's path in PLR_PROGRAM.
"""

import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from experiment_test import NAMES, TINY
from program import PROGRAM, plr
from ranks_test import free_port


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


MISSING = [name for name in ("slurmctld", "slurmd", "sbatch", "squeue", "munged") if not shutil.which(name)]
if os.geteuid() != 0:
    skip("only root can start Slurm")
if MISSING:
    skip(f"{MISSING[0]} is not installed; apt-get install slurm-wlm")


class Slurm:
    """A cluster of one node, this machine, configured with two cores."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}

    def start(self):
        self.start_munge()
        host = socket.gethostname().split(".")[0]
        (self.folder / "state").mkdir()
        (self.folder / "spool").mkdir()
        (self.folder / "slurm.conf").write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
SlurmUser=root
AuthType=auth/munge
AuthInfo=cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.log
""")
        for daemon in ("slurmctld", "slurmd"):
            self.processes.append(subprocess.Popen([daemon, "-D"], env=self.environment,
                                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        self.wait_until(lambda: "idle" in self.call("sinfo", "-h", "-o", "%t"), "no node became idle")

    def start_munge(self):
        """Slurm authenticates with munge: uses a running daemon or starts one."""
        if subprocess.run(["munge", "-n"], capture_output=True, check=False).returncode == 0:
            return
        key = pathlib.Path("/etc/munge/munge.key")
        if not key.exists():
            key.parent.mkdir(parents=True, exist_ok=True)
            key.write_bytes(secrets.token_bytes(1024))
            shutil.chown(key, "munge", "munge")
            key.chmod(0o400)
        pathlib.Path("/run/munge").mkdir(exist_ok=True)
        shutil.chown("/run/munge", "munge", "munge")
        self.processes.append(subprocess.Popen(["munged", "--foreground"], user="munge", group="munge",
                                               extra_groups=[], stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL))
        self.wait_until(lambda: subprocess.run(["munge", "-n"], capture_output=True,
                                               check=False).returncode == 0, "munged did not respond")

    def stop(self):
        self.call("scancel", "--user=root")
        self.wait_until(lambda: self.call("squeue", "-h").strip() == "", "the jobs did not end")
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def call(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False,
                              timeout=60)
        return done.stdout + done.stderr

    def wait_until(self, condition, complaint, seconds=120, output=None):
        """`output` is the file of a job's output, for the message of a failure."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                files = [self.folder / "slurmctld.log", self.folder / "slurmd.log", *([output] if output else [])]
                logs = "\n".join(file.read_text()[-2000:] for file in files if file.exists())
                raise RuntimeError(f"{complaint}\n{logs}")
            time.sleep(0.2)


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "slurm").mkdir()
        cls.slurm = Slurm(cls.folder / "slurm")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.addClassCleanup(cls.slurm.stop)
        cls.slurm.start()

    def submit(self, name):
        answer = self.slurm.call("sbatch", str(self.folder / "runs" / name / "job.sh"))
        self.assertIn("Submitted batch job", answer)

    def wait_for_jobs(self):
        self.slurm.wait_until(lambda: self.slurm.call("squeue", "-h").strip() == "", "the jobs did not end", 300)

    def write(self, name, text, *options):
        (self.folder / (name + ".toml")).write_text(text)
        done = plr("experiment", name + ".toml", "--slurm", "--sbatch=--comment=a test", "--jobs", "2",
                   *options, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"4 runs.  Submit them with\n  sbatch runs/{name}/job.sh\n", done.stdout)

    def steps(self, name, run):
        log = (self.folder / "runs" / name / run / "log.jsonl").read_text().splitlines()
        return [json.loads(line)["steps"] for line in log]

    def test_every_task_is_a_run_of_one_report(self):
        self.write("cluster", TINY)
        self.submit("cluster")
        self.wait_for_jobs()
        for run in NAMES:
            self.assertEqual(self.steps("cluster", run)[-1:], [256],
                             (self.folder / "runs/cluster/output/task-0.txt").read_text())
        done = plr("report", "runs/cluster", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("4 runs in runs/cluster/report.html", done.stdout)

    def test_several_ranks_make_each_run(self):
        self.write("ranks", TINY, "--ranks-per-run", "2")
        self.submit("ranks")
        self.wait_for_jobs()
        output = (self.folder / "runs/ranks/output/task-0.txt").read_text()
        self.assertIn("2 ranks share 2 shards", output)
        for run in NAMES:
            self.assertEqual(self.steps("ranks", run)[-1:], [256], output)

    def test_ranks_of_a_requeued_job_resume_their_run(self):
        run = self.folder / "requeued"
        (self.folder / "requeued.toml").write_text(
            TINY.split("[settings]\n")[1].replace("steps = 256", "steps = 12800") + "num_workers = 1\nshards = 2\n")
        (self.folder / "requeued.sh").write_text(f"""#!/bin/sh
#SBATCH --ntasks=2 --requeue --output={self.folder}/requeued.txt --open-mode=append
export MASTER_ADDR=127.0.0.1 MASTER_PORT={free_port()}
srun --kill-on-bad-exit=1 {PROGRAM} train --config {self.folder}/requeued.toml --out {run}
""")
        job = self.slurm.call("sbatch", "--parsable", str(self.folder / "requeued.sh")).strip()
        output = self.folder / "requeued.txt"
        checkpoints = run / "checkpoint"
        self.slurm.wait_until(lambda: checkpoints.exists() and len(list(checkpoints.glob("update-*"))) > 1
                              and "2 ranks share 2 shards" in output.read_text(), "the run did not start", output=output)
        self.assertEqual(self.slurm.call("scontrol", "requeue", job), "")
        self.wait_for_jobs()
        text = output.read_text()
        log = [json.loads(line)["steps"] for line in (run / "log.jsonl").read_text().splitlines()]
        self.assertEqual(log, list(range(64, 12801, 64)), text)
        self.assertEqual(text.count("2 ranks share 2 shards"), 2, text)
        self.assertEqual(text.count("resuming training on"), 1, text)

    def test_interrupted_tasks_resume_when_submitted_again(self):
        self.write("cut", TINY.replace("steps = 256", "steps = 100000000"))
        self.submit("cut")
        logs = [self.folder / "runs/cut" / run / "log.jsonl" for run in NAMES[:2]]
        self.slurm.wait_until(lambda: all(log.exists() and log.read_text() for log in logs),
                              "the first two runs did not start")
        # The signal of a time limit: the runs save and end.  Pending tasks are canceled first.
        self.slurm.call("scancel", "--name=plr-cut", "--state=PENDING")
        self.slurm.call("scancel", "--signal=TERM", "--batch", "--name=plr-cut", "--state=RUNNING")
        self.wait_for_jobs()
        reached = [self.steps("cut", run)[-1] for run in NAMES[:2]]
        for run, steps in zip(NAMES, reached):
            saved = sorted((self.folder / "runs/cut" / run / "checkpoint").glob("update-*"))[-1]
            self.assertEqual(json.loads((saved / "checkpoint.json").read_text())["facts"]["steps"], steps)
        (self.folder / "cut.toml").write_text(TINY.replace("steps = 256", f"steps = {max(reached) + 64}"))
        self.submit("cut")
        self.wait_for_jobs()
        for run in NAMES:
            self.assertEqual(self.steps("cut", run), list(range(64, max(reached) + 65, 64)))


if __name__ == "__main__":
    unittest.main()
