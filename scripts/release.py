#!/usr/bin/env python3
"""Builds and tests the files of a release: python3 scripts/release.py dist

Writes the sdist, wheels for x86-64 and ARM (CPython 3.11, and 3.12 or newer), and SHA256SUMS. Equal sources give equal
files. The compiler is zig, from PyPI: its wheels run with glibc 2.28 and newer, on any distribution.

Each wheel is installed into a fresh environment and checked by scripts/wheel_check.py, whose digest of draws, steps, a
plug-in and the program's output must be the same everywhere; ARM's with qemu-aarch64-static (Debian: qemu-user-static)
and the Pythons of Debian for ARM, which are unpacked, not installed. The last check trains from a wheel: an environment
of plr, one of Python and one of a plug-in (--no-train leaves it out). Tools are kept in .plr/release; they include the
C++ library that zig compiles first.
"""

import argparse
import contextlib
import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Of tests/python. Emulated ARM runs the first alone.
TESTS = ["scorer_test.py", "runs_test.py", "threads_test.py", "level_vector_test.py", "classic_test.py", "ids_test.py",
         "plugins_test.py"]
GLIBC = "2.28"
#: Debian's release that has each Python for ARM.
ARM_PYTHONS = {"3.11": "bookworm", "3.13": "trixie"}


@dataclasses.dataclass(frozen=True)
class Python:
    version: str  # "3.12"
    path: str

    @property
    def tag(self):
        return "cp" + self.version.replace(".", "")


def say(text):
    print(f"release: {text}", file=sys.stderr, flush=True)


def fail(text):
    say(text)
    sys.exit(2)


def run(*command, **options):
    """Runs a command; on failure shows the end of its output and exits."""
    done = subprocess.run([str(word) for word in command], text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        print("\n".join(done.stdout.splitlines()[-40:]), file=sys.stderr)
        fail(f"failed: {' '.join(map(str, command))}")
    return done.stdout


def find_python(name):
    code = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"
    done = subprocess.run([name, "-c", code], capture_output=True, text=True, check=False) if shutil.which(name) else None
    if done is None or done.returncode != 0:
        fail(f"{name} was not found; give its path with --python")
    return Python(*done.stdout.split())


def pinned(name):
    """The arguments of pip for the packages of a file of scripts/requirements, with their hashes."""
    return ["--require-hashes", "--no-deps", "-r", ROOT / "scripts" / "requirements" / name]


def make_environment(python, folder, *packages):
    """A virtual environment with these packages; returns its Python."""
    if not (folder / "bin" / "pip").exists():
        run(python.path, "-m", "venv", "--clear", folder)
    inside = folder / "bin" / "python"
    if packages:
        run(inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return inside


class Compiler:
    """zig as C and C++ compiler for old versions of glibc."""

    def __init__(self, tools, folder):
        self._zig = run(tools, "-c", "import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).with_name('zig'))")
        self._zig = self._zig.strip()
        self._folder = folder

    def tool(self, name, *words):
        path = self._folder / name
        path.write_text(f'#!/bin/sh\nexec "{self._zig}" {" ".join(words)} "$@"\n')
        path.chmod(0o755)
        return path

    def environment(self, arch, sources):
        target = f"-target {arch}-linux-gnu.{GLIBC}"
        # libc++ does not bring <cstdio>, which nanobind uses. Paths of this machine stay out of the files.
        flags = f"-ffile-prefix-map={sources}=. -g0"
        return {"CC": str(self.tool(f"{arch}-cc", "cc", target)), "CXX": str(self.tool(f"{arch}-c++", "c++", target)),
                "CFLAGS": flags, "CXXFLAGS": f"{flags} -include cstdio", "LDFLAGS": "-s",
                "_PYTHON_HOST_PLATFORM": f"linux-{arch}"}


class Builder:
    def __init__(self, work, out):
        self.work, self.out = work, out
        self.kept = ROOT / ".plr" / "release"
        self.tools = make_environment(find_python(sys.executable), self.kept / "tools", *pinned("release.txt"))
        self.epoch = run("git", "-C", ROOT, "log", "-1", "--format=%ct").strip()

    def build_sdist(self):
        say("building the sdist")
        run(self.tools, "-m", "build", "--sdist", "--no-isolation", "--outdir", self.out, ROOT,
            env={**os.environ, "SOURCE_DATE_EPOCH": self.epoch})
        (sdist,) = self.out.glob("*.tar.gz")
        shutil.rmtree(self.work / "sources", ignore_errors=True)
        with tarfile.open(sdist) as archive:
            archive.extractall(self.work / "sources", filter="data")
        (self.sources,) = (self.work / "sources").iterdir()  # the wheels are built from it
        return sdist

    def prepare(self, python, arch):
        """The Python that builds, CMake's settings and the environment variables of a build by zig."""
        inside = make_environment(python, self.kept / python.tag, *pinned("build.txt"))
        compiler = Compiler(self.tools, self.work)
        settings = {"CMAKE_AR": compiler.tool("ar", "ar"), "CMAKE_RANLIB": compiler.tool("ranlib", "ranlib")}
        if arch != "x86_64":
            settings |= {"CMAKE_SYSTEM_NAME": "Linux", "CMAKE_SYSTEM_PROCESSOR": arch}
        variables = {**os.environ, **compiler.environment(arch, self.sources), "SOURCE_DATE_EPOCH": self.epoch,
                     "PATH": os.pathsep.join([str(inside.parent), str(self.tools.parent), os.environ["PATH"]])}
        return inside, settings, variables

    def build_wheel(self, python, arch):
        """A wheel that auditwheel accepts for GLIBC; an ARM one needs that of x86-64 to be built before."""
        say(f"building the wheel of Python {python.version} for {arch}")
        inside, definitions, variables = self.prepare(python, arch)
        build = self.work / f"build-{python.tag}-{arch}"
        settings = {"build-dir": build, "install.strip": "false",
                    **{f"cmake.define.{name}": value for name, value in definitions.items()}}
        if arch != "x86_64":  # its module cannot be imported here: it gets the types of x86-64
            stub = pathlib.Path("python/plr/_core.pyi")
            (build / stub).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.work / f"build-{python.tag}-x86_64" / stub, build / stub)
            settings["build.targets"] = "plr_python;plr"
            variables["SETUPTOOLS_EXT_SUFFIX"] = f".cpython-{python.tag[2:]}-{arch}-linux-gnu.so"
        raw = self.work / f"raw-{python.tag}-{arch}"
        repaired = self.work / f"repaired-{python.tag}-{arch}"
        for folder in (raw, repaired):
            shutil.rmtree(folder, ignore_errors=True)
        run(inside, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "-w", raw,
            *(f"-C{name}={value}" for name, value in settings.items()), self.sources, env=variables)
        (wheel,) = raw.iterdir()
        run(self.tools, "-m", "auditwheel", "repair", "-w", repaired, wheel, env=variables)
        (wheel,) = repaired.iterdir()
        return pathlib.Path(shutil.copy(wheel, self.out))

    def build_plugin(self, python, arch, wheel):
        """examples/plugin, built with the sources in a wheel and the compiler of the wheels."""
        say(f"building a plug-in for {arch}")
        inside, settings, variables = self.prepare(python, arch)
        unpacked = self.work / f"unpacked-{arch}"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(unpacked)
        return compile_plugin(inside.parent, self.sources, unpacked / "plr" / "source", self.work / f"plugin-{arch}",
                              settings, env=variables)


def compile_plugin(tools, sources, plr, build, settings, **options):
    """Builds examples/plugin with CMake and ninja in the folder `tools`; returns the library."""
    definitions = {"CMAKE_MAKE_PROGRAM": tools / "ninja", "PLR_SOURCE": plr, **settings}
    run(tools / "cmake", "-G", "Ninja", "-S", sources / "examples" / "plugin", "-B", build,
        *(f"-D{name}={value}" for name, value in definitions.items()), **options)
    run(tools / "cmake", "--build", build, "--target", "caves", **options)
    return build / "libcaves.so"


# ---- checks

def check(command, program, plugin, tests, env, **options):
    """Runs the check and the tests; returns the digest."""
    variables = {**env, "PLR_CAVES": str(plugin)}
    digest = run(*command, ROOT / "scripts" / "wheel_check.py", plugin, *program, env=variables, **options)
    run(*command, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib",
        *(ROOT / "tests" / "python" / name for name in tests), env=variables, **options)
    return digest.strip().splitlines()[-1]


def check_installed(python, file, plugin, work):
    say(f"testing {file.name} with Python {python.version}")
    inside = make_environment(python, pathlib.Path(tempfile.mkdtemp(dir=work)), file, "pytest", "pandas")
    run(inside, "-m", "plr", "--version", cwd=work)
    return check([inside], [inside.parent / "plr"], plugin, TESTS, os.environ, cwd=work)


def arm_root(version, kept):
    """The folder of an unpacked Python of Debian for ARM."""
    folder = kept / f"arm-{version}"
    root = folder / "root"
    if (root / "usr" / "bin" / f"python{version}").exists():
        return root
    say(f"fetching Python {version} for ARM")
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                                         f"http://deb.debian.org/debian {ARM_PYTHONS[version]} main\n")
    options = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Install-Recommends": "0",
               "Debug::NoLocking": "1", "Dir::State": folder, "Dir::State::lists": folder / "lists",
               "Dir::State::status": folder / "status", "Dir::Cache": folder, "Dir::Cache::archives": folder / "archives",
               "Dir::Etc::sourcelist": folder / "sources.list", "Dir::Etc::sourceparts": "-"}
    apt = ["apt-get", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
    run(*apt, "update")
    run(*apt, "install", "-y", "--download-only", "python3-minimal", "libpython3-stdlib", "libstdc++6", "zlib1g")
    for package in (folder / "archives").glob("*.deb"):
        run("dpkg-deb", "-x", package, root)
    if not (root / "lib").exists():
        (root / "lib").symlink_to("usr/lib")
    return root


def check_arm(version, wheel, plugin, builder):
    qemu = shutil.which("qemu-aarch64-static")
    if qemu is None:
        fail("qemu-aarch64-static was not found: install qemu-user-static, or give --no-arm")
    root = arm_root(version, builder.kept)
    say(f"testing {wheel.name} with Python {version} for ARM")
    site = pathlib.Path(tempfile.mkdtemp(dir=builder.work))
    platforms = [word for tag in ("2_28", "2_27", "2_17") for word in ("--platform", f"manylinux_{tag}_aarch64")]
    run(builder.tools, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", site,
        "--only-binary=:all:", "--platform", "manylinux2014_aarch64", *platforms, "--python-version", version, wheel,
        "pytest")
    emulated = [qemu, "-L", root]
    return check([*emulated, root / "usr" / "bin" / f"python{version}"], [*emulated, site / "plr" / "bin" / "plr"],
                 plugin, TESTS[:1], {**os.environ, "PYTHONHOME": str(root / "usr"), "PYTHONPATH": str(site)},
                 cwd=builder.work)


def check_training(python, wheel, builder):
    """The trainer is built against torch of PyPI and trains: an environment of plr, one of Python, one of a plug-in."""
    say(f"testing training with {wheel.name}")
    work = builder.work
    inside = make_environment(python, work / "train", f"level-replay[train] @ file://{wheel.absolute()}")
    source = run(inside, "-c", "import plr.trainer; print(plr.trainer.SOURCE)", cwd=work).strip()
    plugin = compile_plugin(inside.parent, builder.sources, source, work / "plugin-trainer", {})
    code = ("import sys, plr\n"
            "settings = {'steps': 20_000, 'threads': 1, 'device': 'cpu', 'progress': False}\n"
            "runs = [plr.train(**settings, out='run'),\n"
            "        plr.train('CartPole-v1', **settings, num_workers=2, out='python'),\n"
            "        plr.train(**settings, plugin=sys.argv[1], env='caves/gold', network='mlp', out='plugin')]\n"
            "for run in runs:\n"
            "    print(run.settings['env'], run.log['steps'][-1], plr.torch.load_policy(run.folder).num_actions)\n")
    variables = {**os.environ, "PLR_CACHE": str(work / "cache")}
    say("training printed " + ", ".join(run(inside, "-c", code, plugin, env=variables, cwd=work).splitlines()))
    for words in (["eval", "run", "--episodes", "10"], ["eval", "plugin", "--episodes", "10"],
                  ["check", "caves/gold", "--plugin", plugin]):
        run(inside.parent / "plr", *words, env=variables, cwd=work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="folder of the files; must be empty")
    parser.add_argument("--python", action="append", help="the Pythons of the wheels (python3.11 and python3.12)")
    parser.add_argument("--also-test", action="append", default=[], help="further Pythons, for the last wheel")
    parser.add_argument("--work", type=pathlib.Path, help="folder of the builds, which is kept (a temporary one)")
    parser.add_argument("--no-arm", action="store_true", help="only x86-64")
    parser.add_argument("--no-train", action="store_true", help="do not build the trainer")
    arguments = parser.parse_args()
    out = arguments.out.absolute()
    if out.exists() and any(out.iterdir()):
        fail(f"{out} is not empty")
    out.mkdir(parents=True, exist_ok=True)
    os.environ.pop("PYTHONPATH", None)
    pythons = [find_python(name) for name in arguments.python or ["python3.11", "python3.12"]]
    with contextlib.ExitStack() as stack:
        work = arguments.work or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        work.mkdir(parents=True, exist_ok=True)
        builder = Builder(work, out)
        builder.build_sdist()
        wheels = {python: builder.build_wheel(python, "x86_64") for python in pythons}
        plugin = builder.build_plugin(pythons[0], "x86_64", wheels[pythons[0]])
        digests = {wheel: check_installed(python, wheel, plugin, work) for python, wheel in wheels.items()}
        for other in map(find_python, arguments.also_test):
            digests[other] = check_installed(other, wheels[pythons[-1]], plugin, work)
        if not arguments.no_arm:
            arm = [builder.build_wheel(python, "aarch64") for python in pythons]
            plugin = builder.build_plugin(pythons[0], "aarch64", arm[0])
            for wheel, version in zip(arm, ARM_PYTHONS):
                digests[wheel] = check_arm(version, wheel, plugin, builder)
        if len(set(digests.values())) != 1:
            fail("the wheels compute different results: " + ", ".join(f"{a}: {b}" for a, b in digests.items()))
        if not arguments.no_train:
            check_training(pythons[0], wheels[pythons[0]], builder)
        run(builder.tools.with_name("cffconvert"), "--validate", "-i", ROOT / "CITATION.cff")
        run(builder.tools, "-m", "twine", "check", "--strict", *out.iterdir())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(sums))
    print("".join(sums), end="")


if __name__ == "__main__":
    main()
