"""Where the two libraries come from: the wheel, the cache, or a compiler.

In: the C++ of this package. Out: `Library`: a verified file and where it comes from, or why there is none. A wheel
brings both inside; a source install compiles them on first use into the cache and says so. Nothing above
x86-64-v2 is asked of the compiler: functions that need more say so themselves and are chosen when they run. Kernels are
compiled whole: in a wheel for several instruction sets, in a cache for that of this machine.
"""

from __future__ import annotations

import functools
import json
import os
import stat
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from opwright._version import __version__
from opwright.errors import CompileFailed, NoCompiler
from opwright.native.sources import INCLUDE, NATIVE, cpu_files, operator_units, torch_files
from opwright.settings import settings
from opwright.store import sources
from opwright.store.progress import compiling, watched
from opwright.store.store import Store, current_store, digest, key_of
from opwright.twin.build import INCLUDE as TWIN_INCLUDE
from opwright.twin.build import LIBRARY as TWIN_LIBRARY
from opwright.twin.build import Built, headers_in
from opwright.twin.machine import level_here
from opwright.twin.objects import obtain
from opwright.twin.toolchain import find_compiler, object_flags, run

PACKAGE = NATIVE.parent  # whose headers objects are made from
INSIDE = NATIVE / "lib"  # filled by tools/build_wheel.py
MANIFEST = INSIDE / "manifest.json"
COMPILED = "compiled on this machine"
# The oldest PyTorch whose C interface is used.
TORCH_TARGET = "0x020a000000000000"
FLAGS = (
    "-std=c++17",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",  # a comparison of floats may be made where its result is not used: loops vectorise
    "-Wall",
    "-Wextra",
)
# For the linker: templates of the C++ library would be exported, too.
EXPORTED = "{ global: opwright_library; local: *; };\n"


@dataclass(frozen=True)
class Library:
    """A library on disk, its SHA-256, and whether it came with the wheel; or none, and why."""

    path: Path | None
    sha256: str = ""
    source: str = ""
    reason: str = ""


def baseline() -> tuple[str, ...]:
    """The instruction set that every machine of a kind has."""
    return ("-march=x86-64-v2",) if os.uname().machine == "x86_64" else ()


def cpu_library() -> Library:
    """libopwright_cpu."""
    return _library("cpu", ())


def torch_library(home: Path) -> Library:
    """libopwright_torch, for the PyTorch in that folder."""
    return _library("torch", torch_flags(home))


def torch_flags(home: Path) -> tuple[str, ...]:
    """What libopwright_torch is compiled with besides, against the PyTorch in that folder."""
    return (
        f"-DTORCH_TARGET_VERSION={TORCH_TARGET}",
        f"-I{home / 'include'}",
        f"-L{home / 'lib'}",
        "-ltorch_cpu",
    )


def _library(name: str, flags: tuple[str, ...]) -> Library:
    if MANIFEST.exists():
        return _inside(f"libopwright_{name}.so")
    store = current_store()
    key = _key(name, flags)
    for _ in range(2):  # a damaged file is built again
        if (found := _stored(store, key)) is not None:
            return found
        try:
            compiler = find_compiler()
        except NoCompiler as error:
            return _without(error)
        with store.building(key):
            # The process that held the lock before us may have built it.
            if _stored(store, key) is None:
                blob = store.save_blob(_compiled(store, compiler, name, flags), ".so")
                store.save_manifest("native", key, {"blob": blob, "compiler": compiler})
    return Library(None, reason=f"the cache {store.root} does not keep what is written to it")


def present(name: str) -> Library:
    """What there is of the library "cpu" or "torch" now. Nothing is compiled: one without a reason can be yet."""
    if MANIFEST.exists():
        return _inside(f"libopwright_{name}.so")
    # Where nothing was compiled nothing is asked: that would write to the cache.
    if any((root / "native").is_dir() for root in (settings.cache_dir, *settings.cache_layers)):
        found = _stored(current_store(), _key(name, torch_flags(Path()) if name == "torch" else ()))
        if found is not None:
            return found
    try:
        find_compiler()
    except NoCompiler as error:
        return _without(error)
    return Library(None)


def _stored(store: Store, key: str) -> Library | None:
    """A library that was compiled before, and is what it was."""
    for known in store.manifests("native", key):
        blob = str(known["blob"])
        path = store.find_blob(blob, ".so")
        if path is not None:
            return Library(path, blob, COMPILED)
    return None


def _without(error: NoCompiler) -> Library:
    return Library(None, reason=f"{error.message}, and this is a source install")


def _key(name: str, flags: tuple[str, ...]) -> str:
    """Had without a compiler: one that the settings name makes a library of its own, another default does not."""
    # Where PyTorch lies does not matter: its C interface is the same everywhere.
    plain = [flag for flag in flags if not flag.startswith(("-I", "-L"))]
    machine = [os.uname().machine, *([level_here()] if name == "cpu" else [])]
    return key_of(
        [name, __version__, sources.stage(f"native {name}"), settings.compiler, machine, FLAGS, baseline(), plain]
    )


def _inside(name: str) -> Library:
    """A library of the wheel, if it is what the wheel was made with."""
    path = INSIDE / name
    sha256 = _sha256_of(path)
    if not sha256:
        return Library(None, reason=f"{path} is not what the wheel was made with; install it again")
    return Library(path, sha256, "part of the wheel")


def library_at(path: Path) -> Library:
    """A library of another package, if it is what manifest.json beside it says and no stranger can write to either."""
    manifest = path.with_name(MANIFEST.name)
    for place in (path.parent, path, manifest):
        if reason := _danger(place):
            return Library(None, reason=f"{place} {reason}")
    sha256 = _sha256_of(path)
    if not sha256:
        return Library(None, reason=f'{path} is not what {manifest} says, in the form {{"{path.name}": "its SHA-256"}}')
    return Library(path, sha256, "part of its package")


def _danger(path: Path) -> str:
    """Why a stranger may have written a file; "" if not. A group may install packages together."""
    try:
        status = path.stat()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if status.st_uid not in (0, os.getuid()):
        return f"belongs to user {status.st_uid}, neither to you nor to root"
    return "may be written to by others" if status.st_mode & stat.S_IWOTH else ""


def _sha256_of(path: Path) -> str:
    """The SHA-256 of a library, if it is what the manifest beside it says; otherwise ""."""
    try:
        wanted = str(json.loads(path.with_name(MANIFEST.name).read_text())[path.name])
        found = digest(path.read_bytes())
    except (OSError, ValueError, LookupError, TypeError):  # a manifest that is damaged itself
        return ""
    return wanted if found == wanted else ""


@functools.cache
def _say(compiler: str) -> None:
    """One line in a process, for both libraries."""
    print(f"opwright: compiling the operators for this CPU with {compiler}, once", file=sys.stderr)  # noqa: T201


def _compiled(store: Store, compiler: str, name: str, flags: tuple[str, ...]) -> bytes:
    if not watched():
        _say(Path(compiler).name)
    with store.workspace() as folder, compiling("the operators for this CPU", 70 if name == "cpu" else 10):
        return compile_library(compiler, name, flags, folder, store).read_bytes()


def compile_library(
    compiler: str,
    name: str,
    flags: Sequence[str],
    folder: Path,
    store: Store | None = None,
    levels: Sequence[int] = (),
) -> Path:
    """Compiles a library in `folder`; raises CompileFailed. Objects that a store has are taken from it.

    levels: instruction sets of kernels, by default that of this machine.
    """
    links = [flag for flag in flags if flag.startswith(("-L", "-l", "-static"))]
    more = [flag for flag in flags if flag not in links]
    common = [*FLAGS, *baseline(), f"-I{INCLUDE}", *more]
    if name == "torch":
        units: list[tuple[Path, Sequence[str]]] = [(path, common) for path in torch_files()]
    else:
        exported = folder / "exported.map"
        exported.write_text(EXPORTED)
        links += [f"-Wl,--version-script={exported}", "-pthread"]
        units = _cpu_units(compiler, common, more, folder, levels or (level_here(),))

    def compiled(unit: tuple[Path, Sequence[str]]) -> str:
        path, options = unit
        target = folder / f"{path.stem}.o"
        if store is None:
            _compile(compiler, path, options, target)
        else:
            recipe = {
                "text": path.read_text(),
                "compiler": [settings.compiler, os.uname().machine],
                "flags": [*options],
            }
            made = obtain(store, recipe, PACKAGE, ".o", lambda: _compile(compiler, path, options, target))
            target.write_bytes(made)
        return str(target)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, units))
    output = folder / f"libopwright_{name}.so"
    _require(
        compiler, output, run(compiler, "-shared", "-Wl,-z,defs", "-s", *objects, *links, "-lm", "-o", str(output))
    )
    return output


def _cpu_units(
    compiler: str, common: Sequence[str], more: Sequence[str], folder: Path, levels: Sequence[int]
) -> list[tuple[Path, Sequence[str]]]:
    """Files of libopwright_cpu with their flags; generated ones are written to `folder`. more: of kernels, too."""
    twin = f"-I{TWIN_INCLUDE}"
    units: list[tuple[Path, Sequence[str]]] = [(path, [*common, twin]) for path in cpu_files()]
    as_kernels = [*object_flags(compiler), twin, *more]
    # What kernels run on, under a name that no other part of the library has.
    units.append((TWIN_LIBRARY / "groups.cpp", [*as_kernels, "-O1", *baseline(), "-Dopwright=opwright_twin"]))
    for unit in operator_units(levels):
        path = folder / f"{unit.name}.cpp"
        path.write_text(unit.text)
        units.append((path, common if unit.kernel_flags is None else [*as_kernels, *unit.kernel_flags]))
    return units


def _compile(compiler: str, path: Path, options: Sequence[str], target: Path) -> Built:
    """An object, and the headers of this package that it was made from."""
    rule = target.with_suffix(".d")
    listing = ["--write-user-dependencies", "-MF", str(rule)]
    _require(compiler, path, run(compiler, *options, *listing, "-c", str(path), "-o", str(target)))
    # clang writes a slash for every backslash of a path. A header too many costs time, one too few gives stale objects.
    listed = headers_in(rule.read_text(), PACKAGE) if rule.exists() else ()
    return Built(target.read_bytes(), listed or _all_headers())


def _all_headers() -> tuple[str, ...]:
    headers = (path for folder in (NATIVE, TWIN_INCLUDE, TWIN_LIBRARY) for path in sorted(folder.rglob("*.h")))
    return tuple(str(path.relative_to(PACKAGE)) for path in headers)


def _require(compiler: str, path: Path, done: tuple[int, str]) -> None:
    code, said = done
    if code != 0:
        first = "\n".join(said.strip().splitlines()[:12])
        raise CompileFailed(compiler=Path(compiler).name, what=path.name, output=first)
