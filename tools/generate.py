"""Writes the files that follow from the two registries, or with --check says which of them are stale.

In: the table of calls, and the operators, which need PyTorch. Out: the C++ headers in the twin's folder `generated/`,
and the stubs of `opwright.asc` and `opwright.ops`, which stand beside their modules because type checkers and editors
look for them there. `.gitattributes` marks all of them as generated.
"""

from __future__ import annotations

import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "opwright"
sys.path.insert(0, str(SOURCE.parent))

from opwright.asc import _stub  # noqa: E402
from opwright.frameworks.torch.loading import define_own  # noqa: E402
from opwright.operators import _stub as _stub_of_operators  # noqa: E402
from opwright.twin import headers  # noqa: E402


def main() -> int:
    """Returns 1 if --check found a stale file."""
    files = {headers.GENERATED / name: text for name, text in headers.render().items()}
    files |= {SOURCE / "asc" / name: text for name, text in _stub.render().items()}
    define_own()
    files[SOURCE / "ops" / "__init__.pyi"] = _stub_of_operators.render()
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    generated = [*headers.GENERATED.rglob("*.h"), *SOURCE.rglob("*.pyi")]
    unknown = [path for path in generated if path not in files]
    if "--check" in sys.argv:
        for path in [*stale, *unknown]:
            print(f"stale: {path.relative_to(SOURCE.parents[1])}; run python tools/generate.py")
        return 1 if stale or unknown else 0
    for path in unknown:
        path.unlink()
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path])
        print(f"wrote {path.relative_to(SOURCE.parents[1])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
