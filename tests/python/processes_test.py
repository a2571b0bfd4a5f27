"""A sampler is refused in a worker process, where it would be a copy."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys

import gymnasium
import plr
import pytest
from gymnasium.vector import AsyncVectorEnv

REMEDY = ("keep one sampler in the parent process with plr.LevelVectorEnv(make_env, num_envs, curriculum=..., "
          "processes=...), or create a sampler in each process")
NAME = "minigrid/MiniGrid-Empty-5x5-v0"


def in_fork(call):
    """The error of a call in a forked process, as text; "" if it has none."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        try:
            call()
            sender.send("")
        except BaseException as error:
            sender.send(f"{type(error).__name__}: {error}")
        os._exit(0)
    os.waitpid(child, 0)
    return receiver.recv()


def replay():
    replay = plr.LevelReplay(20)
    replay.choose(3)
    replay.record(3, 1)
    return replay


CHANGES = {
    "next": lambda sampler: sampler.next(),
    "next_batch": lambda sampler: sampler.next_batch(2),
    "first": lambda sampler: sampler.first(2),
    "record": lambda sampler: sampler.record(3, 1.0),
    "record_batch": lambda sampler: sampler.record_batch([3], [1.0]),
    "choose": lambda sampler: sampler.choose(3),
    "load_state_dict": lambda sampler: sampler.load_state_dict(sampler.state_dict()),
    "make_vec": lambda sampler: plr.make_vec(NAME, 2, curriculum=sampler).reset(),
    "LevelWrapper": lambda sampler: plr.LevelWrapper(gymnasium.make("CartPole-v1"), sampler).reset(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_forked_sampler_is_refused_with_the_remedy(change):
    sampler = replay()
    error = in_fork(lambda: CHANGES[change](sampler))
    assert error.startswith(f"RuntimeError: this LevelReplay belongs to process {os.getpid()} and cannot be used in "
                            "its fork ")
    assert error.endswith(f", whose draws and results would be lost; {REMEDY}")
    CHANGES[change](sampler)  # the original still works


@pytest.mark.parametrize("kind", [plr.Uniform, plr.Tscl])
def test_every_forked_sampler_is_refused(kind):
    sampler = kind(20)
    assert f"this {kind.__name__} belongs to process" in in_fork(sampler.next)


def test_forked_curricula_of_rollouts_are_refused():
    curricula = [plr.RolloutReplay(20), plr.Sfl(plr.LevelSet.stream(0, 100_000))]
    for curriculum in curricula:
        assert f"this {type(curriculum).__name__} belongs to" in in_fork(lambda: curriculum.plan(2))
    buffer = plr.LevelBuffer()
    buffer.insert(1, 0.5)
    assert "this LevelBuffer belongs to" in in_fork(buffer.draw)
    assert "this LevelBuffer belongs to" in in_fork(lambda: buffer.insert(2, 0.5))


def test_a_step_that_draws_in_a_fork_is_refused():
    envs = plr.make_vec(NAME, 2, curriculum=plr.LevelReplay(20))
    envs.reset()

    def play():
        for _ in range(101):
            envs.step([0, 0])

    assert "this LevelReplay belongs to process" in in_fork(play)


def test_a_fork_may_read_a_sampler_and_use_a_copy_of_its_own():
    sampler = replay()

    def use():
        assert sampler.scores() and len(sampler.weights()["level"]) and sampler.state_dict()["state"]
        own = copy.deepcopy(sampler)
        own.record(own.next(), 1)
        plr.LevelReplay(5).next()

    assert in_fork(use) == ""


def wrapped(sampler):
    return [lambda: plr.LevelWrapper(gymnasium.make("CartPole-v1"), sampler)] * 2


@pytest.mark.filterwarnings("ignore")  # Gymnasium warns of the error in the worker
def test_a_sampler_in_forked_workers_of_gymnasium_is_refused():
    envs = AsyncVectorEnv(wrapped(plr.LevelReplay(20)), context="fork")
    with pytest.raises(RuntimeError, match="^this LevelReplay belongs to process"):
        envs.reset()


def test_a_sampler_in_spawned_workers_of_gymnasium_is_refused():
    """Gymnasium pickles the function with cloudpickle."""
    with pytest.raises(RuntimeError, match="^a LevelReplay cannot be sent to a worker process, where its draws and"):
        AsyncVectorEnv(wrapped(plr.LevelReplay(20)), context="spawn")


@pytest.mark.parametrize("kind", [plr.LevelReplay, plr.Uniform, plr.Tscl])
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_sampler_is_not_pickled_into_a_process_that_starts(kind, method):
    process = multiprocessing.get_context(method).Process(target=print, args=(kind(20),))
    with pytest.raises(RuntimeError) as refused:
        process.start()
    assert str(refused.value) == (f"a {kind.__name__} cannot be sent to a worker process, where its draws and results "
                                  f"would be lost; {REMEDY}")


def test_a_sampler_is_not_sent_to_a_worker_by_pipe_or_pool():
    sampler = plr.LevelReplay(20)
    ours, _ = multiprocessing.Pipe()
    with pytest.raises(RuntimeError, match="^a LevelReplay cannot be sent to a worker process"):
        ours.send(sampler)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        with pytest.raises(RuntimeError, match="^a LevelReplay cannot be sent to a worker process"):
            pool.map(len, [sampler])


SEND_BACK = """
import multiprocessing, plr

def trained(seed):
    sampler = plr.LevelReplay(20, seed=seed)
    sampler.record(sampler.next(), seed)
    return sampler

if __name__ == "__main__":
    with multiprocessing.get_context("{}").Pool(2) as pool:
        found = pool.map(trained, [1, 2])
    assert all(one.state_dict() == trained(seed).state_dict() for seed, one in zip((1, 2), found))
    found[0].next()
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_worker_may_send_its_own_sampler_to_its_parent(method, tmp_path):
    (tmp_path / "script.py").write_text(SEND_BACK.format(method))
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_pickle_and_copies_work_in_the_process_of_a_sampler():
    sampler = replay()
    for other in (pickle.loads(pickle.dumps(sampler)), copy.copy(sampler), copy.deepcopy(sampler)):
        assert other.state_dict() == sampler.state_dict()
        other.next()
