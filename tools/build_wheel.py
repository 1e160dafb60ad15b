"""Builds a wheel that brings the compiled libraries of the operators: `python tools/build_wheel.py [--outdir dist]`.

In: this checkout, a C++ compiler, binutils, PyTorch and hatchling. Out: opwright-<version>-py3-none-manylinux_<glibc>_
<machine>.whl: the ordinary wheel with libopwright_cpu, libopwright_torch and their SHA-256 in opwright/native/lib. The
tag says what the libraries really need. Nothing is written into the checkout; a failure leaves no wheel.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from opwright.errors import OpwrightError  # noqa: E402
from opwright.native.build import compile_library, torch_flags  # noqa: E402
from opwright.twin.toolchain import find_compiler  # noqa: E402

INSIDE = "opwright/native/lib"
Version = tuple[int, ...]
# What the C++ and compiler libraries of the systems have at least that are as old as a glibc.
SYSTEMS: dict[Version, dict[str, Version]] = {
    (2, 17): {"GLIBCXX": (3, 4, 19), "CXXABI": (1, 3, 7), "GCC": (4, 8, 0)},
    (2, 24): {"GLIBCXX": (3, 4, 22), "CXXABI": (1, 3, 10), "GCC": (4, 8, 0)},
    (2, 27): {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)},
    (2, 31): {"GLIBCXX": (3, 4, 28), "CXXABI": (1, 3, 12), "GCC": (7, 0, 0)},
    (2, 34): {"GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (7, 0, 0)},
    (2, 35): {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)},
    (2, 39): {"GLIBCXX": (3, 4, 33), "CXXABI": (1, 3, 15), "GCC": (14, 0, 0)},
}
console = Console(highlight=False)


class WheelFailed(Exception):
    """Why there is no wheel."""


def say(step: int, text: str) -> None:
    console.print(f"[{step}/4] {text}", markup=False, soft_wrap=True)


def needed(library: Path) -> dict[str, Version]:
    """The highest version of every family of symbols that a library needs: GLIBC, GLIBCXX, CXXABI, GCC."""
    shown = subprocess.run(
        ["readelf", "--version-info", "--wide", library], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    highest: dict[str, Version] = {}
    for family, text in re.findall(r"Name: ([A-Z_]+)_([\d.]+)\s", shown):
        version = tuple(map(int, text.split(".")))
        highest[family] = max(version, highest.get(family, ()))
    return highest


def oldest_glibc(needs: dict[str, Version]) -> Version:
    """The glibc of the oldest systems on which such a library can be loaded."""
    families = {"GLIBC", *next(iter(SYSTEMS.values()))}
    if unknown := needs.keys() - families:
        raise WheelFailed(f"the libraries need symbols of {', '.join(sorted(unknown))}, which no tag speaks of")
    for glibc, offers in SYSTEMS.items():
        if all(needs.get(family, ()) <= offer for family, offer in offers.items()):
            return max(glibc, needs.get("GLIBC", ())[:2])
    raise WheelFailed(f"the libraries need newer C++ libraries than any tag speaks of: {described(needs)}")


def described(needs: dict[str, Version]) -> str:
    return ", ".join(f"{family}_{'.'.join(map(str, version))}" for family, version in sorted(needs.items())) or "none"


def compiled(folder: Path) -> list[Path]:
    """Both libraries, made in a folder."""
    torch = importlib.util.find_spec("torch")
    if torch is None or torch.origin is None:
        raise WheelFailed("PyTorch is not installed: libopwright_torch is compiled against its headers")
    compiler = find_compiler()
    libraries = []
    # The C++ library comes along, unseen: otherwise its newest function would decide which systems are new enough.
    static = ("-static-libstdc++", "-static-libgcc")
    # Levels of x86-64 that kernels are compiled for; the library takes the best that a machine has.
    levels = (2, 3, 4) if os.uname().machine == "x86_64" else (0,)
    for name, flags in (("cpu", static), ("torch", torch_flags(Path(torch.origin).parent))):
        say(1, f"compiling libopwright_{name}.so with {compiler}")
        (folder / name).mkdir()
        libraries.append(compile_library(compiler, name, flags, folder / name, levels=levels))
    return libraries


def pure_wheel(folder: Path) -> Path:
    """The ordinary wheel, without libraries."""
    say(3, "building the ordinary wheel")
    if importlib.util.find_spec("hatchling") is None:
        raise WheelFailed("hatchling is not installed: pip install -e '.[dev]'")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, stdout=-1, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise WheelFailed(done.stdout)
    (wheel,) = folder.glob("*.whl")
    return wheel


def pack(pure: Path, libraries: list[Path], tag: str, outdir: Path) -> Path:
    """The wheel with the libraries inside and a tag of its own."""
    hashes = {library.name: hashlib.sha256(library.read_bytes()).hexdigest() for library in libraries}
    added = {library.name: library.read_bytes() for library in libraries}
    added["manifest.json"] = (json.dumps(hashes, indent=1) + "\n").encode()
    target = outdir / pure.name.replace("py3-none-any", tag)
    outdir.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".unfinished")
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    try:
        with zipfile.ZipFile(pure) as source, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as made:

            def write(like: zipfile.ZipInfo, name: str, content: bytes) -> None:
                entry = zipfile.ZipInfo(name, like.date_time)
                entry.external_attr, entry.compress_type = like.external_attr, zipfile.ZIP_DEFLATED
                made.writestr(entry, content)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                rows.writerow((name, f"sha256={digest}", len(content)))

            entries = {entry.filename: entry for entry in source.infolist()}
            (about,) = (name for name in entries if name.endswith(".dist-info/WHEEL"))
            place = f"{about.rpartition('/')[0]}/RECORD"
            for name, entry in entries.items():
                content = source.read(name)
                if name == about:
                    content = content.replace(b"Root-Is-Purelib: true", b"Root-Is-Purelib: false")
                    content = content.replace(b"Tag: py3-none-any", f"Tag: {tag}".encode())
                if name != place:
                    write(entry, name, content)
            for name, content in added.items():
                write(entries[about], f"{INSIDE}/{name}", content)
            rows.writerow((place, "", ""))
            made.writestr(entries[place], record.getvalue())
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
    return target


def build(outdir: Path) -> Path:
    """Builds the wheel."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        libraries = compiled(folder)
        glibc: Version = ()
        for library in libraries:
            needs = needed(library)
            say(2, f"{library.name}: {library.stat().st_size >> 10} KiB, needs {described(needs)}")
            glibc = max(glibc, oldest_glibc(needs))
        tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"
        (folder / "pure").mkdir()
        pure = pure_wheel(folder / "pure")
        wheel = pack(pure, libraries, tag, outdir)
    say(4, f"{wheel}: {wheel.stat().st_size >> 10} KiB")
    return wheel


def main() -> int:
    """Builds the wheel; 1 if it cannot be built."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--outdir", type=Path, default=ROOT / "dist", help="where to put the wheel (default: dist)")
    try:
        build(parser.parse_args().outdir.resolve())
    except (OpwrightError, WheelFailed) as error:
        Console(stderr=True, highlight=False).print(f"no wheel: {error}", markup=False, soft_wrap=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
