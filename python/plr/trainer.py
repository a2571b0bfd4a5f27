"""The trainer: the program plr with torch, built once from the sources in the package.

    program = plr.trainer.build()      # a path; returns at once if it is built already

torch's C++ interface changes with every version, so that a wheel cannot contain the trainer. It is built against the
installed torch, in some minutes, into a folder named by the versions of plr and torch; another version of either is
another folder. Needs a C++20 compiler, CMake 3.25 and ninja: pip install 'level-replay[train]' brings the last two and
torch, pip install 'level-replay[cuda]' also CUDA's compiler, for native kernels. PLR_CACHE is the folder of all builds,
by default ~/.cache/plr; PLR_PROGRAM names a program to use instead.
Processes that build the same trainer wait for each other.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence

from plr._core import version

SOURCE = pathlib.Path(__file__).parent / "source"
MIN_TORCH = (2, 11)
MIN_CMAKE = (3, 25)
#: Memory that the compiler needs for a file that includes torch, in bytes.
MEMORY_PER_JOB = 1_500_000_000

Report = Callable[[str], None]


class TrainerError(RuntimeError):
    """The trainer cannot be built; the message says what to install."""


def cache_folder() -> pathlib.Path:
    folder = os.environ.get("PLR_CACHE")
    if folder:
        return pathlib.Path(folder).absolute()
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "plr"


def torch_folder() -> pathlib.Path | None:
    """The folder of the installed torch, which is not imported."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return None
    return pathlib.Path(spec.submodule_search_locations[0])


def torch_libraries() -> pathlib.Path | None:
    folder = torch_folder()
    return None if folder is None else folder / "lib"


def built_program() -> pathlib.Path | None:
    """The trainer for the installed torch; None if it is not built."""
    given = os.environ.get("PLR_PROGRAM")
    if given:
        return pathlib.Path(given)
    if torch_folder() is None or not SOURCE.is_dir():
        return None
    program = _program_path()
    return program if program.exists() else None


def build(again: bool = False, report: Report | None = None) -> pathlib.Path:
    """Builds the trainer unless it is built, or `again`; returns its path. Raises TrainerError.

    `report` is called with a line now and then; by default lines go to standard error.
    """
    if not again:
        program = built_program()
        if program is not None:
            return program
    program = _program_path()
    tools = _find_tools()
    program.parent.parent.mkdir(parents=True, exist_ok=True)
    with open(program.parent.with_name(program.parent.name + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if program.exists() and not again:
            return program  # by a process that held the lock
        _build(program, tools, report or _print_line)
    return program


def _program_path() -> pathlib.Path:
    if not SOURCE.is_dir():
        raise TrainerError("this installation has no sources of the trainer; install level-replay with pip, "
                           "or set PLR_PROGRAM to a program plr that can train")
    return cache_folder() / f"{version()}-torch-{_torch_version()}-{_source_digest()}" / "plr"


def _torch_version() -> str:
    if torch_folder() is None:
        raise TrainerError("this command needs torch: pip install 'level-replay[train]'")
    version = importlib.metadata.version("torch")
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers < MIN_TORCH:
        raise TrainerError(f"this command needs torch {MIN_TORCH[0]}.{MIN_TORCH[1]} or newer, not {version}: "
                           "pip install --upgrade torch")
    return version


def _source_digest() -> str:
    """Distinguishes sources of the same version, as of a developer."""
    digest = hashlib.sha256()
    for path in sorted(SOURCE.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(SOURCE)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:8]


def _find_tools() -> dict[str, str]:
    """The paths of c++, cmake and ninja. Those of this Python's environment come first."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
    compiler = next(filter(None, (shutil.which(name, path=path) for name in
                                  (os.environ.get("CXX") or "c++", "g++", "clang++"))), None)
    if compiler is None:
        raise TrainerError("the trainer is built once with a C++20 compiler, and none was found: install g++ 11 or "
                           "newer (Debian and Ubuntu: sudo apt-get install g++)")
    tools = {"c++": compiler}
    for name in ("cmake", "ninja"):
        tool = shutil.which(name, path=path)
        if tool is None:
            raise TrainerError(f"the trainer is built once with {name}, which was not found: "
                               "pip install 'level-replay[train]'")
        tools[name] = tool
    version = subprocess.run([tools["cmake"], "--version"], capture_output=True, text=True, check=False).stdout
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers < MIN_CMAKE:
        raise TrainerError(f"the trainer is built with CMake {MIN_CMAKE[0]}.{MIN_CMAKE[1]} or newer, and "
                           f"{tools['cmake']} is older: pip install 'level-replay[train]'")
    return tools


def _build(program: pathlib.Path, tools: dict[str, str], report: Report) -> None:
    folder = program.parent.with_name(program.parent.name + ".build")
    log = program.parent.with_name(program.parent.name + ".log")
    report(f"plr: building the trainer for torch {_torch_version()} in {program.parent} (once; takes minutes)")
    settings = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_COMPILER": tools["c++"],
                "CMAKE_MAKE_PROGRAM": tools["ninja"], "PLR_TORCH": str(torch_folder()), "PLR_BUILD_APP": "ON",
                "PLR_BUILD_BENCHMARKS": "OFF", "PLR_BUILD_PYTHON": "OFF", "PLR_BUILD_TESTS": "OFF",
                "PLR_BUNDLED": "ON", "PLR_WITH_TORCH": "ON"}
    with open(log, "w") as output:
        configure = [tools["cmake"], "--fresh", "-G", "Ninja", "-S", str(SOURCE), "-B", str(folder),
                     *(f"-D{name}={value}" for name, value in settings.items())]
        if subprocess.run(configure, stdout=output, stderr=output, check=False).returncode != 0:
            raise TrainerError(f"the trainer could not be configured{_first_error(log)}; see {log}")
        problem = re.search("nvcc of CUDA .* (was not found|fails with .*?):", log.read_text(errors="replace"))
        if problem and _has_gpu():
            remedy = "pip install 'level-replay[cuda]'" if problem[1] == "was not found" else "see docs/gpus.md"
            report(f"plr: without native kernels, since {problem[0]} {remedy}, then plr setup train")
        ninja = [tools["ninja"], "-C", str(folder), "-j", str(_num_jobs()), "plr"]
        with subprocess.Popen(ninja, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "NINJA_STATUS": "[%f/%t] "}) as process:
            assert process.stdout is not None
            progress = _Progress(report)
            for line in process.stdout:
                output.write(line)
                progress.show(line)
        if process.returncode != 0:
            raise TrainerError(f"the build of the trainer failed; see {log}")
    program.parent.mkdir(exist_ok=True)
    os.replace(folder / "app" / "plr", program)
    shutil.rmtree(folder, ignore_errors=True)
    report("plr: the trainer is built")


class _Progress:
    """A line for every tenth of the files."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._tenths = 0

    def show(self, line: str) -> None:
        match = re.match(r"\[(\d+)/(\d+)\] ", line)
        if match and int(match[1]) * 10 // int(match[2]) > self._tenths:
            self._tenths = int(match[1]) * 10 // int(match[2])
            self._report(f"plr: building the trainer, {match[1]} of {match[2]} files")


def _num_jobs() -> int:
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(cores, memory // MEMORY_PER_JOB))


def _first_error(log: pathlib.Path) -> str:
    """The text of CMake's first error, if there is one, as part of a sentence."""
    match = re.search(r"CMake Error[^\n]*:\n+((?:  [^\n]+\n)+)", log.read_text(errors="replace"))
    return "" if match is None else " (" + " ".join(match[1].split()) + ")"


def _has_gpu() -> bool:
    """Whether this machine has NVIDIA's driver."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def _print_line(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def stored_help(arguments: Sequence[str]) -> str | None:
    """The help that the arguments ask for, from the documents, so that help needs no build; None if they ask for none."""
    words = [word for word in arguments if not word.startswith("-")]
    document = SOURCE / "docs" / "reference" / "commands.md"
    if not {"-h", "--help"} & set(arguments) or not document.is_file():
        return None
    match = re.search(rf"^## plr {re.escape(' '.join(words))}\n.*?^```\w*\n(.*?)^```", document.read_text(), re.M | re.S)
    return None if match is None else match[1]


def main() -> int:
    """python -m plr.trainer ARGUMENT ...: builds the trainer if necessary and starts it."""
    from plr import program

    text = stored_help(sys.argv[1:]) if built_program() is None else None
    if text is not None:
        print(text, end="")
        return 0
    try:
        return program.start(build(), sys.argv[1:])
    except TrainerError as error:
        return program.fail(error)


if __name__ == "__main__":
    sys.exit(main())
