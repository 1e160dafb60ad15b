"""What hatchling does when it builds a wheel: it adds the digests of the package's sources.

In: the files under src/. Out: opwright/store/digests.json in the wheel, so that an installed package hashes no file of
its own to find a kernel. An editable install gets none: its files change.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class DigestsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the digests to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Writes them where hatchling takes them from."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        try:
            from opwright.store.sources import file_digests
        finally:
            sys.path.pop(0)
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / "digests.json"
        path.write_text(json.dumps(file_digests(), indent=1) + "\n", encoding="utf-8")
        build_data["force_include"][str(path)] = "opwright/store/digests.json"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes what `initialize` wrote."""
        if version != "editable":
            self._folder.cleanup()
