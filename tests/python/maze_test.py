"""The maze through make_vec: observations, options, named levels, level files and curricula."""

import gzip
import json
import os
import pathlib

import numpy as np
import plr
import pytest
from gymnasium.spaces import Box, Discrete

GOLDEN = pathlib.Path(os.environ.get("PLR_GOLDEN",
                                     pathlib.Path(__file__).resolve().parent.parent / "golden"))
FLOOR, WALL, GOAL = (1, 0, 0), (2, 5, 0), (8, 1, 0)


def golden_levels():
    with gzip.open(GOLDEN / "maze/levels.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def test_a_view_has_an_image_and_the_direction():
    envs = plr.make_vec("maze/random-25", 3)
    assert envs.single_observation_space == Box(0, 255, (5, 5, 4), np.uint8)
    assert envs.single_action_space == Discrete(7)
    before = envs.reset(seed=1)[0].copy()
    after, *_ = envs.step(np.ones(3, np.int64))  # turn right
    for one in (before, after):
        assert (one[..., 3] == one[:, :1, :1, 3]).all()  # the same in all cells
        cells = {tuple(cell) for cell in one[..., :3].reshape(-1, 3).tolist()}
        assert cells <= {FLOOR, WALL, GOAL}
    assert (after[:, 0, 0, 3] == (before[:, 0, 0, 3] + 1) % 4).all()


def test_options_change_view_and_step_limit():
    envs = plr.make_vec("maze/empty", 1, view_size=7, see_agent=True, max_steps=3)
    observations, _ = envs.reset(seed=1)
    assert observations.shape == (1, 7, 7, 4)
    own = observations[0, 3, 6]
    assert own[:3].tolist() == [10, 0, own[3]]
    ended = [bool(envs.step(np.array([6]))[3][0]) for _ in range(3)]
    assert ended == [False, False, True]
    with pytest.raises(ValueError, match="view_size must be odd, not 4"):
        plr.make_vec("maze/empty", 1, view_size=4)
    with pytest.raises(ValueError, match="offers 5 only, not 7"):
        plr.make_vec("minigrid/MultiRoom-N4-Random", 1, view_size=7)


def test_golden_solutions_of_named_levels_are_rewarded():
    for record in golden_levels():
        name, _, number = record["name"].partition("/")
        envs = plr.make_vec(f"maze/{name}", 1, observation="full")
        observations, _ = envs.reset(options={"levels": [int(number or 0)]})
        image = observations[0]  # [width, height, 3]
        for y, row in enumerate(record["rows"]):
            for x, cell in enumerate(row):
                assert (tuple(image[x, y]) == WALL) == (cell == "#")
        x, y = record["agent"]
        assert image[x, y].tolist() == [10, 0, record["direction"]]
        for t, action in enumerate(record["actions"], 1):
            _, rewards, terminated, _, _ = envs.step(np.array([int(action)]))
            assert terminated[0] == (t == len(record["actions"]))
        assert rewards[0] == pytest.approx(record["best_return_250"], abs=1e-7)


def test_a_level_file_is_an_environment(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("name: near\n>G\n\n>.G\n")
    envs = plr.make_vec(f"maze/file:{path}", 2, levels=2)
    envs.reset(options={"levels": [0, 1]})
    _, rewards, terminated, _, _ = envs.step(np.array([2, 2]))
    assert terminated.tolist() == [True, False]
    assert rewards[0] == pytest.approx(1 - 0.9 / 250) and rewards[1] == 0
    path.write_text(">G\n.x\n")
    with pytest.raises(ValueError, match="mine.txt:2: a cell must be one of"):
        plr.make_vec(f"maze/file:{path}", 2)


def test_level_replay_chooses_levels_of_the_maze():
    replay = plr.LevelReplay(8, seed=1)
    envs = plr.make_vec("maze/random-60", 4, curriculum=replay, max_steps=5)
    envs.reset()
    random = np.random.default_rng(1)
    for _ in range(60):
        *_, info = envs.step(random.integers(0, 7, 4))
        if "final_info" in info:
            ended = info["final_info"]["level"][info["_final_info"]]
            replay.record_batch(ended, np.ones(len(ended)))
    assert all(0 <= level < 8 for level in info["level"])
    assert 0 <= envs.difficulty(3) <= 5


def test_the_catalog_lists_the_maze_and_pictures_show_it():
    names = {env["name"] for env in plr.environments()}
    assert {"maze/random-25", "maze/random-60", "maze/empty", "maze/Labyrinth"} <= names
    envs = plr.make_vec("maze/SixteenRooms", 1, render_mode="rgb_array")
    envs.reset(seed=1)
    picture = envs.render()[0]
    assert picture.shape[2] == 3 and picture.shape[0] == picture.shape[1]
