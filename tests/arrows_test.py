"""Checks the includes between folders against the table of arrows in docs/design.md.

The table is the block that starts with ```arrows. A line "core: base" allows files of src/plr/core
to include headers of src/plr/base. Test files and test helpers follow it too, and may also include
tests/support.
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SOURCES = (".h", ".cc", ".cu", ".cuh")
FOR_TESTS = ("conformance.cc", "conformance_refusals.cc")


def allowed_arrows() -> dict[str, set[str]]:
    """Maps each folder to the folders that it may include, itself among them."""
    text = (ROOT / "docs/design.md").read_text()
    block = re.search(r"^```arrows\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if block is None:
        raise ValueError("docs/design.md has no block ```arrows")
    arrows = {}
    for line in block[1].splitlines():
        folder, _, targets = line.partition(":")
        arrows[folder.strip()] = {folder.strip(), *targets.split()}
    return arrows


def folder_of(path: Path) -> str:
    """The folder of a file or include as the table names it: core, app, python."""
    parts = path.parts
    if parts[0] == "plr":
        return parts[1]
    return parts[0]


def included_folder(including: Path, name: str) -> str:
    """The folder of an included header; python/src includes its own headers by name alone."""
    return folder_of(Path(name)) if "/" in name else folder_of(including)


def source_files() -> list[Path]:
    """The C++ and CUDA sources, relative to src/ or to the root."""
    library = [path.relative_to(ROOT / "src") for path in (ROOT / "src/plr").rglob("*")]
    others = [path.relative_to(ROOT) for top in ("app", "python") for path in (ROOT / top).rglob("*")]
    return [path for path in library + others if path.suffix in SOURCES]


def arrows_of(path: Path) -> set[str]:
    """The folders that a file includes, apart from tests/support."""
    file = ROOT / "src" / path if path.parts[0] == "plr" else ROOT / path
    names = INCLUDE.findall(file.read_text())
    return {included_folder(path, name) for name in names if not name.startswith("tests/")}


class Arrows(unittest.TestCase):
    def test_every_include_follows_an_arrow(self) -> None:
        allowed = allowed_arrows()
        for path in source_files():
            folder = folder_of(path)
            self.assertIn(folder, allowed, f"{path} is in a folder that the table does not name")
            wrong = arrows_of(path) - allowed[folder]
            self.assertFalse(wrong, f"{path} of {folder} must not include {', '.join(sorted(wrong))}")

    def test_arrows_have_no_cycle(self) -> None:
        allowed = allowed_arrows()
        done: set[str] = set()
        while len(done) < len(allowed):
            free = {f for f, targets in allowed.items() if f not in done and targets - {f} <= done}
            self.assertTrue(free, f"a cycle among {', '.join(sorted(set(allowed) - done))}")
            done |= free

    def test_only_test_files_include_test_support(self) -> None:
        for path in source_files():
            if re.search(r"_(test|testing)\.\w+$", path.name) or path.name in FOR_TESTS:
                continue
            file = ROOT / "src" / path if path.parts[0] == "plr" else ROOT / path
            wrong = [name for name in INCLUDE.findall(file.read_text())
                     if name.startswith("tests/") or name.endswith("_testing.h")]
            self.assertFalse(wrong, f"{path} includes {', '.join(wrong)}, which is for tests")


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
