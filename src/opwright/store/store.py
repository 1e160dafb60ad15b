"""The store of compiled kernels: JSON manifests by key, blobs by the SHA-256 of their content.

In: keys, manifests, bytes. Out: verified files. A store is one directory that it writes to, and layers: directories
that are asked first and only read. A file is written beside its place, synced and renamed, so a reader sees all of it
or nothing. What fails its hash counts as absent; in the store's own directory it is moved to quarantine. Refuses a
directory that belongs to another user or that others may write to, and one that cannot be written to when something
must be. Nothing here unpickles or executes anything.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from opwright.errors import CacheFailed, UnsafeCache
from opwright.settings import settings

# How long to wait for another builder of the same key before building privately.
LOCK_SECONDS = 120.0
# What a disk says that is full or read-only.
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def key_of(value: object) -> str:
    """A key: the hash of plain data in one canonical spelling."""
    return digest(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


class Layer:
    """A directory that is only read. It may belong to root as well; one that does not exist holds nothing."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._refuse_unsafe(root)
        self._safe: set[Path] = set()

    def _refuse_unsafe(self, path: Path) -> None:
        try:
            status = path.stat()
        except OSError:
            return
        if status.st_uid not in (0, os.getuid()):
            raise UnsafeCache(path=path, reason=f"belongs to user {status.st_uid}, neither to you nor to root")
        if status.st_mode & _OF_OTHERS:
            raise UnsafeCache(path=path, reason="may be written to by others")

    def _read(self, path: Path) -> bytes | None:
        """What a file holds, or None."""
        if path.parent not in self._safe:
            self._refuse_unsafe(path.parent)
            self._safe.add(path.parent)
        self._refuse_unsafe(path)
        try:
            return path.read_bytes()
        except OSError:
            return None

    def _discard(self, path: Path) -> None:
        """Deals with a file that is not what it should be: here it is left alone."""

    def manifest(self, kind: str, key: str) -> dict[str, Any] | None:
        """The manifest of a key, or None."""
        path = self.root / kind / f"{key}.json"
        data = self._read(path)
        if data is None:
            return None
        try:
            value = json.loads(data)
        except ValueError:
            value = None
        if not isinstance(value, dict) or value.pop("sha256", None) != key_of(value):
            self._discard(path)
            return None
        return value

    def blob(self, name: str, suffix: str) -> Path | None:
        """The file of a blob whose content was just verified, or None."""
        path = self.root / "blobs" / f"{name}{suffix}"
        data = self._read(path)
        if data is None:
            return None
        if digest(data) != name:
            self._discard(path)
            return None
        return path


class Store(Layer):
    """A cache directory of one's own, and layers. `manifest` and `blob` are about the directory alone."""

    def __init__(self, root: Path, layers: Sequence[Path] = ()) -> None:
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise UnsafeCache(path=root, reason=f"cannot be made: {error.strerror}") from None
        super().__init__(root)
        self.layers = tuple(Layer(layer) for layer in layers)

    def manifests(self, kind: str, key: str) -> Iterator[dict[str, Any]]:
        """The manifests of a key: those of the layers, then the store's own."""
        for place in (*self.layers, self):
            if (found := place.manifest(kind, key)) is not None:
                yield found

    def find_blob(self, name: str, suffix: str) -> Path | None:
        """The verified file of a blob, of a layer or of the store itself, or None."""
        found = (place.blob(name, suffix) for place in (*self.layers, self))
        return next((path for path in found if path is not None), None)

    def _refuse_unsafe(self, path: Path) -> None:
        status = path.stat()
        if status.st_uid != os.getuid():
            raise UnsafeCache(path=path, reason=f"belongs to user {status.st_uid}, not to you")
        if status.st_mode & _OF_OTHERS:
            raise UnsafeCache(path=path, reason="may be written to by others")

    def _folder(self, name: str) -> Path:
        folder = self.root / name
        with self._writing():
            try:
                folder.mkdir(mode=0o700, exist_ok=True)
            except FileNotFoundError:  # another process emptied the cache under us
                self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    @contextlib.contextmanager
    def _writing(self, *reasons: int) -> Iterator[None]:
        """Turns what the system says against writing into an error of ours; `reasons`: only these error numbers."""
        try:
            yield
        except OSError as error:
            if reasons and error.errno not in reasons:
                raise
            raise CacheFailed(path=self.root, reason=error.strerror or error) from None

    def _read(self, path: Path) -> bytes | None:
        """What a file holds, or None; a folder in its place makes way. All below a directory of ours is ours."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except IsADirectoryError:
            self.quarantine(path)
            return None

    def _discard(self, path: Path) -> None:
        self.quarantine(path)

    # Writing --------------------------------------------------------------------------------------------------

    def save_manifest(self, kind: str, key: str, manifest: Mapping[str, object]) -> None:
        """Writes a manifest with the hash of its own content."""
        # Through JSON first, so that what is hashed is what will be read.
        plain = json.loads(json.dumps(manifest))
        text = json.dumps({**plain, "sha256": key_of(plain)}, indent=1, sort_keys=True)
        self._write(self._folder(kind) / f"{key}.json", text.encode())

    def save_blob(self, data: bytes, suffix: str) -> str:
        """Writes content and returns the hash that names it; a file of that name with other content makes way."""
        name = digest(data)
        path = self._folder("blobs") / f"{name}{suffix}"
        if self.blob(name, suffix) is None:
            self._write(path, data)
        return name

    def _write(self, path: Path, data: bytes) -> None:
        """Writes all of a file or nothing of it."""
        with self._writing():
            if path.is_dir():
                self.quarantine(path)
            self._write_through(path, data)

    def _write_through(self, path: Path, data: bytes) -> None:
        import tempfile  # only when something is written

        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def quarantine(self, path: Path) -> None:
        """Moves a file that is not what it should be out of the way, and keeps it for a look."""
        target = self._folder("quarantine") / f"{path.name}.{os.getpid()}.{time.time_ns()}"
        with self._writing(), contextlib.suppress(FileNotFoundError):
            path.rename(target)

    @contextlib.contextmanager
    def building(self, key: str) -> Iterator[None]:
        """Held by the one builder of a key; others wait for it, but not forever."""
        path = self._folder("locks") / key
        with self._writing():
            if path.is_symlink() or path.is_dir():  # not ours: two keys could hold one lock through links
                self.quarantine(path)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            deadline = time.monotonic() + LOCK_SECONDS
            while True:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        break
                    time.sleep(0.005)
            yield
        finally:
            # A process forked meanwhile shares the handle: closing ours alone would leave the lock with it.
            fcntl.flock(handle, fcntl.LOCK_UN)
            os.close(handle)

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Path]:
        """A directory of one's own, gone afterwards."""
        import tempfile

        with self._writing(*_DISK), tempfile.TemporaryDirectory(dir=self._folder("work")) as name:
            yield Path(name)


@cache
def _opened(root: Path, layers: tuple[Path, ...]) -> Store:
    return Store(root, layers)


def current_store() -> Store:
    """The store that the settings name; its directories are examined once for a process."""
    return _opened(settings.cache_dir, settings.cache_layers)
