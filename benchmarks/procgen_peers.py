"""Speed of our Procgen environments compared with EnvPool.

    python benchmarks/procgen_peers.py build/release/app/plr [SECONDS [WORKERS]]

measures all sixteen games in easy mode, ours (`plr bench env` and `plr bench procgen`) and EnvPool's,
one after the other in one run: 64 slots, random actions, including level starts.  First on one core,
in steps per second of CPU time, so that other programs have little influence; then with several
threads (default: one per core), in wall-clock time.  EnvPool compiles the games from source, uses the
system's Qt 5, and cannot choose its levels:

    pip install envpool && apt-get install libqt5gui5
"""

import json
import os
import subprocess
import sys
import time

NUM_SLOTS = 64
GAMES = ("bigfish", "bossfight", "caveflyer", "chaser", "climber", "coinrun", "dodgeball", "fruitbot",
         "heist", "jumper", "leaper", "maze", "miner", "ninja", "plunder", "starpilot")


def ours(program, game, seconds, workers):
    """Steps per second on one core and with all workers."""
    def measured(*arguments):
        done = subprocess.run([program, "bench", *arguments, "--json", "--env", f"procgen/{game}",
                               "--seconds", str(seconds), "--num-slots", str(NUM_SLOTS)],
                              check=True, capture_output=True, text=True)
        return json.loads(done.stdout)[0]["steps_per_second"]

    return measured("env"), measured("procgen", "--workers", str(workers))


def envpool(game, seconds, workers):
    """The same for EnvPool, with channels-last observations like ours."""
    import envpool
    import numpy

    actions = numpy.random.default_rng(1).integers(0, 15, (1009, NUM_SLOTS)).astype(numpy.int32)

    def measured(num_threads, clock):
        env = envpool.make(f"{game.capitalize()}Easy-v0", env_type="gymnasium", num_envs=NUM_SLOTS,
                           num_threads=num_threads, channel_first=False)
        env.reset()
        calls = 0
        begin = warm = clock()
        while clock() - begin < seconds:
            env.step(actions[calls % len(actions)])
            calls += 1
            if clock() - warm < 0.2 * seconds:  # the first fifth is warm-up
                begin, calls = clock(), 0
        return calls * NUM_SLOTS / (clock() - begin)

    return measured(1, time.process_time), measured(workers, time.perf_counter)


def main():
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 2.0
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else os.cpu_count()
    print(f"| game | plr, 1 core | EnvPool | ratio | plr, {workers} threads | EnvPool | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|", flush=True)
    for game in GAMES:
        try:
            theirs = envpool(game, seconds, workers)
        except ImportError as error:
            sys.exit(f"EnvPool is missing: {error}")
        mine = ours(program, game, seconds, workers)
        cells = [game]
        for a, b in zip(mine, theirs):
            cells += [f"{a:,.0f}", f"{b:,.0f}", f"{a / b:.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
