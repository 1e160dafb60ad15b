"""Shared objects of the twin, compiled once for what they are made from.

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
    """The object of a recipe; `compiled` makes it if the store does not have it."""
    whole = {**recipe, "compiler": tools.version, "flags": tools.identity}
    key = key_of(whole)
    if (found := _find(store, key)) is not None:
        return found
    with store.building(key):
        # The process that held the lock before us may have built it.
        if (found := _find(store, key)) is not None:
            return found
        built = compiled()
        blob = store.save_blob(built.data, ".so")
        # A text may include other headers when one of them changes: the list only grows, so every key covers all.
        known = store.manifest("includes", key) or {"headers": []}
        names = sorted({*known["headers"], *built.headers})
        store.save_manifest("objects", _key(key, names), {**whole, "blob": blob, "headers": _digests(names)})
        store.save_manifest("includes", key, {"headers": names})
    return built.data


def _find(store: Store, key: str) -> bytes | None:
    for listed in store.manifests("includes", key):
        for manifest in store.manifests("objects", _key(key, listed["headers"])):
            path = store.find_blob(manifest["blob"], ".so")
            if path is not None:
                return path.read_bytes()
    return None


def _key(recipe: str, names: Iterable[str]) -> str:
    return key_of([recipe, _digests(names)])


def _digests(names: Iterable[str]) -> dict[str, str]:
    folder = build.INCLUDE.parent
    return {name: _digest(folder / name) for name in names}


@cache
def _digest(path: Path) -> str:
    """Of a header; computed once for a process."""
    return digest(path.read_bytes()) if path.exists() else ""
