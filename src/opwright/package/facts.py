"""Facts that the doctor's checks are made of: versions of packages with the ranges we ask for, disks, owners.

In: names and paths. Out: numbers and texts. Nothing is imported to find its version.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import re
import shutil
from pathlib import Path


def numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version without trailing zeros: 2.10.0+cpu is (2, 10)."""
    found = re.match(r"[\d.]*", version)
    parts = [int(part) for part in found[0].split(".") if part] if found else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def within(version: str, wanted: str) -> bool:
    """Whether a version is in a range such as ">=0.70,<0.75"; a bound that is neither >= nor < is not judged."""
    for bound in map(str.strip, wanted.split(",")):
        if bound.startswith(">=") and numbers(version) < numbers(bound[2:].strip()):
            return False
        if re.match(r"<[^=]", bound) and numbers(version) >= numbers(bound[1:].strip()):
            return False
    return True


def wanted_python() -> str:
    """The range of Python versions; empty if opwright is not installed."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return str(importlib.metadata.metadata("opwright")["Requires-Python"])
    return ""


def wanted_range(package: str) -> str:
    """The range of versions of a package; empty if there is none or opwright is not installed."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for line in importlib.metadata.requires("opwright") or ():
            if found := re.match(rf"{package}\s*([<>=!~][^;]*)", line):
                return ",".join(sorted(found[1].strip().split(","), reverse=True))
    return ""


def installed(package: str) -> str | None:
    """The version of a package, or None."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def free_bytes(path: Path) -> int:
    """Free bytes on the disk where a path is or would be."""
    return shutil.disk_usage(next(p for p in (path, *path.absolute().parents) if p.exists())).free


def size_text(count: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"


def owner_name(user: int) -> str:
    """The name of a user, or the number if it has none."""
    import pwd

    with contextlib.suppress(KeyError):
        return pwd.getpwuid(user).pw_name
    return str(user)
