"""Use from several threads, and memory leaks."""

import gc
import pathlib
import resource
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import plr
import pytest

NAME = "minigrid/MiniGrid-DoorKey-5x5-v0"
SHORT = "minigrid/MiniGrid-LavaGapS5-v0"


def play(envs, num_steps, seed):
    random = np.random.default_rng(seed)
    envs.reset(seed=seed)
    total = np.zeros(envs.num_envs)
    for _ in range(num_steps):
        observations, rewards, *_ = envs.step(random.integers(0, 7, envs.num_envs))
        total += rewards + observations.sum(axis=(1, 2, 3))
    return total


def in_threads(*functions):
    """Results of the functions, run concurrently."""
    results = [None] * len(functions)

    def run(i):
        results[i] = functions[i]()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture
def patient():
    """Disables switching of the GIL: another thread runs only if the GIL is released."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(30)
    yield
    sys.setswitchinterval(interval)


def test_a_step_releases_the_gil(patient):
    envs = plr.make_vec(NAME, 20_000, levels=5)
    envs.reset(seed=1)
    ticks = [0]
    stop = []

    def tick():
        while not stop:
            ticks[0] += 1
            time.sleep(0.0002)

    thread = threading.Thread(target=tick)
    thread.start()
    actions = np.zeros(20_000, np.int64)
    went_on = False
    for _ in range(200):
        before = ticks[0]
        envs.step(actions)
        went_on = went_on or ticks[0] > before
        time.sleep(0)
        if went_on:
            break
    stop.append(True)
    thread.join()
    assert went_on


def test_environments_in_threads_give_the_same_episodes():
    expected = [play(plr.make_vec(NAME, 16), 300, seed) for seed in range(4)]
    found = in_threads(*(lambda seed=seed: play(plr.make_vec(NAME, 16), 300, seed) for seed in range(4)))
    assert all((a == b).all() for a, b in zip(found, expected))


def test_a_second_thread_in_the_same_environment_is_refused():
    envs = plr.make_vec(NAME, 5_000, levels=5)
    envs.reset(seed=1)
    actions = np.zeros(5_000, np.int64)
    refusals = []
    deadline = time.monotonic() + 60

    def step():
        while not refusals and time.monotonic() < deadline:
            try:
                envs.step(actions)
            except RuntimeError as error:
                refusals.append(str(error))

    in_threads(step, step)
    assert set(refusals) == {"this environment is in use by another thread; use one per thread"}
    envs.step(actions)  # the environment still works


def test_threads_may_share_a_curriculum():
    replay = plr.LevelReplay(500)

    def draw():
        for _ in range(20_000):
            level = replay.next()
            replay.record(level, level % 7)

    in_threads(draw, draw)
    assert replay.num_draws == 40_000
    assert replay.weights()["probability"].sum() == pytest.approx(1)


def resident_bytes():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_nothing_leaks_over_ten_thousand_episodes():
    replay = plr.LevelReplay(1000)
    envs = plr.make_vec(SHORT, 64, curriculum=replay)
    scorer = plr.EpisodeScorer(64, 1)
    random = np.random.default_rng(1)
    envs.reset()

    def play_episodes(count):
        ended = 0
        while ended < count:
            level = envs._level[None].copy()
            _, rewards, terminated, truncated, _ = envs.step(random.integers(0, 3, 64))
            done = terminated | truncated
            results = scorer.score(level, rewards[None], np.zeros((1, 64)), done[None], np.zeros(64))
            replay.record_batch(**results)
            replay.weights()
            ended += len(results["levels"])

    play_episodes(2_000)  # warm-up: caches reach their size
    gc.collect()
    tracemalloc.start()
    before = resident_bytes(), tracemalloc.get_traced_memory()[0]
    play_episodes(10_000)
    gc.collect()
    after = resident_bytes(), tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    # A leak of a hundred bytes per episode would be a megabyte.
    assert after[0] - before[0] < 2**20
    assert after[1] - before[1] < 2**16


def test_no_object_leaks_at_exit():
    """nanobind reports leaked objects on standard error."""
    script = ("import pickle, numpy, plr\n"
              "replay = plr.LevelReplay(5)\n"
              f"envs = plr.make_vec({NAME!r}, 2, curriculum=replay)\n"
              "kept = envs.reset()[0][0]\n"
              "pickle.loads(pickle.dumps([replay, plr.Uniform(3), plr.Tscl(3), plr.EpisodeScorer(1, 1)]))\n"
              "try:\n"
              "    plr.LevelReplay(5, temperature=-1)\n"
              "except ValueError:\n"
              "    pass\n")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
