"""The command plr of the package, and how it builds the trainer, with stand-ins for compiler, CMake and ninja."""

import os
import pathlib
import subprocess
import sys
import threading

import plr
import pytest
from plr import program, trainer

CMAKE = """#!/bin/sh
if [ "$1" = --version ]; then echo "cmake version ${FAKE_CMAKE:-3.31.1}"; exit; fi
echo cmake "$@" >>"$FAKE_LOG"
echo "$CMAKE_WARNS"
[ -z "$CMAKE_FAILS" ] || { printf 'CMake Error at x:1 (message):\\n  %s\\n\\n' "$CMAKE_FAILS"; exit 1; }
"""
NINJA = """#!/bin/sh
echo ninja "$@" >>"$FAKE_LOG"
[ -z "$NINJA_FAILS" ] || exit 1
for i in 1 2 3 4 5 6 7 8 9 10; do echo "[$i/10] c++"; done
mkdir -p "$2/app"
printf '#!/bin/sh\\necho "$PLR_COMMAND" "$LD_LIBRARY_PATH" "$@"\\nexit 7\\n' >"$2/app/plr"
chmod +x "$2/app/plr"
"""


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """An installation with torch 2.13.0+cpu, and stand-ins that log their calls."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name, text in (("c++", "#!/bin/sh\n"), ("cmake", CMAKE), ("ninja", NINJA)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "CMakeLists.txt").write_text("project(plr)\n")
    for name in ("CXX", "PLR_PROGRAM", "CMAKE_FAILS", "NINJA_FAILS", "FAKE_CMAKE", "LD_LIBRARY_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("PLR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "calls"))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setattr(trainer, "SOURCE", tmp_path / "source")
    monkeypatch.setattr(trainer, "torch_folder", lambda: tmp_path / "torch")
    monkeypatch.setattr(trainer.importlib.metadata, "version", lambda name: "2.13.0+cpu")
    return folder


def calls(tmp_path):
    return [line.split()[0] for line in (tmp_path / "calls").read_text().splitlines()]


# ---- building the trainer

def test_the_trainer_is_built_once_per_version_of_torch(tools, tmp_path, monkeypatch):
    lines = []
    first = trainer.build(report=lines.append)
    assert first.parent.name.startswith(f"{plr.__version__}-torch-2.13.0+cpu-") and os.access(first, os.X_OK)
    assert lines[0] == f"plr: building the trainer for torch 2.13.0+cpu in {first.parent} (once; takes minutes)"
    assert lines[-2:] == ["plr: building the trainer, 10 of 10 files", "plr: the trainer is built"]
    assert trainer.build() == first == trainer.built_program()
    assert calls(tmp_path) == ["cmake", "ninja"]
    monkeypatch.setattr(trainer.importlib.metadata, "version", lambda name: "2.14.0")
    assert trainer.built_program() is None
    assert trainer.build(report=lines.append) != first and first.exists()


def test_other_sources_of_the_same_version_are_built_again(tools, tmp_path):
    first = trainer.build(report=print)
    (tmp_path / "source" / "CMakeLists.txt").write_text("project(new)\n")
    assert trainer.build(report=print) != first


def test_the_build_uses_the_installed_torch_and_bundled_headers(tools, tmp_path):
    trainer.build(report=print)
    configure = (tmp_path / "calls").read_text().splitlines()[0]
    for setting in (f"-DPLR_TORCH={tmp_path}/torch", "-DPLR_BUNDLED=ON", "-DPLR_WITH_TORCH=ON", "-DPLR_BUILD_TESTS=OFF"):
        assert setting in configure.split()


def test_only_one_of_concurrent_builds_compiles(tools, tmp_path):
    threads = [threading.Thread(target=trainer.build, kwargs={"report": lambda line: None}) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls(tmp_path) == ["cmake", "ninja"]


def test_setup_builds_again(tools, tmp_path):
    trainer.build(report=print)
    assert program.setup(["train"]) == 0
    assert calls(tmp_path) == ["cmake", "ninja"] * 2


def assert_refused(message):
    with pytest.raises(trainer.TrainerError) as error:
        trainer.build(report=lambda line: None)
    assert str(error.value) == message


def test_missing_or_old_tools_are_named_with_the_remedy(tools, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_CMAKE", "3.22.1")
    assert_refused(f"the trainer is built with CMake 3.25 or newer, and {tools}/cmake is older: "
                   "pip install 'level-replay[train]'")
    monkeypatch.setenv("PATH", str(tools))
    for name, message in (("ninja", "the trainer is built once with ninja, which was not found: "
                                    "pip install 'level-replay[train]'"),
                          ("cmake", "the trainer is built once with cmake, which was not found: "
                                    "pip install 'level-replay[train]'"),
                          ("c++", "the trainer is built once with a C++20 compiler, and none was found: install g++ 11 "
                                  "or newer (Debian and Ubuntu: sudo apt-get install g++)")):
        (tools / name).unlink()
        assert_refused(message)
    monkeypatch.setattr(trainer.importlib.metadata, "version", lambda name: "2.5.1")
    assert_refused("this command needs torch 2.11 or newer, not 2.5.1: pip install --upgrade torch")
    monkeypatch.setattr(trainer, "torch_folder", lambda: None)
    assert_refused("this command needs torch: pip install 'level-replay[train]'")
    monkeypatch.setattr(trainer, "SOURCE", tmp_path / "nowhere")
    assert_refused("this installation has no sources of the trainer; install level-replay with pip, or set PLR_PROGRAM "
                   "to a program plr that can train")


def test_a_failed_build_names_its_log_and_is_repeated(tools, tmp_path, monkeypatch):
    log = f"{trainer._program_path().parent}.log"
    monkeypatch.setenv("NINJA_FAILS", "1")
    assert_refused(f"the build of the trainer failed; see {log}")
    monkeypatch.setenv("CMAKE_FAILS", "no compiler")
    assert_refused(f"the trainer could not be configured (no compiler); see {log}")
    monkeypatch.delenv("NINJA_FAILS")
    monkeypatch.delenv("CMAKE_FAILS")
    assert trainer.build(report=print).exists()


def test_a_build_without_native_kernels_says_how_to_get_them(tools, monkeypatch):
    monkeypatch.setenv("CMAKE_WARNS", "  nvcc of CUDA 13 was not found: training on a GPU works, but is slower")
    line = ("plr: without native kernels, since nvcc of CUDA 13 was not found: pip install 'level-replay[cuda]', "
            "then plr setup train")
    for has_gpu in (True, False):
        monkeypatch.setattr(trainer, "_has_gpu", lambda has_gpu=has_gpu: has_gpu)
        lines = []
        trainer.build(again=True, report=lines.append)
        assert (line in lines) == has_gpu
    monkeypatch.setattr(trainer, "_has_gpu", lambda: True)
    monkeypatch.setenv("CMAKE_WARNS", "   nvcc of CUDA 13 fails with this compiler or C library: training is slower")
    trainer.build(again=True, report=lines.append)
    assert ("plr: without native kernels, since nvcc of CUDA 13 fails with this compiler or C library: see docs/gpus.md, "
            "then plr setup train") in lines


def test_help_of_the_trainer_needs_no_build(tools, tmp_path, monkeypatch, capsys):
    reference = tmp_path / "source" / "docs" / "reference"
    reference.mkdir(parents=True)
    (reference / "commands.md").write_text("## plr\n\n```text\nall\n```\n\n## plr bench train\n\n```text\nUsage: x\n```\n")
    monkeypatch.setattr(sys, "argv", ["plr.trainer", "bench", "train", "--help"])
    assert trainer.main() == 0
    assert tuple(capsys.readouterr()) == ("Usage: x\n", "")


# ---- the command

def run(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("PLR_PROGRAM", "PLR_PROCGEN")}
    return subprocess.run([sys.executable, "-m", "plr", *arguments], env={**environment, **variables},
                          capture_output=True, text=True, check=False)


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def test_arguments_and_exit_code_are_those_of_the_program(tmp_path):
    done = run("envs", "two words", PLR_PROGRAM=script(tmp_path / "program", 'echo "$0" "$2"; exit 7'))
    assert (done.stdout, done.stderr, done.returncode) == (f"{tmp_path}/program two words\n", "", 7)


def test_the_program_knows_procgen_and_torch(tmp_path):
    text = 'echo "$PLR_PROCGEN"; echo "$PLR_PYTHON"; echo "$LD_LIBRARY_PATH"'
    done = run("envs", PLR_PROGRAM=script(tmp_path / "program", text), PLR_CACHE=str(tmp_path), LD_LIBRARY_PATH="/other")
    procgen, python, libraries = done.stdout.splitlines()
    assert procgen == f"{tmp_path}/procgen" and python == sys.executable
    assert libraries in ("/other", f"{trainer.torch_libraries()}:/other")


def test_an_installation_without_program_says_so(tmp_path):
    done = run("envs", PLR_CACHE=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == ("plr: this installation has no program: it was built with PLR_BUILD_APP=OFF; install a wheel "
                           "of level-replay\n")


def test_unknown_setups_are_refused(tmp_path):
    done = run("setup", "atari")
    assert (done.stderr, done.returncode) == (
        "plr: unknown set-up 'atari'; use plr setup train or plr setup procgen\n", 2)


def test_the_command_imports_neither_numpy_nor_torch():
    code = "import sys, plr.program; print(*{'numpy', 'gymnasium', 'torch'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


def test_names_that_are_loaded_later_are_complete():
    for name in plr.__all__:
        assert getattr(plr, name) is not None
    assert set(plr.__all__) <= set(dir(plr))
    with pytest.raises(AttributeError, match="module 'plr' has no attribute 'trian'"):
        plr.trian  # noqa: B018
    assert pathlib.Path(plr.program.__file__).name == "program.py"
