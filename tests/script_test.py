"""The script ./plr, with stand-ins for the compiler, CMake and Ninja.

The stand-ins build a program that prints its arguments, so that the test needs no network and takes
a few seconds.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent

CMAKE = """#!/bin/sh
case $* in *--list-presets*) exit $OLD_CMAKE ;; esac
echo cmake "$@" >>calls
[ -z "$CMAKE_FAILS" ] || { echo "CMake Error: $CMAKE_FAILS"; exit 1; }
mkdir -p build/release
"""
NINJA = """#!/bin/sh
case $* in *-n*) exit 0 ;; esac
[ -z "$NINJA_FAILS" ] || exit 1
mkdir -p "$2/app"
printf '#!/bin/sh\\necho "$PLR_COMMAND" "$PLR_PROCGEN" "$@"\\nexit 7\\n' >"$2/app/plr"
chmod +x "$2/app/plr"
"""


class Script(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name).resolve()
        shutil.copy(SOURCE / "plr", self.root)
        shutil.copytree(SOURCE / "scripts", self.root / "scripts")
        self.tools = self.root / "tools"
        self.tools.mkdir()
        for name, text in (("c++", "#!/bin/sh\n"), ("cmake", CMAKE), ("ninja", NINJA)):
            (self.tools / name).write_text(text)
            (self.tools / name).chmod(0o755)

    def run_script(self, *arguments, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PLR_")}
        environment.update(PLR_OFFLINE="1", OLD_CMAKE="0", PATH=f"{self.tools}:{environment['PATH']}")
        return subprocess.run(["./plr", *arguments], cwd=self.root, env={**environment, **variables},
                              capture_output=True, text=True, check=False, timeout=120)

    def assert_fails(self, done, last_line):
        self.assertEqual(done.stderr.splitlines()[-1], last_line)
        self.assertEqual((done.stdout, done.returncode), ("", 2))

    def test_passes_arguments_and_exit_code_of_the_program(self):
        done = self.run_script("train", "--env", "two words")
        self.assertEqual(done.stdout, f"./plr {self.root}/.plr/procgen train --env two words\n")
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stderr, "plr: configuring release\n")

    def test_configures_once(self):
        for _ in range(2):
            self.run_script("train")
        self.assertEqual(len((self.root / "calls").read_text().splitlines()), 1)
        self.run_script("train", PLR_TORCH="/other")
        self.assertEqual(len((self.root / "calls").read_text().splitlines()), 2)

    def test_unknown_words_are_refused(self):
        self.assert_fails(self.run_script("setup", "atari"),
                          "plr: unknown set-up 'atari'; use ./plr setup or ./plr setup procgen")
        self.assert_fails(self.run_script("build", "fast"),
                          "plr: unknown preset 'fast'; use release, dev, asan, tsan or cuda")

    def test_missing_packages_are_named_with_the_command_that_installs_them(self):
        (self.tools / "c++").write_text("#!/bin/sh\ngrep -q fmt/core.h && exit 1\nexit 0\n")
        self.assert_fails(self.run_script("train"), "plr: missing packages; run: sudo apt-get update && "
                                                    "sudo apt-get install -y libfmt-dev")
        (self.tools / "c++").write_text("#!/bin/sh\n")
        self.assertEqual(self.run_script("train").returncode, 7)

    def test_failures_are_reported(self):
        self.assert_fails(self.run_script("train", CMAKE_FAILS="no compiler"),
                          f"plr: could not configure release; see {self.root}/.plr/configure.log")
        self.assert_fails(self.run_script("train", NINJA_FAILS="1"), "plr: the build of release failed")
        self.assert_fails(self.run_script("train", OLD_CMAKE="1"), "plr: CMake 3.25 or newer is required; "
                                                                   f"see {self.root}/.plr/setup.log")

    def test_procgen_is_not_fetched_offline(self):
        self.assert_fails(self.run_script("setup", "procgen"),
                          f"plr: Procgen is not in {self.root}/.plr/procgen, and PLR_OFFLINE forbids "
                          "fetching it")
        self.assert_fails(self.run_script("setup", "procgen", PLR_PROCGEN="/nowhere"),
                          "plr: PLR_PROCGEN=/nowhere does not exist")


if __name__ == "__main__":
    unittest.main()
