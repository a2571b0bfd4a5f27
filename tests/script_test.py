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
[ -z "$OLD_NVCC" ] || echo "   nvcc of CUDA $OLD_NVCC fails with this compiler or C library: training is slower"
[ -z "$NO_NVCC" ] || [ -e .plr/nvcc ] || echo "  nvcc of CUDA $NO_NVCC was not found: training is slower"
mkdir -p build/release build/dev build/tsan
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
        for name in ("app", "cmake", "src", "third_party", "docs/reference"):
            (self.root / name).mkdir(parents=True)
        for name in ("CMakeLists.txt", "CMakePresets.json", "docs/algorithm.md"):
            (self.root / name).touch()
        (self.root / "docs/reference/commands.md").write_text(
            "# Commands\n\n## plr --version\n\n```text\nplr 9.9\n```\n\n## plr\n\n```text\nVerbs\n```\n"
            "\n## plr bench train\n\n```text\nUsage: plr bench train\n```\n")
        self.tools = self.root / "tools"
        self.tools.mkdir()
        for name, text in (("c++", "#!/bin/sh\n"), ("cmake", CMAKE), ("ninja", NINJA)):
            (self.tools / name).write_text(text)
            (self.tools / name).chmod(0o755)

    def run_script(self, *arguments, folder=None, command="./plr", **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PLR_")}
        environment.update(PLR_OFFLINE="1", OLD_CMAKE="0", PATH=f"{self.tools}:{environment['PATH']}")
        return subprocess.run([command, *arguments], cwd=folder or self.root, env={**environment, **variables},
                              capture_output=True, text=True, check=False, timeout=120)

    def assert_fails(self, done, last_line):
        self.assertEqual(done.stderr.splitlines()[-1], last_line)
        self.assertEqual((done.stdout, done.returncode), ("", 2))

    def test_passes_arguments_and_exit_code_of_the_program(self):
        done = self.run_script("train", "--env", "two words")
        self.assertEqual(done.stdout, f"./plr {self.root}/.plr/procgen train --env two words\n")
        self.assertEqual(done.returncode, 7)
        self.assertIn("plr: first use: installs ", done.stderr)
        self.assertEqual(done.stderr.splitlines()[-1], "plr: configuring release")

    def num_configured(self):
        return len((self.root / "calls").read_text().splitlines())

    def test_configures_once(self):
        for _ in range(2):
            self.run_script("train")
        self.assertEqual(self.num_configured(), 1)
        self.run_script("train", PLR_TORCH="/other")
        self.assertEqual(self.num_configured(), 2)

    def test_help_and_version_need_no_build(self):
        for arguments, text in (([], "Verbs\n"), (["--help"], "Verbs\n"), (["-h"], "Verbs\n"),
                                (["--version"], "plr 9.9\n"),
                                (["bench", "train", "--help"], "Usage: plr bench train\n")):
            done = self.run_script(*arguments)
            self.assertEqual((done.stdout, done.stderr, done.returncode), (text, "", 0), arguments)
        self.assertFalse((self.root / ".plr").exists())

    def test_help_of_its_own_verbs_is_its_first_comment(self):
        for arguments in (["setup", "-h"], ["build", "--help"], ["test", "asan", "--help"],
                          ["fuzz", "--help"], ["docs", "--help"]):
            done = self.run_script(*arguments)
            self.assertEqual((done.stderr, done.returncode), ("", 0), arguments)
            self.assertIn("\n  ./plr test [PRESET] [NAME]  ", done.stdout, arguments)
            self.assertNotIn("#", done.stdout, arguments)
        self.assertFalse((self.root / ".plr").exists())

    def test_help_without_a_stored_text_comes_from_the_program(self):
        done = self.run_script("unknown", "--help")
        self.assertEqual(done.stdout, f"./plr {self.root}/.plr/procgen unknown --help\n")

    def test_a_built_program_answers_for_itself(self):
        self.run_script("train")
        self.assertEqual(self.run_script("--help").stdout, f"./plr {self.root}/.plr/procgen --help\n")

    def test_a_moved_checkout_is_not_built_again(self):
        self.run_script("train")
        moved = self.root.parent / (self.root.name + "-moved")
        shutil.copytree(self.root, moved)  # the copies are newer than the program
        self.addCleanup(shutil.rmtree, moved)
        done = self.run_script("train", folder=moved)
        self.assertEqual(done.stdout, f"./plr {moved}/.plr/procgen train\n")
        self.assertEqual(done.stderr, "")

    def test_a_changed_source_is_built(self):
        self.run_script("train")
        (self.root / "src/new.cc").write_text("int main() {}\n")
        done = self.run_script("train", NINJA_FAILS="1")
        self.assertEqual(done.returncode, 2)

    def test_files_of_the_current_directory_are_not_executed(self):
        elsewhere = self.root / "elsewhere"
        elsewhere.mkdir()
        for name in ("venv", "ctypes", "ensurepip", "pip", "json", "os"):
            (elsewhere / f"{name}.py").write_text(f"open('{elsewhere}/executed', 'w')\n")
        for arguments in (["setup"], ["setup", "procgen"], ["train"]):
            self.run_script(*arguments, folder=elsewhere, command=self.root / "plr")
        self.assertFalse((elsewhere / "executed").exists())

    def test_long_steps_report_their_progress(self):
        (self.tools / "ninja").write_text(NINJA.replace("mkdir", "echo '[3/9] x'; sleep 2; mkdir", 1))
        packages = self.root / "scripts/packages.sh"
        packages.write_text(packages.read_text().replace("sleep 20", "sleep 1"))
        self.assertIn("plr: building release [3/9]\n", self.run_script("train").stderr)

    def test_unknown_words_are_refused(self):
        self.assert_fails(self.run_script("setup", "atari"),
                          "plr: unknown set-up 'atari'; use ./plr setup or ./plr setup procgen")
        self.assert_fails(self.run_script("build", "fast"),
                          "plr: unknown preset 'fast'; use release, dev, asan, tsan, "
                          "asan-torch, tsan-torch or cuda")
        self.assert_fails(self.run_script("test", "--fast"),
                          "plr: unknown option '--fast'; use ./plr test [PRESET] [NAME]")

    def test_tests_are_selected_by_a_part_of_their_name(self):
        (self.tools / "ctest").write_text("#!/bin/sh\ncase $* in *-N*) echo Total Tests: $TESTS ;; *) echo \"$@\" ;; esac\n")
        (self.tools / "ctest").chmod(0o755)
        done = self.run_script("test", "docs.a", TESTS="10")
        self.assertRegex(done.stdout, r"^--preset dev -R \[dD\]\[oO\]\[cC\]\[sS\]\.\[aA\] -j \d+\n$")
        self.assertRegex(self.run_script("test", TESTS="10").stdout, r"^--preset dev -j \d+\n$")
        self.assert_fails(self.run_script("test", "tsan", "docs", TESTS="0"),
                          "plr: no test has 'docs' in its name; 'ctest --preset tsan -N' lists the names")

    def test_missing_packages_are_named_with_the_command_that_installs_them(self):
        (self.tools / "c++").write_text("#!/bin/sh\ngrep -q fmt/core.h && exit 1\nexit 0\n")
        self.assert_fails(self.run_script("train"), "plr: missing packages; run: sudo apt-get update && "
                                                    "sudo apt-get install -y libfmt-dev")
        (self.tools / "c++").write_text("#!/bin/sh\n")
        self.assertEqual(self.run_script("train").returncode, 7)

    def test_failures_are_reported(self):
        self.assert_fails(self.run_script("train", CMAKE_FAILS="no compiler"),
                          f"plr: could not configure release; see {self.root}/.plr/configure.log")
        self.assert_fails(self.run_script("train", NINJA_FAILS="1"), f"plr: the build of release failed; see {self.root}/.plr/build.log")
        self.assert_fails(self.run_script("train", OLD_CMAKE="1"), "plr: CMake 3.25 or newer is required; "
                                                                   f"see {self.root}/.plr/setup.log")

    def test_torch_is_not_installed_with_an_old_python(self):
        (self.tools / "python3").write_text("#!/bin/sh\n[ $1 = --version ] || exit 1\necho Python 3.10.12\n")
        (self.tools / "python3").chmod(0o755)
        (self.tools / "cmake").write_text(CMAKE.replace("mkdir", "echo '  libtorch: none'; exit 1\nmkdir"))
        packages = self.root / "scripts/packages.sh"
        packages.write_text(packages.read_text().replace("import:ensurepip=python3-venv", ""))
        self.assert_fails(self.run_script("train"),
                          "plr: torch is installed with Python 3.11 or newer, and python3 is Python 3.10.12: "
                          "put a newer one first on the PATH, or set PLR_TORCH")

    def test_the_compiler_of_cuda_is_installed_if_there_is_a_gpu(self):
        python = self.root / ".plr/venv/bin/python"
        python.parent.mkdir(parents=True)
        for name in ("python", "pip"):
            (python.parent / name).write_text("#!/bin/sh\necho \"$@\" >>.plr/pip\ntouch .plr/nvcc\n")
            (python.parent / name).chmod(0o755)
        done = self.run_script("train", NO_NVCC="13", PLR_GPU="0")
        self.assertEqual((done.returncode, self.num_configured()), (7, 1))
        self.assertNotIn("CUDA", done.stderr)
        done = self.run_script("build", NO_NVCC="13", PLR_GPU="1", PLR_TORCH="/torch")
        self.assertEqual(done.stderr.splitlines(), [
            "plr: configuring release", "plr: installing the compiler of CUDA 13 into .plr/ (once; 0.1 GB)",
            "plr: configuring release"])
        self.assertEqual(self.num_configured(), 3)
        self.assertIn(f"-r {self.root}/scripts/requirements/nvcc-13.txt\n", (self.root / ".plr/pip").read_text())

    def test_without_the_compiler_of_cuda_the_build_continues(self):
        for version in ("12", "13"):  # there is no file of requirements; pip has no network
            done = self.run_script("train", NO_NVCC=version, PLR_GPU="1", PLR_TORCH=f"/torch{version}")
            self.assertEqual(done.returncode, 7)
            self.assertIn("plr: continuing without it: training on a GPU is slower; see docs/gpus.md\n", done.stderr)

    def test_a_compiler_of_cuda_that_fails_is_reported_if_there_is_a_gpu(self):
        line = "plr: nvcc of CUDA 12 fails with this compiler or C library: training is slower; see docs/gpus.md\n"
        for has_gpu in ("1", "0"):
            done = self.run_script("train", OLD_NVCC="12", PLR_GPU=has_gpu, PLR_TORCH=f"/torch{has_gpu}")
            self.assertEqual((done.returncode, line in done.stderr), (7, has_gpu == "1"))

    def test_procgen_is_not_fetched_offline(self):
        self.assert_fails(self.run_script("setup", "procgen"),
                          f"plr: Procgen is not in {self.root}/.plr/procgen, and PLR_OFFLINE forbids "
                          "fetching it")
        self.assert_fails(self.run_script("setup", "procgen", PLR_PROCGEN="/nowhere"),
                          "plr: PLR_PROCGEN=/nowhere does not exist")


if __name__ == "__main__":
    unittest.main()
