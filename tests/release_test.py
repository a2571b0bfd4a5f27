"""Version, changelog, citation and release workflow agree. Needs Python's standard library only."""

import os
import pathlib
import re
import subprocess
import sys
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def version():
    return re.search(r"project\(plr VERSION ([0-9.]+) ", text("CMakeLists.txt"))[1]


class Release(unittest.TestCase):
    def test_the_changelog_has_unreleased_changes_then_dated_versions(self):
        headings = re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.M)
        self.assertEqual(headings[0], "Unreleased")
        for heading in headings[1:]:
            self.assertRegex(heading, r"^\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$")
        kinds = re.findall(r"^### (.*)$", text("CHANGELOG.md"), re.M)
        self.assertLessEqual(set(kinds), {"Same seed, other run", "Added", "Changed", "Fixed"})

    def test_changelog_and_citation_name_the_version_and_its_date(self):
        heading = re.findall(r"^## (\S+) \((\S+)\)$", text("CHANGELOG.md"), re.M)[0]
        citation = text("CITATION.cff")
        cited = (re.search(r"^version: (\S+)$", citation, re.M)[1],
                 re.search(r"^date-released: (\S+)$", citation, re.M)[1])
        self.assertEqual(heading, cited)
        self.assertEqual(heading[0], version())

    def test_the_program_has_the_version(self):
        if "PLR_PROGRAM" not in os.environ:
            self.skipTest("the program was not built")
        done = subprocess.run([os.environ["PLR_PROGRAM"], "--version"], capture_output=True, text=True, check=True)
        self.assertTrue(done.stdout.startswith(f"plr {version()}, "), done.stdout)

    def test_python_has_no_version_of_its_own(self):
        package = tomllib.loads(text("pyproject.toml"))
        self.assertNotIn("version", package["project"])
        pattern = package["tool"]["scikit-build"]["metadata"]["version"]["regex"]
        self.assertEqual(re.search(pattern, text("CMakeLists.txt"))["value"], version())

    def test_the_workflow_calls_the_release_script_as_it_is(self):
        usage = subprocess.run([sys.executable, ROOT / "scripts" / "release.py", "--help"], capture_output=True,
                               text=True, check=True).stdout
        calls = re.findall(r"scripts/release\.py (.*)$", text(".github/workflows/release.yml"), re.M)
        self.assertEqual(len(calls), 1)
        for flag in re.findall(r"--[a-z-]+", calls[0]):
            self.assertIn(flag, usage)


if __name__ == "__main__":
    unittest.main()
