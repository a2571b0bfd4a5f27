"""Every command in the documents is valid: shell blocks, and inline code that names a command or a flag.

Commands that are quick run in a scratch folder, with short runs as runs/NAME; training and experiments are resolved
with --dry-run; of all others, each flag must be in the help of its command. Other tools need a rule in OTHER_TOOLS.
Needs Python's standard library only; the program's path is in PLR_PROGRAM, that of a plug-in in PLR_CAVES.
"""

import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

from program import PROGRAM, plr

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: CHANGELOG.md names flags of earlier versions.
EXCLUDED = ("third_party/", "tests/golden/", "CHANGELOG.md", "build/", "runs/", ".")
TINY = ["--device", "cpu", "--threads", "1", "--steps", "64", "--num-slots", "4", "--rollout-length", "16",
        "--num-minibatches", "1", "--eval-episodes", "1", "--final-episodes", "1"]
MAZE = [*TINY, "--preset", "maze-dr", "--lstm-units", "8"]
#: How shell blocks are marked.
SHELL = "(?:sh|bash|shell|console)"
#: Flags of other programs that the documents name.
FOREIGN_FLAGS = {"--no-build-isolation", "--requeue", "--sbatch"}


def documents():
    # Folders of builds are not entered: other tests remove files there at the same time.
    tops = [top for top in sorted(ROOT.iterdir()) if not f"{top.name}/".startswith(EXCLUDED)]
    for top in tops:
        for path in sorted(top.rglob("*.md")) if top.is_dir() else [top]:
            name = str(path.relative_to(ROOT))
            if name.endswith(".md") and not name.startswith(EXCLUDED):
                yield name, path.read_text(encoding="utf-8")


def shell_lines(text):
    """The lines of shell blocks, with continued ones joined."""
    for block in re.findall(rf"^```{SHELL}\n(.*?)^```", text, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            yield line.removeprefix("$ ")


def commands(line):
    """The simple commands of a line, as lists of words, without assignments before them."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>")
    lexer.commenters = "#"
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if re.fullmatch(r"[;&|]+", word):
            yield words
            words = []
        elif words or not re.match(r"[A-Z_]+=", word):
            words.append(word)
    yield words


def all_commands():
    """(document, words) for every command of a shell block."""
    for name, text in documents():
        for line in shell_lines(text):
            for words in commands(line):
                if words:
                    yield name, words


def inline_code():
    """(document, code) for all inline code outside of blocks."""
    for name, text in documents():
        prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        for code in re.findall(r"`([^`]+)`", prose):
            yield name, " ".join(code.split())


@functools.cache
def help_of(*verb):
    done = plr(*verb, "--help")
    return done.stdout if done.returncode == 0 else None


@functools.cache
def subcommands(*verb):
    """The names of the indented lines below a heading that ends with a colon, if they have help of their own."""
    names = re.findall(r"^  ([a-z]+)  ", help_of(*verb), re.M)
    return [name for name in names if help_of(*verb, name)]


@functools.cache
def flags_of(*verb):
    """The flags that the help lists, without those of its examples."""
    listed = re.findall(r"^  (-\S+)", help_of(*verb), re.M)
    return frozenset(flag for item in listed for flag in re.findall(r"(?:^|,)(--?[a-z][a-z0-9-]*)", item))


@functools.cache
def every_flag():
    flags = {*flags_of(), *FOREIGN_FLAGS}
    for path in (path for folder in ("examples", "scripts", "tests") for path in (ROOT / folder).glob("*.py")):
        flags |= set(re.findall(r"add_argument\(\"(--[a-z-]+)\"", path.read_text()))
    for verb in subcommands():
        flags |= flags_of(verb)
        for inner in subcommands(verb):
            flags |= flags_of(verb, inner)
    return flags


@functools.cache
def script_verbs():
    """The verbs that the script ./plr lists."""
    return re.findall(r"^#   \./plr ([a-z]+)", (ROOT / "plr").read_text(), re.M)


def verb_of(words):
    """The verb, with its subcommand: ["bench", "train"]."""
    depth = 2 if len(words) > 1 and words[0] in subcommands() and words[1] in subcommands(words[0]) else 1
    return words[:depth]


def flag_name(word):
    return word.split("=")[0].replace("_", "-")


class Docs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if "train an agent" not in plr("--help").stdout or "needs torch" in plr("--help").stdout:
            raise unittest.SkipTest("built without libtorch")
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        os.environ["PLR_CACHE"] = str(cls.folder / "cache")  # where plug-ins are remembered
        (cls.folder / "docs").mkdir()
        shutil.copytree(ROOT / "experiments", cls.folder / "experiments")
        shutil.copy(ROOT / "README.md", cls.folder)
        empty = ["--env", "minigrid/MiniGrid-Empty-Random-6x6-v0", "--levels", "20", *TINY]
        for name, settings in (("runs/NAME", [*empty, "--curriculum", "plr"]),
                               ("runs/other", [*empty, "--curriculum", "uniform"]), ("maze", MAZE)):
            done = plr("train", *settings, "--out", name, cwd=cls.folder)
            assert done.returncode == 0, done.stderr

    # ---- the program

    def check_flags(self, verb, words):
        for word in words:
            if re.match(r"--?[a-z]", word) and not word.startswith("--sbatch"):
                self.assertTrue(flag_name(word) in flags_of(*verb), f"plr {' '.join(verb)} has no flag {word}")

    def check_script(self, words):
        """./plr setup, build, test and others, which are not commands of the program."""
        if words[0] == "build" and len(words) > 1:
            presets = json.loads((ROOT / "CMakePresets.json").read_text())["buildPresets"]
            self.assertIn(words[1], [preset["name"] for preset in presets])
        elif words[0] == "setup":
            self.assertIn(words[1:], ([], ["procgen"], ["train"]))

    def check_program(self, document, words):
        if words and words[0] in script_verbs():
            return self.check_script(words)
        verb = verb_of(words) if words and not words[0].startswith("-") else []
        if verb:
            self.assertIn(verb[0], subcommands(), "plr has no such verb")
        self.check_flags(verb, words)
        runnable = self.runnable(document, words)
        if runnable is not None:
            done = plr(*runnable, cwd=self.folder)
            if "built without giflib" not in done.stderr:
                self.assertEqual(done.returncode, 0, done.stderr)
        return None

    def runnable(self, document, words):
        """The command with samples in place of names, or None if it is too slow."""
        if not words or words[0] not in ("train", "eval", "play", "experiment", "report", "envs", "levels", "check"):
            return None
        if "--cvar" in words or "--watch" in words:
            return None
        is_maze = pathlib.PurePath(document).stem == "maze" or any("maze/" in word for word in words)
        sample = "maze" if is_maze else "runs/NAME"
        words = ["experiments/quick.toml" if word == "FILE" else word for word in words]
        words = [os.environ["PLR_CAVES"] if word.endswith("/libcaves.so") else word for word in words]
        if words[0] in ("train", "experiment"):
            words = [word for word in words if word != "--slurm" and not word.startswith("--sbatch")]
            words += [] if "--dry-run" in words else ["--dry-run"]
        if words[0] == "eval":
            words = [*words, "--episodes", "2"] if "--episodes" not in words else words
            words[words.index("--episodes") + 1] = "2"
        if words[0] == "play" and not {"--gif", "--png"} & set(words):
            words = [word for word in words if word != "--step"]
        at_runs = "runs" if words[0] == "report" else sample
        return [at_runs if word.startswith("runs/") and "--out" not in words[:i][-1:] else word
                for i, word in enumerate(words)]

    # ---- other tools

    def check_python(self, words):
        if words[1:3] == ["-m", "plr"]:
            return self.check_program("", words[3:])
        if words[1] == "-m":
            return None
        self.assertTrue((ROOT / words[1]).is_file(), "there is no such file")
        flags = [flag_name(word) for word in words[2:] if word.startswith("--")]
        if flags:
            text = subprocess.run([sys.executable, ROOT / words[1], "--help"], capture_output=True, text=True,
                                  check=False).stdout
            for flag in flags:
                self.assertIn(flag, text)
        return None

    def check_pip(self, words):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        for word in words[2:]:
            name, _, extras = word.removesuffix("]").partition("[")
            if extras:
                self.assertIn(name, (project["name"], "."))
                self.assertLessEqual(set(extras.split(",")), set(project["optional-dependencies"]))

    def check_cmake(self, words):
        known = "".join(path.read_text() for path in (ROOT / "CMakeLists.txt", *(ROOT / "cmake").iterdir()))
        known += (ROOT / "examples" / "sampler" / "CMakeLists.txt").read_text()
        for word in words:
            if word.startswith("-DPLR_"):
                self.assertIn(re.split("[=:]", word[2:])[0], known)
        if "--preset" in words:
            presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
            self.assertIn(words[words.index("--preset") + 1], [preset["name"] for preset in presets])
        if "-S" in words and words[words.index("-S") + 1] != ".":
            self.assertTrue((ROOT / words[words.index("-S") + 1]).is_dir())

    def check(self, document, words):
        program = pathlib.PurePath(words[0]).name
        if words[0] in ("plr", "./plr"):
            self.check_program(document, words[1:])
        elif program in ("torchrun", "srun"):
            # Not run: what they start is checked as if it was started alone.
            self.check(document, words[words.index("./plr"):])
        elif program in ("python", "python3"):
            self.check_python(words)
        elif program in ("pip", "pip3"):
            self.check_pip(words)
        elif program in ("cmake", "ctest"):
            self.check_cmake(words)
        elif program.endswith((".py", ".sh")):
            self.check_python(["python3", *words])
        else:
            self.assertIn(program, OTHER_TOOLS, "docs_commands_test.py has no rule for this command")

    # ---- tests

    def test_every_command_of_a_shell_block_is_valid(self):
        found = list(all_commands())
        self.assertGreater(len(found), 20)
        for document, words in found:
            with self.subTest(document=document, command=shlex.join(words)):
                self.check(document, words)

    def test_blocks_of_commands_are_shell_blocks(self):
        for document, text in documents():
            for kind, block in re.findall(r"^```([^\n]*)\n(.*?)^```", text, re.M | re.S):
                if re.search(r"^(\$ )?(\./plr|plr|python3?|pip|srun|torchrun) [a-z./-]", block, re.M):
                    with self.subTest(document=document, block=block):
                        self.assertRegex(kind, f"^{SHELL}$")

    def test_inline_commands_name_existing_verbs_and_flags(self):
        for document, code in inline_code():
            match = re.fullmatch(r"(?:\./)?plr ([a-z].*)", code)
            if match is None:
                continue
            with self.subTest(document=document, code=code):
                words = match[1].split()
                if words[0] in script_verbs():
                    self.check_script(words)
                    continue
                self.assertIn(words[0], subcommands(), "plr has no such verb")
                self.check_flags(verb_of(words), words)

    def test_inline_flags_exist(self):
        for document, code in inline_code():
            if re.match(r"--[a-z]", code):
                with self.subTest(document=document, code=code):
                    for word in code.split():
                        if word.startswith("--"):
                            self.assertTrue(flag_name(word.rstrip(",")) in every_flag(), f"no verb has a flag {word}")

    def test_files_that_commands_name_exist(self):
        for document, words in all_commands():
            for word in words:
                if word.startswith(("experiments/", "examples/", "scripts/", "docs/", "tests/")):
                    with self.subTest(document=document, file=word):
                        self.assertTrue((ROOT / word).exists())


#: Commands of other tools, which are not checked.
OTHER_TOOLS = {"cd", "export", "git", "head", "mkdir", "ninja", "sha256sum", "source", "sudo", "twine"}

if __name__ == "__main__":
    unittest.main()
