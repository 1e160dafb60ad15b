"""What compilers make of C++, kept for what it is made from: objects of the twin and of the operators.

In: a recipe: all that decides what a compiler makes, but for headers. Out: bytes, from the store or from a compiler.
Which headers a text really includes is known once it was compiled. So the recipe leads to the names of headers, and the
recipe with what these headers hold now leads to the object. A header that changes has only those recompiled that
include it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

from opwright.store.store import Store, digest, key_of
from opwright.twin import build
from opwright.twin.build import Built
from opwright.twin.toolchain import Toolchain


def obtain_object(store: Store, tools: Toolchain, recipe: Mapping[str, object], compiled: Callable[[], Built]) -> bytes:
    """The shared object of a recipe of the twin; `compiled` makes it if the store does not have it."""
    whole = {**recipe, "compiler": tools.version, "flags": tools.identity}
    return obtain(store, whole, build.INCLUDE.parent, ".so", compiled)


def obtain(store: Store, recipe: Mapping[str, object], root: Path, suffix: str, compiled: Callable[[], Built]) -> bytes:
    """What a recipe makes. root: where the headers lie that `compiled` names; those of the system do not count."""
    key = key_of(dict(recipe))
    if (found := _find(store, key, root, suffix)) is not None:
        return found
    with store.building(key):
        # The process that held the lock before us may have built it.
        if (found := _find(store, key, root, suffix)) is not None:
            return found
        built = compiled()
        blob = store.save_blob(built.data, suffix)
        # A text may include other headers when one of them changes: the list only grows, so every key covers all.
        known = store.manifest("includes", key) or {"headers": []}
        names = sorted({*known["headers"], *built.headers})
        digests = _digests(root, names)
        store.save_manifest("objects", key_of([key, digests]), {**recipe, "blob": blob, "headers": digests})
        store.save_manifest("includes", key, {"headers": names})
    return built.data


def _find(store: Store, key: str, root: Path, suffix: str) -> bytes | None:
    for listed in store.manifests("includes", key):
        for manifest in store.manifests("objects", key_of([key, _digests(root, listed["headers"])])):
            path = store.find_blob(manifest["blob"], suffix)
            if path is not None:
                return path.read_bytes()
    return None


def _digests(root: Path, names: Iterable[str]) -> dict[str, str]:
    return {name: _digest(root / name) for name in names}


@cache
def _digest(path: Path) -> str:
    """Of a header; computed once for a process."""
    return digest(path.read_bytes()) if path.exists() else ""
