"""plr.train on a Gymnasium environment of the user, played by worker processes."""

import importlib.util
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import textwrap
import time

import cloudpickle
import gymnasium
import numpy as np
import plr
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

TINY = {"device": "cpu", "threads": 1, "levels": 20, "num_slots": 4, "rollout_length": 16, "num_minibatches": 2,
        "eval_interval": 2, "eval_episodes": 4, "final_episodes": 4, "checkpoint_interval": 1, "num_workers": 2,
        "network": "grid-cnn", "learning_rate_schedule": "constant"}
CLOCKS = {"seconds", "steps_per_second"}


class Walk(gymnasium.Env):
    """A row of seven cells; the level decides where the goal is."""

    observation_space = spaces.Box(0, 2, (4, 7, 1), np.uint8)
    action_space = spaces.Discrete(2)

    def __init__(self):
        pathlib.Path(f"pid-{os.getpid()}").touch()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.goal = int(self.np_random.integers(0, 2)) * 6
        self.cell = 3
        return self.observation(), {}

    def step(self, action):
        self.cell += 2 * action - 1
        at_end = self.cell in (0, 6)
        found = self.cell == self.goal
        return self.observation(), float(found), at_end, False, {"is_success": found} if at_end else {}

    def observation(self):
        image = np.zeros((4, 7, 1), np.uint8)
        image[:2, self.cell] = 1
        image[2:, self.goal] = 2
        return image


class SavedWalk(Walk):
    def get_state(self):
        return bytes([self.goal, self.cell])

    def set_state(self, state):
        self.goal, self.cell = state


def walk():
    return TimeLimit(Walk(), 20)


def saved_walk():
    return TimeLimit(SavedWalk(), 20)


@pytest.fixture(autouse=True)
def in_new_folder(tmp_path, monkeypatch):
    if "PLR_PROGRAM" not in os.environ:
        pytest.skip("the program was not built")
    monkeypatch.chdir(tmp_path)


def records(run):
    return {name: list(column) for name, column in run.log.items() if name not in CLOCKS}


def is_alive(pid):
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def assert_workers_end(*others):
    """All processes that have made an environment end, except this one, and so do the others."""
    pids = [*others, *(int(path.name.removeprefix("pid-")) for path in pathlib.Path().glob("pid-*"))]
    assert len(pids) > len(others)
    deadline = time.monotonic() + 60
    while left := [pid for pid in pids if pid != os.getpid() and is_alive(pid)]:
        assert time.monotonic() < deadline, f"{left} still run"
        time.sleep(0.05)


def plr_program(*arguments):
    return subprocess.run([os.environ["PLR_PROGRAM"], *arguments], capture_output=True, text=True, check=False)


# ---- training ---------------------------------------------------------------------------------------


def test_an_agent_learns_and_its_run_is_like_any_other(capfd):
    run = plr.train(walk, **{**TINY, "eval_interval": 0, "final_episodes": 50, "rollout_length": 32}, steps=8000,
                    learning_rate=2e-3, out="run")
    assert run.settings["env"] == "python/walk"
    assert run.log["return"][2] < 0.8 < 0.95 < run.eval["test_return"][-1] and run.eval["test_success"][-1] > 0.95
    assert capfd.readouterr().err.startswith("training on python/walk in run\n")
    assert_workers_end()
    report = plr_program("report", "run")
    assert (report.returncode, report.stderr) == (0, "") and pathlib.Path("run/report.html").exists()
    other = plr_program("eval", "run")
    assert (other.returncode, other.stderr) == (2, "plr eval: python/walk is an environment in Python: use "
                                                   "plr.train(make_env, ...), with resume=FOLDER to continue a run, "
                                                   "and plr.torch.load_policy(FOLDER) to play its agent\n")


def test_the_steps_that_are_suggested_at_the_end_are_calls_in_python(capfd):
    plr.train(walk, **TINY, steps=128, out="it's a run")
    lines = capfd.readouterr().err.split("\nNext:\n")[1].splitlines()
    *files, load, compare = (line.strip().split("     ")[0] for line in lines)
    assert files and all(pathlib.Path(*shlex.split(file)).exists() for file in files)
    assert load == 'plr.torch.load_policy("it\'s a run")'
    assert compare == 'plr.train(make_env, config="it\'s a run/config.toml", curriculum="uniform")'
    names = {"plr": plr, "make_env": walk}
    assert eval(compare, names).settings["curriculum"] == "uniform"
    if importlib.util.find_spec("torch") is not None:
        assert eval(load, names).num_actions == 2


@pytest.mark.parametrize("other", [{"num_workers": 1}, {"num_workers": 3}, {"context": "spawn"}])
def test_the_number_of_processes_changes_nothing(other, request):
    # A spawned process cannot import this file.
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    request.addfinalizer(lambda: cloudpickle.unregister_pickle_by_value(sys.modules[__name__]))
    expected = plr.train(walk, **TINY, steps=256, out="a", progress=False)
    run = plr.train(walk, **{**TINY, **other}, steps=256, out="b", progress=False)
    assert records(run) == records(expected)


def test_scripts_need_no_main_guard():
    script = pathlib.Path("script.py")
    script.write_text(textwrap.dedent(f"""
        import multiprocessing, sys
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import own_env_test, plr
        multiprocessing.set_start_method("forkserver")  # the default since Python 3.14
        print(plr.train(own_env_test.walk, **own_env_test.TINY, steps=128, out="run").folder)
    """))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout == "run\n", done.stderr


def test_a_resumed_run_continues_identically_if_the_environment_saves_its_state(capfd):
    whole = plr.train(saved_walk, **TINY, steps=320, out="whole", progress=False)
    plr.train(saved_walk, **TINY, steps=128, out="parts", progress=False)
    parts = plr.train(saved_walk, resume="parts", steps=320)
    assert records(parts) == records(whole)
    assert "get_state" not in capfd.readouterr().err


def test_a_resumed_run_cuts_open_episodes_if_the_environment_has_no_state(capfd):
    whole = plr.train(walk, **TINY, steps=320, out="whole", progress=False)
    plr.train(walk, **TINY, steps=128, out="parts", progress=False)
    parts = plr.train(walk, resume="parts", steps=320)
    assert capfd.readouterr().err.startswith(
        "the environment has no get_state and set_state: open episodes end at their next step\n")
    assert list(parts.log["steps"]) == list(whole.log["steps"]) and records(parts) != records(whole)


class Slow(gymnasium.Wrapper):
    """Moves by every second action only; its state decides which."""

    turn = 0

    def step(self, action):
        self.turn += 1
        return self.env.step(action if self.turn % 2 else self.env.unwrapped.cell < 3)

    def reset(self, **options):
        self.turn = 0
        return self.env.reset(**options)


class SavedSlow(Slow):
    def get_state(self):
        return bytes([self.turn]) + self.env.get_state()

    def set_state(self, state):
        self.turn = state[0]
        self.env.set_state(state[1:])


def test_a_wrapper_may_save_itself_and_what_it_wraps(capfd):
    def make_env():
        return TimeLimit(SavedSlow(SavedWalk()), 15)

    whole = plr.train(make_env, **TINY, steps=320, out="whole", progress=False)
    plr.train(make_env, **TINY, steps=192, out="parts", progress=False)
    parts = plr.train(make_env, resume="parts", steps=320)
    assert records(parts) == records(whole) != records(plr.train(saved_walk, **TINY, steps=320, out="other",
                                                                 progress=False))
    assert "get_state" not in capfd.readouterr().err


def test_wrappers_that_are_not_saved_are_named_when_a_run_is_resumed(capfd):
    def make_env():
        return TimeLimit(Slow(gymnasium.wrappers.TransformObservation(SavedWalk(), np.copy, None)), 20)

    plr.train(make_env, **TINY, steps=64, out="run", progress=False)
    plr.train(make_env, resume="run", steps=128)
    assert capfd.readouterr().err.startswith("open episodes continue without what these wrappers hold: Slow; with "
                                             "get_state and set_state a wrapper saves itself and what it wraps\n")


# ---- failures ---------------------------------------------------------------------------------------


class Failing(SavedWalk):
    """Fails at its 40th step if the file "fail" exists."""

    num_steps = 0

    def step(self, action):
        Failing.num_steps += 1
        observation, reward, *others = super().step(action)
        if Failing.num_steps >= 40 and os.path.exists("fail"):
            how = pathlib.Path("fail").read_text()
            if how == "exit":
                os._exit(3)
            if how == "raise":
                raise ValueError("no such cell")
            reward = float("nan")
        return observation, reward, *others


def failing():
    return TimeLimit(Failing(), 20)


@pytest.mark.parametrize("settings", [
    {"eval_interval": 0, "steps": 100_000},
    {"eval_interval": 0, "steps": 64, "final_episodes": 50}], ids=["training", "evaluation"])
@pytest.mark.parametrize("how, message", [
    ("raise", "plr train: the Python environment failed: ValueError: no such cell"),
    ("reward", r"plr train: the Python environment failed: level \d+ gave the reward nan; rewards must be finite numbers"),
    ("exit", "plr train: a process of the Python environment has ended; its own messages are above")])
def test_a_failure_ends_the_run_and_keeps_its_checkpoint(how, message, settings, capfd):
    pathlib.Path("fail").write_text(how)
    with pytest.raises(plr.TrainingError, match=f"^{message}$"):
        plr.train(failing, **{**TINY, **settings}, out="run", progress=False)
    assert_workers_end()
    assert ("a process of the environment has ended with exit code 3\n" in capfd.readouterr().err) == (how == "exit")
    pathlib.Path("fail").unlink()
    run = plr.train(failing, resume="run", steps=640, progress=False)
    assert run.log["steps"][-1] == 640 and run.eval["final"][-1]


class Overflowing(gymnasium.Env):
    """Its observation is infinite after the first step of an odd level."""

    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.element = np.inf if seed % 2 else 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        return np.array([0, self.element], np.float32), 0.0, False, False, {}


def test_an_observation_that_is_not_finite_ends_the_run():
    message = (r"^plr train: the Python environment failed: level \d*[13579] gave an observation with the element inf; "
               "observations must be finite numbers$")
    with pytest.raises(plr.TrainingError, match=message):
        plr.train(lambda: TimeLimit(Overflowing(), 20), **{**TINY, "network": "mlp"}, steps=10_000, out="run",
                  progress=False)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_when_the_python_program_ends(number):
    pathlib.Path("tmp").mkdir()
    script = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import own_env_test, plr
        settings = {{**own_env_test.TINY, "checkpoint_interval": 1000}}
        plr.train(own_env_test.saved_walk, **settings, steps=10_000_000, out="run")
    """)
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "TMPDIR": os.path.abspath("tmp")}, start_new_session=True) as process:
        log = pathlib.Path("run/log.jsonl")
        while not log.exists() or not log.read_text():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        # The trainer, and the process that forks the workers.
        children = [int(pid) for path in pathlib.Path(f"/proc/{process.pid}/task").glob("*/children")
                    for pid in path.read_text().split()]
        assert len(children) == 2
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # Ctrl-C reaches all processes of the terminal
        else:
            process.kill()
        printed = process.communicate()[1]
    assert_workers_end(*children)
    assert not list(pathlib.Path("tmp").glob("plr-*"))
    steps = int(plr.load_run("run").log["steps"][-1])
    made = []
    plr.train(saved_walk, resume="run", steps=steps + 64, progress=made.append)
    if number == signal.SIGINT:
        assert len(made) == 1  # the run has saved itself
        assert '  plr.train(make_env, resume="run")\n' in printed


# ---- environments that the trainer cannot play ------------------------------------------------------


class Words(Walk):
    observation_space = spaces.Text(5)


class Points(Walk):
    action_space = spaces.Box(0, 5, (2,), np.int32)


@pytest.mark.parametrize("make_env, message", [
    (Walk, "the environment has no step limit; wrap it in gymnasium.wrappers.TimeLimit"),
    (lambda: TimeLimit(Words(), 9), "observations must be a Box, not Text"),
    (lambda: TimeLimit(Points(), 9), "actions must be Discrete, a vector MultiDiscrete or a Box of floats, not Box")])
def test_unsupported_environments_are_refused(make_env, message):
    with pytest.raises(ValueError) as error:
        plr.train(make_env, **TINY, steps=64, out="run", progress=False)
    assert message in str(error.value)
    assert not pathlib.Path("run").exists()


class Turned(Walk):
    def observation(self):
        return super().observation().transpose(1, 0, 2)


class Fractions(Walk):
    def observation(self):
        return super().observation() / 2


@pytest.mark.parametrize("env, message", [
    (Turned, r"shape \(7, 4, 1\), its space is Box\(0, 2, \(4, 7, 1\), uint8\)"),
    (Fractions, r"float64, which would lose its fractions: its space is Box\(0, 2, \(4, 7, 1\), uint8\)")])
def test_observations_that_are_not_in_their_space_are_refused(env, message):
    with pytest.raises(plr.TrainingError, match=f"ValueError: reset\\(\\) gave an observation of {message}$"):
        plr.train(lambda: TimeLimit(env(), 9), **TINY, steps=64, out="run", progress=False)


class Strip(Walk):
    """An image whose channels come first."""

    observation_space = spaces.Box(0, 255, (4, 16, 16), np.uint8)

    def observation(self):
        return np.zeros((4, 16, 16), np.uint8)


def test_channels_that_seem_to_come_first_are_named(capfd):
    plr.train(lambda: TimeLimit(Strip(), 9), **TINY, steps=64, out="run")
    assert capfd.readouterr().err.startswith("observations are taken as [height, width, channels]; if channels come ")


class Levers(Walk):
    """Actions that do not begin at 0."""

    action_space = spaces.MultiDiscrete([2, 3], start=[5, -1])

    def step(self, action):
        assert self.action_space.contains(action), action
        return super().step(action[0] - 5)


class Lever(Walk):
    action_space = spaces.Discrete(2, start=7)

    def step(self, action):
        return super().step(action - 7)


@pytest.mark.parametrize("env", [Lever, Levers])
def test_actions_begin_where_their_space_does(env):
    run = plr.train(lambda: TimeLimit(env(), 20), **TINY, steps=256, out="run", progress=False)
    assert run.log["steps"][-1] == 256


def test_an_error_of_make_env_in_a_worker_is_reported():
    created = []

    def make_env():
        created.append(1)
        if len(created) > 1:
            raise ZeroDivisionError("no more")
        return walk()

    with pytest.raises(plr.TrainingError, match="^plr train: the Python environment failed: ZeroDivisionError: no more$"):
        plr.train(make_env, **TINY, steps=64, out="run", progress=False)
    assert not pathlib.Path("run").exists()


def test_ids_and_functions_are_checked():
    with pytest.raises(gymnasium.error.Error):
        plr.train("NoSuchEnvironment-v0")
    with pytest.raises(TypeError, match="make_env must be a function that creates an environment, or an id, not int"):
        plr.train(5)


def test_settings_are_values_of_python():
    run = plr.train(saved_walk, **{**TINY, "levels": range(100, 103), "network": "mlp", "num_slots": np.int64(2)},
                    hidden_sizes=(16, 8), normalize_advantages=np.bool_(False), steps=64, out="run", progress=False)
    names = ("levels", "hidden_sizes", "num_slots", "normalize_advantages")
    assert [str(run.settings[name]) for name in names] == ["100-102", "16,8", "2", "False"]
    for levels in ([1, 2], range(0, 9, 2), plr.LevelSet.range(0, 5)):
        with pytest.raises(TypeError, match="^levels must be a number, a range such as range"):
            plr.train(saved_walk, **{**TINY, "levels": levels}, out="other")
    with pytest.raises(TypeError, match="^gamma must be a number, text, a path or a list of numbers, not dict$"):
        plr.train(saved_walk, gamma={})
    with pytest.raises(ValueError, match="^env names an environment of plr: give make_env or env, not both$"):
        plr.train(saved_walk, env="maze/random-25")


# ---- spaces of floats -------------------------------------------------------------------------------


class Point(gymnasium.Env):
    """A point on a line is moved to 0; the level decides where it starts."""

    observation_space = spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = spaces.Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-2, 2))
        return np.array([self.place, 1.0]), {}

    def step(self, action):
        assert action.shape == (1,) and -1 <= action[0] <= 1
        self.place += 0.5 * float(action[0])
        return np.array([self.place, 1.0]), -abs(self.place), False, False, {}


def test_floats_and_continuous_actions_are_trained_on():
    settings = {name: value for name, value in TINY.items() if name != "network"}
    run = plr.train(lambda: TimeLimit(Point(), 8), **settings, steps=256, out="run", progress=False)
    assert run.settings["env"] == "python/env" and run.settings["network"] == "mlp"
    assert -20 < run.eval["test_return"][-1] < 0 and list(run.log["length"]) == [8.0] * 4


def test_cartpole_is_learned():
    run = plr.train("CartPole-v1", device="cpu", threads=1, levels=50, num_slots=8, rollout_length=64,
                    num_minibatches=4, learning_rate=2e-3, steps=20_000, eval_interval=0, final_episodes=20,
                    num_workers=2, progress=False, out="run")
    assert run.settings["env"] == "python/CartPole-v1"
    # A random agent balances the pole for about 22 steps.
    assert run.log["return"][2] < 60 and run.eval["test_return"][-1] > 100
