"""The C++ compiler of the twin and the exact flags it is given.

In: settings and the machine. Out: `Toolchain`: path, version, flags with "native" spelled out as a list of features.
Asking a compiler takes tens of milliseconds, so the answer is kept in the store under the compiler's size and time.
Refuses to go on without a compiler, unless the store knows the one that was used last: what it made can be found.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from opwright.errors import NoCompiler
from opwright.settings import settings
from opwright.store.store import Store, key_of
from opwright.twin.machine import cpu_features

# Never -Ofast, and no contraction: what the twin computes must not depend on what the compiler finds. Without
# -fno-math-errno every square root would be a branch to the C library; its value is the same. Without -fno-finite-loops
# an endless loop that computes nothing would be left out.
FLAGS = (
    "-std=c++17",
    "-O3",
    "-ffp-contract=off",
    "-fno-fast-math",
    "-fno-math-errno",
    "-fno-finite-loops",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fPIC",
    "-shared",
    "-pthread",
)

# For g++ alone. Header variables of two builds in one process would otherwise share storage; and footprints would lie
# in memory, where the wide loads of a copy wait for the narrow stores before.
GCC_FLAGS = ("-fno-gnu-unique", "--param=sra-max-scalarization-size-Ospeed=512")


@dataclass(frozen=True)
class Toolchain:
    """A compiler with its flags. Its path is not part of any key; version and flags are.

    path: "" if it is not on this machine now.
    """

    path: str
    version: str
    flags: tuple[str, ...]

    @property
    def checking(self) -> tuple[str, ...]:
        """What a kernel of the checked mode is compiled with besides; see `overflow.h`."""
        tests = ("-DOPWRIGHT_CHECKED", "-include", "opwright/overflow.h", "-fsanitize=signed-integer-overflow")
        # clang tests nothing under -fwrapv; what it tests wraps all the same. g++ would link a library of its own.
        own = ("-fno-wrapv",) if "clang" in self.version else ("-nodefaultlibs", "-lm", "-lc", "-lgcc")
        return (*tests, *own)

    @property
    def small_frames(self) -> tuple[str, ...]:
        """Refuses functions that are too large for the stack of a thread; see `thread_stacks.h`."""
        most = "frame-larger-than=57344"
        return (f"-W{most}", "-Werror=frame-larger-than") if "clang" in self.version else (f"-Werror={most}",)

    @property
    def identity(self) -> tuple[str, ...]:
        """What a key needs to know besides the version."""
        return (os.uname().machine, *self.flags)


def find_compiler() -> str:
    """The compiler that the settings name, or g++, or clang++."""
    wanted = (settings.compiler,) if settings.compiler else ("g++", "clang++")
    for name in wanted:
        if path := shutil.which(name):
            return path
    raise NoCompiler(looked_for=", ".join(wanted))


def toolchain(store: Store) -> Toolchain:
    """The toolchain of this machine and these settings; without a compiler the one that was used last."""
    cpu = settings.cpu
    here = [cpu, cpu_features(), FLAGS, GCC_FLAGS]
    last = key_of([settings.compiler, *here])
    try:
        path = find_compiler()
    except NoCompiler:
        used = next(store.manifests("toolchains", last), None)
        if used is None:
            raise
        return Toolchain("", str(used["version"]), tuple(used["flags"]))
    status = Path(path).resolve().stat()
    key = key_of([str(Path(path).resolve()), status.st_size, status.st_mtime_ns, *here])
    known = store.manifest("toolchains", key)
    if known is None:
        version = _run(path, "--version").splitlines()[0]
        is_clang = "clang" in version
        features = _native(path, is_clang) if cpu == "native" else [f"-march={cpu}"]
        own = () if is_clang else GCC_FLAGS
        known = {"version": version, "flags": [*FLAGS, *own, *features]}
        store.save_manifest("toolchains", key, known)
    if store.manifest("toolchains", last) != known:
        store.save_manifest("toolchains", last, known)
    return Toolchain(path, str(known["version"]), tuple(known["flags"]))


def object_flags(compiler: str) -> list[str]:
    """Flags of an object that is linked into another library; which instruction set it has is not among them."""
    is_clang = "clang" in _run(compiler, "--version")
    return [flag for flag in (*FLAGS, *(() if is_clang else GCC_FLAGS)) if flag != "-shared"]


def run(*command: str) -> tuple[int, str]:
    """Runs a compiler; its exit code and what it said.

    No pipes, neither ours nor those that subprocess makes when it has to close handles: a process that another thread
    forks meanwhile would hold them open, and we would wait for it while it waits for us.
    """
    import subprocess  # only when a compiler must be asked
    import tempfile

    with tempfile.TemporaryFile() as said:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, close_fds=False, check=False)
        said.seek(0)
        return done.returncode, said.read().decode(errors="replace")


def _run(*command: str) -> str:
    return run(*command)[1]


def _native(path: str, is_clang: bool) -> list[str]:
    """What -march=native means here, spelled out."""
    import shlex

    native = "-mcpu=native" if os.uname().machine == "aarch64" else "-march=native"
    output = _run(path, native, "-x", "c++", "-E", "-###", "/dev/null")
    words = [word for line in output.splitlines() if "cc1" in line for word in shlex.split(line)]
    if is_clang:
        cpu = [native.replace("native", b) for a, b in pairwise(words) if a == "-target-cpu"]
        # Not every feature has a flag of its own (64bit, cmov): they go to the compiler proper as they came.
        features = sorted({b for a, b in pairwise(words) if a == "-target-feature"})
        return cpu[:1] + [word for feature in features for word in ("-Xclang", "-target-feature", "-Xclang", feature)]
    # Cache sizes steer the compiler's guesses, not its results, and differ between machines of one kind.
    return [word for word in words if word.startswith("-m") and word != native]
