"""Builds the documentation site: python3 build_site.py FOLDER

Copies the Markdown files and pictures of the repository into build/site_docs, so that links between
them hold, and runs mkdocs (scripts/requirements/docs.txt), which fails on broken links and anchors.
Called by ./plr docs.
"""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ("*.md", "docs/**/*", "experiments/**/*", "benchmarks/*", "examples/**/*", "src/plr/**/*.h",
           "src/plr/**/*.cc", "app/*.cc", "python/plr/*.py", "tests/golden/*/README.md", "LICENSE",
           "CITATION.cff")
SUFFIXES = {"", ".cc", ".cff", ".css", ".csv", ".gif", ".h", ".json", ".md", ".png", ".py", ".svg",
            ".toml"}


def copy_sources(target):
    shutil.rmtree(target, ignore_errors=True)
    for pattern in SOURCES:
        for path in ROOT.glob(pattern):
            if not path.is_file() or path.suffix not in SUFFIXES:
                continue
            copy = target / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: build_site.py FOLDER")
    folder = pathlib.Path(sys.argv[1]).resolve()
    copy_sources(ROOT / "build/site_docs")
    command = [sys.executable, "-I", "-m", "mkdocs", "build", "--strict", "--config-file",
               ROOT / "mkdocs.yml", "--site-dir", folder]
    done = subprocess.run(command, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        problems = [line for line in done.stderr.splitlines() if not line.startswith("INFO")]
        sys.exit("\n".join(problems))
    print(f"plr: the documentation is in {folder}/index.html", file=sys.stderr)


if __name__ == "__main__":
    main()
