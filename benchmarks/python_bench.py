"""Speed of plr from Python, compared with other packages.

    python benchmarks/python_bench.py [--what env|sampler] [--seconds S] [--rounds R]

env      steps per second through Python: plr.make_vec, EnvPool's MiniGrid and Procgen, and
         Gymnasium's vector environment of minigrid; 64 slots, random actions, including level
         starts, ours on levels chosen by LevelReplay
sampler  microseconds of one next() and one record() with 4,000 levels: plr.LevelReplay, Syllabus'
         sampler, and the definition in NumPy, which recomputes all probabilities

All in one process and one thread, in CPU time, so that other programs have little influence; one
after the other in every round; results are medians over the rounds.  Packages that are not installed
are reported and skipped:

    pip install . minigrid==3.1.0 envpool Syllabus-RL && apt-get install libqt5gui5
"""

import argparse
import os
import statistics
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import plr

NUM_ENVS = 64
NUM_LEVELS = 4000
TASKS = ("MiniGrid-DoorKey-6x6-v0", "MiniGrid-MultiRoom-N4-S5-v1", "MiniGrid-MultiRoom-N6-v0",
         "MiniGrid-ObstructedMaze-2Dlhb-v1")
GAMES = ("bigfish", "coinrun", "leaper", "maze", "starpilot")


def calls_per_second(call, seconds):
    """Calls per second of CPU time, after a warm-up of a fifth of `seconds`."""
    for limit in (0.2 * seconds, seconds):
        calls = 0
        begin = time.process_time()
        while time.process_time() - begin < limit:
            for _ in range(8):
                call()
            calls += 8
    return calls / (time.process_time() - begin)


def stepper(envs, num_actions):
    actions = np.random.default_rng(1).integers(0, num_actions, (1009, NUM_ENVS)).astype(np.int32)
    turn = iter(range(10**12))
    envs.reset()
    return lambda: envs.step(actions[next(turn) % 1009])


# ---- environments ---------------------------------------------------------------------------------


def ours(name, num_actions, **options):
    replay = plr.LevelReplay(NUM_LEVELS)
    return stepper(plr.make_vec(name, NUM_ENVS, curriculum=replay, **options), num_actions)


def envpool_stepper(task, num_actions, **options):
    import envpool
    if task not in envpool.list_all_envs():
        raise ImportError(f"EnvPool has no {task}")
    return stepper(envpool.make(task, env_type="gymnasium", num_envs=NUM_ENVS, num_threads=1, **options), num_actions)


def gymnasium_stepper(task):
    import gymnasium
    import minigrid  # noqa: F401
    from minigrid.wrappers import ImgObsWrapper
    make = [lambda: ImgObsWrapper(gymnasium.make(task, disable_env_checker=True))] * NUM_ENVS
    return stepper(gymnasium.vector.SyncVectorEnv(make), 7)


def env_rows():
    """(name, {package: function that returns its step function})"""
    for task in TASKS:
        yield f"{task}, view", {"plr": lambda: ours(f"minigrid/{task}", 7, observation="view"),
                                "EnvPool": lambda: envpool_stepper(task, 7),
                                "Gymnasium": lambda: gymnasium_stepper(task)}
    yield "MultiRoom-N4-Random, full", {"plr": lambda: ours("minigrid/MultiRoom-N4-Random", 7)}
    for game in GAMES:
        yield f"procgen/{game}", {"plr": lambda: ours(f"procgen/{game}", 15, num_workers=1),
                                  "EnvPool": lambda: envpool_stepper(f"{game.capitalize()}Easy-v0", 15,
                                                                     channel_first=False)}


# ---- samplers -------------------------------------------------------------------------------------


def our_draw():
    replay = plr.LevelReplay(NUM_LEVELS)
    for level in range(NUM_LEVELS):
        replay.choose(level)
        replay.record(level, level % 97)

    def call():
        replay.record(replay.next(), 0.5)

    return call


def numpy_draw():
    """The definition: rank the scores, mix with staleness, draw."""
    scores = np.arange(NUM_LEVELS) % 97 / 1.0
    stamps = np.arange(NUM_LEVELS)
    random = np.random.default_rng(1)
    rank_weights = np.arange(1, NUM_LEVELS + 1) ** -10.0
    draws = [NUM_LEVELS]

    def call():
        draws[0] += 1
        by_score = np.empty(NUM_LEVELS)
        by_score[np.argsort(-scores, kind="stable")] = rank_weights
        staleness = draws[0] - stamps
        weights = 0.9 * by_score / by_score.sum() + 0.1 * staleness / staleness.sum()
        level = random.choice(NUM_LEVELS, p=weights)
        stamps[level] = draws[0]
        scores[level] = 0.5

    return call


def syllabus_draw():
    import gymnasium
    from syllabus.curricula.plr.task_sampler import TaskSampler
    sampler = TaskSampler(list(range(NUM_LEVELS)), 1, action_space=gymnasium.spaces.Discrete(7), replay_prob=1.0)
    for level in range(NUM_LEVELS):
        sampler.update_task_score(0, level, level % 97, level % 97, 1)

    def call():
        sampler.update_task_score(0, sampler.sample(), 0.5, 0.5, 1)

    return call


# ---- tables ---------------------------------------------------------------------------------------


def measured(makers, seconds, rounds):
    """{package: median calls per second}; the packages alternate in every round."""
    calls = {}
    for who, make in makers.items():
        try:
            calls[who] = make()
        except (ImportError, RuntimeError, AttributeError, OSError) as error:
            print(f"{who} is skipped: {str(error).splitlines()[0]}", file=sys.stderr)
    rates = {who: [] for who in calls}
    for _ in range(rounds):
        for who, call in calls.items():
            rates[who].append(calls_per_second(call, seconds))
    return {who: statistics.median(each) for who, each in rates.items()}


def cell(rates, who, text):
    return [text(rates[who]), f"{rates['plr'] / rates[who]:,.2f}"] if who in rates else ["-", "-"]


def bench_env(seconds, rounds):
    print("| environment | plr | EnvPool | ratio | Gymnasium | ratio |\n|---|---:|---:|---:|---:|---:|", flush=True)
    for name, makers in env_rows():
        rates = measured(makers, seconds, rounds)
        if "plr" in rates:
            def text(rate):
                return f"{rate * NUM_ENVS:,.0f}"

            cells = [name, text(rates["plr"]), *cell(rates, "EnvPool", text), *cell(rates, "Gymnasium", text)]
            print("| " + " | ".join(cells) + " |", flush=True)


def bench_sampler(seconds, rounds):
    rates = measured({"plr": our_draw, "Syllabus": syllabus_draw, "numpy": numpy_draw}, seconds, rounds)

    def text(rate):
        return f"{1e6 / rate:,.2f} us"

    print("| levels | plr | Syllabus | ratio | numpy | ratio |\n|---:|---:|---:|---:|---:|---:|")
    print("| " + " | ".join([f"{NUM_LEVELS:,}", text(rates["plr"]), *cell(rates, "Syllabus", text),
                             *cell(rates, "numpy", text)]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--what", choices=["env", "sampler", "all"], default="all")
    parser.add_argument("--seconds", type=float, default=1.0, help="of CPU time per measurement")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.what != "sampler":
        bench_env(arguments.seconds, arguments.rounds)
    if arguments.what != "env":
        bench_sampler(arguments.seconds, arguments.rounds)


if __name__ == "__main__":
    main()
