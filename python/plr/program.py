"""Starts the program plr: the command plr and python -m plr.

    plr envs               # the program of the wheel, which needs no torch
    plr train              # the trainer: the same program with torch, built once (plr.trainer)
    plr setup train        # builds the trainer now
    plr setup procgen      # fetches Procgen

Once the trainer is built, it runs all commands. The program of the wheel passes commands that need torch to
python -m plr.trainer.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence

from plr import trainer

PACKAGE = pathlib.Path(__file__).parent


def main() -> int:
    arguments = sys.argv[1:]
    try:
        if arguments[:1] == ["setup"]:
            return setup(arguments[1:])
        program = trainer.built_program() or wheel_program()
    except trainer.TrainerError as error:
        return fail(error)
    return start(program, arguments)


def fail(error: Exception) -> int:
    print(f"plr: {error}", file=sys.stderr)
    return 2


def start(program: pathlib.Path, arguments: Sequence[str]) -> int:
    """Replaces this process by the program."""
    try:
        os.execve(program, ["plr", *arguments], environment())
    except OSError as error:
        return fail(OSError(f"cannot start {program}: {error.strerror}"))


def environment() -> dict[str, str]:
    """Environment variables for the program."""
    variables = dict(os.environ)
    variables.setdefault("PLR_PROCGEN", str(trainer.cache_folder() / "procgen"))
    variables["PLR_COMMAND"] = command()
    variables["PLR_PYTHON"] = sys.executable
    libraries = trainer.torch_libraries()
    if libraries is not None:
        others = variables.get("LD_LIBRARY_PATH")
        variables["LD_LIBRARY_PATH"] = f"{libraries}:{others}" if others else str(libraries)
    return variables


def command() -> str:
    """How the user calls the program: plr, or its path if another plr comes first."""
    script = pathlib.Path(sys.argv[0])
    if script.name != "plr":
        script = pathlib.Path(sysconfig.get_path("scripts")) / "plr"
    first = shutil.which("plr")
    return "plr" if first and script.exists() and os.path.samefile(first, script) else str(script)


def wheel_program() -> pathlib.Path:
    program = PACKAGE / "bin" / "plr"
    if not program.is_file():
        raise trainer.TrainerError("this installation has no program: it was built with PLR_BUILD_APP=OFF; "
                                   "install a wheel of level-replay")
    return program


def setup(words: Sequence[str]) -> int:
    match list(words):
        case ["train"]:
            trainer.build(again=True)
            return 0
        case ["procgen"]:
            script = trainer.SOURCE / "scripts" / "fetch_procgen.py"
            folder = environment()["PLR_PROCGEN"]
            return subprocess.run([sys.executable, script, folder], check=False).returncode
        case _:
            return fail(ValueError(f"unknown set-up '{' '.join(words)}'; use plr setup train or plr setup procgen"))
