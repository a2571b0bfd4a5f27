"""pip install . works in a fresh environment."""

import os
import pathlib
import subprocess
import sys
import sysconfig
import venv

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A fresh environment that sees the packages of this one, so that nothing is downloaded."""
    pytest.importorskip("nanobind")
    pytest.importorskip("scikit_build_core")
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    (site,) = folder.glob("lib/python*/site-packages")
    ours = [path for path in sys.path if path.endswith("-packages")]
    (site / "others.pth").write_text("\n".join(dict.fromkeys([sysconfig.get_path("purelib"), *ours])))
    return folder / "bin" / "python"


def run(*command, cwd=None):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True,
                          check=False)


@pytest.fixture(scope="module")
def installed(python):
    """Without the program, whose build takes as long as that of the module, and not optimized."""
    done = run(python, "-m", "pip", "install", "--disable-pip-version-check", "--no-index", "--no-build-isolation",
               "--no-deps", "-Ccmake.define.PLR_BUILD_APP=OFF", "-Ccmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0",
               "-Cbuild.targets=plr_python;plr_python_stub", ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return python


def test_pip_installs_a_working_package(installed, tmp_path):
    script = ("import numpy, pathlib, plr\n"
              "envs = plr.make_vec('minigrid/MultiRoom-N4-Random', 4, curriculum=plr.LevelReplay(200))\n"
              "envs.reset()\n"
              "envs.step(numpy.zeros(4, int))\n"
              "files = pathlib.Path(plr.__file__).parent.iterdir()\n"
              "print(*sorted(file.name.split('.')[0] for file in files))\n")
    done = run(installed, "-c", script, cwd=tmp_path)
    ours = {path.name.split(".")[0] for path in (ROOT / "python" / "plr").iterdir()}
    assert set(done.stdout.split()) == {*ours, "_core", "__pycache__", "source"}, done.stderr


def test_the_package_is_called_level_replay(installed, tmp_path):
    script = ("import importlib.metadata as m, plr\n"
              "d = m.metadata('level-replay')\n"
              "print(d['License-Expression'], m.version('level-replay') == plr.__version__, *m.requires('level-replay'))")
    done = run(installed, "-c", script, cwd=tmp_path)
    assert done.stdout.startswith("MIT AND BSD-3-Clause True gymnasium>=1.1 numpy>=1.26 "), done.stderr
    files = run(installed, "-m", "pip", "show", "-f", "level-replay").stdout
    assert "/bin/plr\n" in files and "licenses/third_party/cli11/LICENSE" in files
    assert ".a\n" not in files and "_test.cc" not in files


def test_the_command_is_installed(installed, tmp_path):
    environment = {**os.environ, "PLR_PROGRAM": "/bin/echo"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run([installed.parent / "plr", "envs", "maze"], env=environment, capture_output=True, text=True,
                          check=False)
    assert (done.stdout, done.stderr) == ("envs maze\n", "")


def test_the_sources_of_the_trainer_are_complete(installed, tmp_path):
    """CMake reports a missing source file; without torch, the trainer's own files are compared by name."""
    script = "import plr.trainer; print(plr.trainer.SOURCE)"
    source = pathlib.Path(run(installed, "-c", script, cwd=tmp_path).stdout.strip())
    settings = ("PLR_BUILD_TESTS=OFF", "PLR_BUILD_BENCHMARKS=OFF", "PLR_BUNDLED=ON", "PLR_WITH_TORCH=OFF")
    done = run("cmake", "-S", source, "-B", tmp_path / "build", *(f"-D{setting}" for setting in settings))
    assert done.returncode == 0, done.stderr
    for folder in ("src", "app", "cmake", "third_party"):
        expected = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*")
                    if path.is_file() and not path.match("*_test.cc")}
        assert {path.relative_to(source) for path in (source / folder).rglob("*") if path.is_file()} == expected
