"""Kills training many times, for every curriculum, and compares the result with undisturbed runs.

    PLR_PROGRAM=build/release/app/plr python3 tests/marathon.py --kills 1000

Each run is killed at random moments, by SIGKILL or, every fifth time, by SIGTERM, SIGINT or SIGHUP, and
resumed until it has had its share of kills; then it is finished. It must equal a run that was not disturbed:
tensors and states of the newest checkpoint, evaluations, level records and tables byte for byte; log.jsonl except its
two clock fields. Procgen is included if PLR_PROCGEN names it, CUDA if plr finds a device (`--cuda`, with
--deterministic); `--runs procgen` selects runs by name. Prints a line per run and a summary; the exit code
is 1 if any run differs.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from program import PROGRAM

SHORT = {"device": "cpu", "threads": "1", "num_slots": "8", "rollout_length": "32", "steps": str(8 * 32 * 60),
         "eval_interval": "6", "eval_episodes": "8", "final_episodes": "8", "checkpoint_interval": "2",
         "levels_interval": "3"}
MINIGRID = {**SHORT, "env": "minigrid/MiniGrid-Empty-Random-6x6-v0", "levels": "40", "num_minibatches": "4"}
MAZE = {**SHORT, "lstm_units": "16", "max_steps": "20"}
RUNS = {
    "plr": MINIGRID,
    "uniform": {**MINIGRID, "curriculum": "uniform"},
    "tscl": {**MINIGRID, "curriculum": "tscl"},
    "plr-stream": {**MINIGRID, "levels": "full", "buffer_size": "20"},
    "mixreg": {**MINIGRID, "mixreg": "0.01"},
    "ucb-drac": {**MINIGRID, "method": "ucb-drac"},
    "robust-plr": {**MAZE, "preset": "maze-plr-perp", "buffer_capacity": "24"},
    "accel": {**MAZE, "preset": "maze-accel", "buffer_capacity": "24"},
    "sfl": {**MAZE, "preset": "maze-sfl", "sfl_interval": "4", "sfl_surveyed": "30", "sfl_kept": "8",
            "sfl_survey_steps": "60", "sfl_survey_slots": "16"},
}
PROCGEN = {"procgen": {**SHORT, "env": "procgen/coinrun", "levels": "20", "rollout_length": "16",
                       "steps": str(8 * 16 * 20), "num_minibatches": "2", "eval_episodes": "2",
                       "final_episodes": "2"}}
CUDA = {"cuda": {**MINIGRID, "device": "cuda", "deterministic": "true"}}
GENTLE = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def begin(folder, settings):
    flags = [word for name, value in settings.items() for word in ("--" + name, value)]
    return [PROGRAM, "train", "--out", str(folder), *flags]


def next_command(folder, settings):
    """Resumes, or begins again if the kill came before the run could be resumed."""
    if (folder / "config.toml").exists():
        return [PROGRAM, "train", "--resume", str(folder)]
    return begin(folder, settings)


def finish(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}: {done.stderr}")


def without_clock(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        line.pop("seconds", None)
        line.pop("steps_per_second", None)
    return lines


def result(folder):
    """All results of a run except times, by file."""
    files = {name: (folder / name).read_bytes() for name in ("eval.jsonl", "levels.jsonl", "levels.csv", "config.toml")}
    files["log.jsonl"] = without_clock(folder / "log.jsonl")
    newest = sorted((folder / "checkpoint").glob("update-*"))[-1]  # an older one depends on where it was stopped
    for path in newest.rglob("*"):
        if path.suffix in (".bin", ".safetensors"):
            files[str(path.relative_to(folder))] = path.read_bytes()
    return files


def kill(command, seconds, number):
    """Starts the command and ends it after so many seconds; False if it finished before."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    if process.poll() is not None:
        return False
    process.send_signal(signal.SIGKILL if number % 5 else GENTLE[number // 5 % 3])
    process.wait()
    return True


def disturb(name, settings, kills, temporary, seed):
    """Returns the kills made, those before the run could be resumed, and the files that differ."""
    whole, killed = temporary / f"{name}-whole", temporary / f"{name}-killed-{seed}"
    started = time.monotonic()
    if not whole.exists():
        finish(begin(whole, settings))
        (whole / "duration").write_text(str(time.monotonic() - started))
    duration = float((whole / "duration").read_text())
    moments = random.Random(seed)
    made = early = 0
    while made < kills:
        # Several attempts per run: the kills are spread over all of it.
        if not kill(next_command(killed, settings), moments.uniform(0.05, max(0.2, duration / 3)), made):
            break
        made += 1
        early += not (killed / "config.toml").exists()
    finish(next_command(killed, settings))
    expected, found = result(whole), result(killed)
    different = sorted(file for file in expected.keys() | found.keys() if expected.get(file) != found.get(file))
    return made, early, different


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--kills", type=int, default=100)
    arguments.add_argument("--per-run", type=int, default=20, help="kills of one run at most")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--cuda", action="store_true", help="also on a CUDA device")
    arguments.add_argument("--runs", nargs="+", metavar="NAME", help="only these runs")
    given = arguments.parse_args()
    runs = {**RUNS, **(CUDA if given.cuda else {})}
    procgen = pathlib.Path(os.environ.get("PLR_PROCGEN", "/nowhere"))
    if procgen.is_dir():
        runs |= PROCGEN
    for name in given.runs or []:
        if name not in runs:
            arguments.error(f"--runs {name}: the runs are {', '.join(runs)}")
    runs = {name: runs[name] for name in given.runs or runs}
    total = early = failed = count = 0
    with tempfile.TemporaryDirectory() as temporary:
        while total < given.kills:
            for name, settings in runs.items():
                share = min(given.per_run, given.kills - total)
                if share <= 0:
                    break
                made, begun_again, different = disturb(name, settings, share, pathlib.Path(temporary), given.seed + count)
                count += 1
                total += made
                early += begun_again
                failed += bool(different)
                verdict = f"DIFFERS in {', '.join(different)}" if different else "equal"
                print(f"{name}: {made} kills, {begun_again} before it could be resumed: {verdict}", flush=True)
    print(f"{total} kills ({early} before the run could be resumed), {count} runs, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
