"""The documentation: generated pages are current, and the site builds without broken links."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

from program import ProgramTest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent

PAGES = ("commands.md", "settings.md", "run_files.md", "experiment_files.md")


class Docs(ProgramTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_reference_pages_are_current(self):
        self.output("help", "--write", self.folder)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(PAGES))
        for page in PAGES:
            self.assertEqual((REPOSITORY / "docs/reference" / page).read_text(),
                             (self.folder / page).read_text(),
                             "run plr help --write docs/reference")

    def test_help_explains_words_and_refuses_unknown_ones(self):
        self.assertIn("episodes across rollouts", self.output("help", "D6"))
        self.assertEqual(self.output("help", "bench", "env"), self.output("bench", "env", "--help"))
        self.assertEqual(self.output("help"), self.output("--help"))
        self.assert_refused(["help", "temprature"],
                            "plr help: there is no help on 'temprature'; did you mean temperature?")
        self.assert_refused(["help", "bench", "nothing"],
                            "plr help: there is no verb 'bench nothing'; plr --help lists the verbs")

    def test_the_site_has_no_broken_links(self):
        if importlib.util.find_spec("material") is None:
            self.skipTest("mkdocs-material is not installed; ./plr setup installs it")
        done = subprocess.run([sys.executable, REPOSITORY / "scripts/build_site.py", self.folder],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Prioritized Level Replay", (self.folder / "index.html").read_text())


if __name__ == "__main__":
    unittest.main()
