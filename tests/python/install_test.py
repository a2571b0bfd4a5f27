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


def test_pip_installs_a_working_package(python, tmp_path):
    done = run(python, "-m", "pip", "install", "--disable-pip-version-check", "--no-index", "--no-build-isolation",
               "--no-deps", ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    script = ("import numpy, pathlib, plr\n"
              "envs = plr.make_vec('minigrid/MultiRoom-N4-Random', 4, curriculum=plr.LevelReplay(200))\n"
              "envs.reset()\n"
              "envs.step(numpy.zeros(4, int))\n"
              "files = pathlib.Path(plr.__file__).parent.iterdir()\n"
              "print(plr.__version__, *sorted(file.name.split('.')[0] for file in files))\n")
    done = run(python, "-c", script, cwd=tmp_path)
    assert done.stdout.split() == ["0.1.0", "__init__", "__pycache__", "_core", "_core", "py", "run_schema", "runs",
                                   "vector_env"], \
        done.stderr
    script = "import importlib.metadata as m; d = m.metadata('plr'); print(d['License-Expression'], *m.requires('plr'))"
    done = run(python, "-c", script, cwd=tmp_path)
    assert done.stdout.startswith("MIT gymnasium>=1.1 numpy>=1.26 "), done.stderr
    # It contains neither C++ libraries and headers nor torch and the program.
    files = run(python, "-m", "pip", "show", "-f", "plr").stdout
    assert ".a\n" not in files and ".h\n" not in files and "bin/" not in files
