"""The doctor: checks of this machine, each with a verdict, evidence and a remedy.

In: the machine and the settings. Out: a list of `CheckResult`. A check is a small function in `CHECKS`; one that raises
becomes a problem with the text of what it raised. Nothing is changed, except that the cache directory is made when a
kernel is compiled for the check of the twin.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from opwright.ascendc.socs import SOCS
from opwright.errors import BadSetting, NoCompiler, OpwrightError
from opwright.package.facts import free_bytes, installed, owner_name, size_text, wanted_python, wanted_range, within
from opwright.settings import cann_home, settings, unknown_variables
from opwright.store.store import Store
from opwright.twin.toolchain import find_compiler

COMPILERS = ("g++", "clang++")
ANSWER_SECONDS = 20
PROBE_SECONDS = 180
LITTLE_DISK = 200 << 20
_MAX_LINES = 12


@dataclass(frozen=True)
class CheckResult:
    """What one check found. `verdict` is ok, warning or problem."""

    check: str
    verdict: str
    evidence: str
    remedy: str = ""


Found = tuple[str, str, str]  # verdict, evidence, remedy


# Software -----------------------------------------------------------------------------------------------------


def _package(package: str, required: bool, absent: str = "not found") -> Found:
    """Whether a package is there in the version that is asked for. It is not loaded."""
    wanted = wanted_range(package)
    install = f'pip install "{package}{wanted}"'
    version = installed(package)
    if version is None:
        return ("problem", absent, install) if required else ("ok", absent, "")
    evidence = f"{version}; wanted {wanted}" if wanted else version
    if within(version, wanted):
        return "ok", evidence, ""
    return "problem" if required else "warning", evidence, install


def check_python() -> Found:
    """The version of Python."""
    evidence = f"{platform.python_implementation()} {platform.python_version()} at {sys.executable}"
    if sys.implementation.name != "cpython":
        return "warning", evidence, "use CPython; Opwright is not tested with another Python"
    if not within(platform.python_version(), wanted_python()):
        return "problem", evidence, f"use Python {wanted_python()}"
    return "ok", evidence, ""


def check_system() -> Found:
    """The operating system and the machine."""
    evidence = f"{platform.platform()}, {os.cpu_count()} CPUs"
    if platform.system() != "Linux":
        return "problem", evidence, "use Linux (a container or WSL 2 will do)"
    if platform.machine() not in ("x86_64", "aarch64"):
        return "warning", evidence, "use x86_64 or aarch64; the twin is not tested on other machines"
    return "ok", evidence, ""


def check_numpy() -> Found:
    """NumPy."""
    return _package("numpy", required=True)


def check_xdsl() -> Found:
    """xDSL, which holds the IR."""
    return _package("xdsl", required=True)


def check_torch() -> Found:
    """PyTorch, which is optional."""
    return _package("torch", required=False, absent="not found; not required: kernels take NumPy arrays")


def check_cann() -> Found:
    """CANN, which nothing needs yet."""
    bisheng, home = shutil.which("bisheng"), cann_home()
    if not bisheng and not home:
        return "ok", "not found: the NPU target is not built yet; not needed for the twin", ""
    places = [f"bisheng at {bisheng}"] if bisheng else ["bisheng is not on PATH"]
    if home:
        places.append(f"CANN at {home}" + ("" if Path(home).is_dir() else ", which does not exist"))
    return "ok", f"{'; '.join(places)}; not used: the NPU target is not built yet", ""


# Settings and machine -----------------------------------------------------------------------------------------


def check_settings() -> Found:
    """Whether every OPWRIGHT_* variable can be read."""
    bad, names = [], []
    for setting in settings:
        try:
            value = getattr(settings, setting.attribute)
        except BadSetting as error:
            bad.append((setting.name, error.text.format_map(error.fields)))
            continue
        if setting.attribute == "soc" and value not in SOCS:
            bad.append((setting.name, f"{setting.name}={value!r}: known are {', '.join(SOCS)}"))
        elif setting.given() is not None:
            names.append(setting.name)
    if bad:
        return "problem", "\n".join(text for _, text in bad), f"change or unset {', '.join(name for name, _ in bad)}"
    evidence = f"from the environment: {', '.join(names)}" if names else "all are defaults"
    if unknown := unknown_variables():
        evidence += f"; not settings: {', '.join(unknown)}"
        return "warning", evidence, f"unset or correct {', '.join(unknown)}; opwright env lists the settings"
    return "ok", evidence, ""


def check_threads() -> Found:
    """How many threads a launch will use."""
    from opwright.twin.launch import _CPUS as cpus

    threads = settings.threads
    evidence = f"{threads or cpus} threads for a launch, {cpus} of {os.cpu_count()} CPUs for this process"
    if threads > cpus:
        return "warning", evidence, f"unset OPWRIGHT_THREADS: more threads than CPUs ({cpus}) only slow it down"
    return "ok", evidence, ""


def check_compilers() -> Found:
    """The C++ compilers, and the one that the twin will use."""
    lines = []
    for name in dict.fromkeys((*COMPILERS, *filter(None, (settings.compiler,)))):
        path = shutil.which(name)
        lines.append(f"{name}: {f'{path}, {_version(path)}' if path else 'not found'}")
    try:
        lines.append(f"the twin uses {find_compiler()}")
    except NoCompiler as error:
        others = settings.compiler and any(map(shutil.which, COMPILERS))
        remedy = "unset OPWRIGHT_CXX, or set it to an installed compiler" if others else error.hint
        return "problem", "\n".join(lines), remedy
    return "ok", "\n".join(lines), ""


def _version(compiler: str) -> str:
    """The first line that a compiler says about itself."""
    try:
        done = subprocess.run(
            [compiler, "--version"], capture_output=True, text=True, errors="replace", timeout=ANSWER_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not answer ({type(error).__name__})"
    return (done.stdout.strip().splitlines() or ["prints no version"])[0]


# The cache and the twin ---------------------------------------------------------------------------------------


def check_cache() -> Found:
    """The cache directory: whether it is safe and can be written to."""
    root = settings.cache_dir
    free = free_bytes(root)
    room = f"{size_text(free)} free"
    if not root.exists():
        parent = next(folder for folder in root.absolute().parents if folder.exists())
        if not os.access(parent, os.W_OK | os.X_OK):
            remedy = f"choose a directory of your own with OPWRIGHT_CACHE_DIR, or make {parent} writable"
            return "problem", f"{root} does not exist, and {parent} cannot be written to", remedy
        evidence = f"{root} does not exist; it is made when the first kernel is compiled; {room}"
    else:
        status = root.stat()
        files = [Path(folder) / name for folder, _, names in os.walk(root) for name in names]
        total = 0
        for file in files:
            with contextlib.suppress(FileNotFoundError):  # another process cleans up
                total += file.lstat().st_size
        kernels = sum(file.parent == root / "kernels" and file.suffix == ".json" for file in files)
        bad = sum(file.parent == root / "quarantine" for file in files)
        writable = "writable" if os.access(root, os.W_OK | os.X_OK) else "not writable"
        evidence = f"{root}: owner {owner_name(status.st_uid)}, mode {status.st_mode & 0o7777:o}, {writable}\n"
        evidence += f"{size_text(total)}, {kernels} kernels" + (f", {bad} in quarantine" if bad else "") + f"; {room}"
        try:
            Store(root)
        except OpwrightError as error:
            return "problem", f"{evidence}\nit {error.fields['reason']}", error.hint
        if writable != "writable":
            return "problem", evidence, f"run: chmod 700 {root}, or choose another directory with OPWRIGHT_CACHE_DIR"
        if bad:
            remedy = f"look at {root / 'quarantine'} and delete it: those files were damaged, by a bad disk or by hand"
            return "warning", evidence, remedy
    if free < LITTLE_DISK:
        return "warning", evidence, "free some space, or choose another disk with OPWRIGHT_CACHE_DIR"
    return "ok", evidence, ""


def check_twin() -> Found:
    """Compiles and runs a tiny kernel, in a process of its own and in a folder that is gone afterwards."""
    compiler = Path(find_compiler()).absolute()
    with Store(settings.cache_dir.absolute()).workspace() as folder:
        words = ["opwright.package.probe", str(folder), str(compiler), settings.cpu]
        code, out = _in_a_process("a tiny kernel", words, folder)
    if code is None:
        return "problem", out, f"check {compiler}"
    if code < 0:
        return "problem", out, "unset OPWRIGHT_CPU if you set it; otherwise please report this as a bug of opwright"
    if code:
        return "problem", out, "reinstall what it names, or report this as a bug of opwright"
    found = json.loads(out)
    if "error" in found:
        return "problem", found["error"], found["hint"]
    if not found["right"]:
        return "problem", "a tiny kernel gave a wrong result", f"use another compiler than {compiler}: OPWRIGHT_CXX"
    times = f"compiled with the twin's library in {found['compile']:.1f} s, ran in {found['run'] * 1e3:.1f} ms"
    return "ok", f"a tiny kernel: {times}, correct result", ""


def _in_a_process(what: str, words: list[str], folder: Path) -> tuple[int | None, str]:
    """Runs a module that may crash or hang; gives its exit code and last line, or what went wrong with it."""
    # Not in the user's directory: a numpy.py there would be taken for NumPy.
    with subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=-1,
        stderr=-1,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=PROBE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the compiler that it waits for, too
            return None, f"{what} took more than {PROBE_SECONDS} s"
    if process.returncode < 0:
        return process.returncode, f"{what} ended by {signal.Signals(-process.returncode).name}"
    if process.returncode:
        return process.returncode, f"{what} failed: {_last(err)}"
    return 0, _last(out)


def _last(text: str) -> str:
    return (text.strip().splitlines() or ["no output"])[-1]


# Operators ----------------------------------------------------------------------------------------------------


def check_native() -> Found:
    """The compiled libraries of the operators: where they come from, or why there are none."""
    from opwright.native.build import MANIFEST, present

    lines, is_complete = [], True
    for name in ("cpu", "torch") if installed("torch") else ("cpu",):
        library = present(name)
        if library.path:
            lines.append(f"libopwright_{name}: {library.source}, {library.path}")
        elif library.reason:
            lines.append(f"libopwright_{name}: none: {library.reason}")
            is_complete = False
        else:
            lines.append(f"libopwright_{name}: not compiled yet; compiled on first use")
    if is_complete:
        return "ok", "\n".join(lines), ""
    lines.append("PyTorch computes the operators: correct, but slower")
    remedy = "install g++ or clang++, or a wheel of opwright for this machine"
    return "warning", "\n".join(lines), "reinstall opwright" if MANIFEST.exists() else remedy


def check_packages() -> Found:
    """Operators of other packages; their modules are imported in a process of its own."""
    points = importlib.metadata.entry_points(group="opwright.operators")
    if not points:
        return "ok", "no other package has operators", ""
    listed = ", ".join(sorted(point.module for point in points))
    if not installed("torch"):
        return "ok", f"{listed}; not loaded: PyTorch is not installed", ""
    with tempfile.TemporaryDirectory() as folder:
        code, out = _in_a_process("importing opwright.ops", ["opwright.package.operators"], Path(folder))
    if code != 0:
        return "problem", out, "fix what it names, or report this as a bug of opwright"
    failures: dict[str, str] = json.loads(out)
    if failures:
        remedy = f"reinstall the package of {', '.join(failures)}, or report it to its authors"
        return "warning", "\n".join(text.partition("\n")[0] for text in failures.values()), remedy
    return "ok", listed, ""


# All checks ---------------------------------------------------------------------------------------------------

CHECKS: dict[str, Callable[[], Found]] = {
    "Python": check_python,
    "operating system": check_system,
    "settings": check_settings,
    "threads": check_threads,
    "NumPy": check_numpy,
    "xDSL": check_xdsl,
    "PyTorch": check_torch,
    "CANN": check_cann,
    "compilers": check_compilers,
    "cache": check_cache,
    "twin": check_twin,
    "native operators": check_native,
    "other operators": check_packages,
}


def examine() -> list[CheckResult]:
    """Runs every check."""
    return [_examine(name, check) for name, check in CHECKS.items()]


def _examine(name: str, check: Callable[[], Found]) -> CheckResult:
    try:
        verdict, evidence, remedy = check()
    except OpwrightError as error:
        verdict, evidence = "problem", error.text.format_map(error.fields)
        remedy = error.hint
    except OSError as error:
        verdict, evidence, remedy = (
            "problem",
            f"{type(error).__name__}: {error}",
            "look at that path and its permissions",
        )
    except Exception as error:  # whatever it is, the other checks must still be made
        verdict, evidence = "problem", f"the check failed: {type(error).__name__}: {error}"
        remedy = "please report this as a bug of opwright"
    lines = evidence.strip().splitlines()
    if len(lines) > _MAX_LINES:
        lines = [*lines[:_MAX_LINES], f"... and {len(lines) - _MAX_LINES} more lines"]
    return CheckResult(name, verdict, "\n".join(lines), remedy)
