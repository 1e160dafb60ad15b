"""Empty environments outside of the checkout, for tests of what is installed.

In: a wheel. Out: an `Environment` with that wheel and nothing else of its own. PyTorch and what else the package needs
are seen where they are installed here: to install them again would take minutes.
"""

import contextlib
import fcntl
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEEN = ("torch", "numpy", "xdsl", "click", "rich")


@dataclass(frozen=True)
class Environment:
    """A folder with a virtual environment, an empty directory to be in, and a cache of its own."""

    folder: Path

    @property
    def package(self) -> Path:
        """Where the package is installed."""
        (found,) = (self.folder / "venv" / "lib").glob("python*/site-packages/opwright")
        return found

    def run(self, *command: str, compiler: bool = False) -> subprocess.CompletedProcess[str]:
        """Runs a program of the environment; without a compiler there is nothing but the environment on the path."""
        binaries = self.folder / "venv" / "bin"
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("OPWRIGHT_", "PYTHON"))}
        path = f"{binaries}:{path_with_hasty_compiler(self.folder)}" if compiler else str(binaries)
        cache = str(self.folder / "cache")
        environment = {**kept, "PATH": path, "OPWRIGHT_CACHE_DIR": cache, "COLUMNS": "200"}
        place = self.folder / "elsewhere"
        place.mkdir(exist_ok=True)
        program, *words = command
        return subprocess.run(
            [str(binaries / program), *words],
            cwd=place,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def python(self, code: str, compiler: bool = False) -> subprocess.CompletedProcess[str]:
        """Runs Python; what is imported must be what is installed here."""
        done = self.run("python", "-c", f"{code}\nimport opwright\nprint(opwright.__file__)", compiler=compiler)
        assert done.returncode == 0, done.stderr
        *lines, place = done.stdout.splitlines()
        assert Path(place).parent == self.package
        return subprocess.CompletedProcess(done.args, 0, "\n".join(lines), done.stderr)


def path_with_hasty_compiler(folder: Path) -> str:
    """A PATH whose g++ optimises nothing: these tests ask where libraries come from, not how fast they are."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not installed")
    place = folder / "hasty"
    place.mkdir(exist_ok=True)
    (place / "g++").write_text(f'#!/bin/sh\nexec {shlex.quote(compiler)} "$@" -O0\n')
    (place / "g++").chmod(0o755)
    return f"{place}:{os.environ['PATH']}"


def install(wheel: Path, folder: Path) -> Environment:
    """Makes an environment with a wheel."""
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True, timeout=60)
    (site,) = (venv / "lib").glob("python*/site-packages")
    specs = [importlib.util.find_spec(name) for name in SEEN]
    places = dict.fromkeys(str(Path(spec.origin).parents[1]) for spec in specs if spec and spec.origin)
    (site / "seen.pth").write_text("".join(f"{place}\n" for place in places))
    command = [sys.executable, "-m", "pip", "--python", venv / "bin" / "python", "install", "--quiet"]
    options = ["--no-deps", "--no-index", "--force-reinstall", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*command, *options, wheel], check=True, timeout=120)
    return Environment(folder)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One process of a session at a time."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
