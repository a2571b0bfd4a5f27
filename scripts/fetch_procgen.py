"""Fetches Procgen 0.10.7: python3 fetch_procgen.py FOLDER

Downloads the published wheel with pip (36 MB), checks its SHA-256 and unpacks its package as FOLDER,
which exists only when it is complete. On failure prints one line and exits with 2. Called by
./plr setup procgen.
"""

import hashlib
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import zipfile

VERSION = "0.10.7"
SHA256 = "4b594d14e42f0f2166e59a9e294477b906eb99c90c3343b570b7124cbc865f53"


def fail(message):
    print(f"plr: {message}", file=sys.stderr)
    sys.exit(2)


def download(folder):
    """Downloads the wheel into folder; returns its path."""
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--retries", "2",
           "--timeout", "20", "--no-deps", "--only-binary=:all:", "--python-version", "3.10",
           "--platform", "manylinux2014_x86_64", "--dest", folder, f"procgen=={VERSION}"]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    wheels = list(pathlib.Path(folder).glob("*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        cause = (done.stderr.strip().splitlines() or ["pip download found no wheel"])[-1]
        fail(f"could not fetch Procgen ({cause}); try again, or set PLR_PROCGEN=DIR")
    return wheels[0]


def fetch(target):
    if target.exists():
        return
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        fail("Procgen is published for Linux on x86-64 only")
    if os.environ.get("PLR_OFFLINE"):
        fail(f"Procgen is not in {target}, and PLR_OFFLINE forbids fetching it")
    print(f"plr: fetching Procgen {VERSION} into {target} (once; 36 MB)", file=sys.stderr)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="procgen.") as folder:
        wheel = download(folder)
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
            fail(f"the wheel of Procgen that was fetched, {wheel.name}, is not the published one")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        (pathlib.Path(folder) / "procgen").rename(target)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        fail("usage: fetch_procgen.py FOLDER")
    fetch(pathlib.Path(sys.argv[1]))
