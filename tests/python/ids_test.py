"""plr's own environments have Gymnasium ids."""

import subprocess
import sys

import gymnasium
import numpy as np
import plr
import pytest
from gymnasium.utils.env_checker import check_env

DOORKEY = "plr/minigrid-MiniGrid-DoorKey-5x5-v0"


def test_every_environment_has_an_id():
    assert all(plr.gymnasium_ids.gymnasium_id(env["name"]) in gymnasium.registry for env in plr.environments())
    assert gymnasium.spec("plr/procgen-coinrun").kwargs == {"name": "procgen/coinrun"}


def test_gymnasium_imports_plr_by_the_module_in_an_id():
    script = f"import gymnasium; print(gymnasium.make('plr:{DOORKEY}').reset(seed=3)[1])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "{'level': 3}\n", done.stderr


@pytest.mark.parametrize("imports", ["plr, gymnasium", "gymnasium, plr", "plr.runs, gymnasium"])
def test_ids_are_registered_in_any_order_of_imports(imports):
    script = (f"import {imports}, sys\n"
              f"gymnasium.make('{DOORKEY}')\n"
              "print(type(gymnasium.__spec__.loader).__name__, any('plr' in repr(f) for f in sys.meta_path))")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    # Nothing remains of the hook.
    assert done.stdout == "SourceFileLoader False\n", done.stderr


def test_import_plr_does_not_import_gymnasium():
    script = "import sys, plr; print('gymnasium' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "False False\n", done.stderr


@pytest.mark.parametrize("name", [DOORKEY, "plr/minigrid-MultiRoom-N4-Random", "plr/maze-random-25"])
def test_make_passes_the_environment_checker(name):
    check_env(gymnasium.make(name, render_mode="rgb_array").unwrapped, skip_render_check=True)


def test_reset_with_a_seed_starts_this_level():
    env = gymnasium.make(DOORKEY, observation="view")
    envs = plr.make_vec("minigrid/MiniGrid-DoorKey-5x5-v0", 1, observation="view", autoreset_mode="Disabled")
    for level in (0, 7, 2**31):
        expected, _ = envs.reset(options={"levels": [level]})
        observation, info = env.reset(seed=level)
        assert info == {"level": level} and (observation == expected[0]).all()
        random, ended = np.random.default_rng(level), False
        while not ended:
            action = random.integers(0, 7)
            expected, *others, _ = envs.step([action])
            observation, *results, info = env.step(action)
            assert (observation == expected[0]).all() and results == [other[0] for other in others]
            ended = results[1] or results[2]
        assert info == {"level": level, "solved": results[0] > 0}


def test_reset_without_a_seed_draws_from_the_levels():
    env = gymnasium.make(DOORKEY, levels=range(5, 8))
    env.reset(seed=100)
    drawn = [env.reset()[1]["level"] for _ in range(30)]
    env.reset(seed=100)
    assert set(drawn) == {5, 6, 7} and drawn == [env.reset()[1]["level"] for _ in range(30)]


def test_render_returns_an_image():
    env = gymnasium.make(DOORKEY, render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape == (120, 120, 3)


def test_make_vec_creates_the_vector_environment_of_plr():
    replay = plr.LevelReplay(20)
    envs = gymnasium.make_vec(DOORKEY, 3, curriculum=replay, autoreset_mode="NextStep")
    assert isinstance(envs, plr.NativeVectorEnv) and envs.num_envs == 3
    envs.reset()
    assert replay.num_draws == 3


def test_a_native_environment_works_in_the_wrapper_and_in_vector_environments_of_gymnasium():
    env = plr.LevelWrapper(gymnasium.make(DOORKEY), plr.LevelReplay(20))
    assert env.reset()[1]["level"] == env.step(0)[-1]["level"] < 20
    envs = gymnasium.make_vec(DOORKEY, 2, vectorization_mode="sync")
    assert envs.reset(seed=[4, 5])[1]["level"].tolist() == [4, 5]


def test_invalid_arguments_are_refused():
    env = gymnasium.make(DOORKEY).unwrapped
    with pytest.raises(ValueError, match="^level must be from 0 to 18446744073709551615, not -1$"):
        env.reset(seed=-1)
    with pytest.raises(ValueError, match="^unknown option 'level'; reset takes the level as seed$"):
        env.reset(options={"level": 1})
    with pytest.raises(ValueError, match="^render_mode must be None or rgb_array, not human$"):
        plr.LevelEnv("minigrid/MiniGrid-DoorKey-5x5-v0", render_mode="human")
    with pytest.raises(ValueError, match="^unknown setting 'observaton'; did you mean observation\\?"):
        gymnasium.make(DOORKEY, observaton="view")
