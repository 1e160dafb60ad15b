"""Notes down in docs/evidence.json what the tests of the calls have shown; a page of the documentation is made of it.

In: build/evidence.json, which `pytest tests/ascendc tests/simt` writes. Out: the same, sorted, one line for each form.
Refuses evidence of what the table does not have.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from opwright.ascendc.coverage import Evidence  # noqa: E402


def main() -> None:
    """Writes the file."""
    evidence = Evidence.of(json.loads((ROOT / "build" / "evidence.json").read_text(encoding="utf-8")))
    calls = [
        f"  {json.dumps(call)}: {{\n"
        + ",\n".join(f"   {json.dumps(form)}: {json.dumps(sorted(forms[form]))}" for form in sorted(forms, key=int))
        + "\n  }"
        for call, forms in sorted(evidence.ran.items())
    ]
    names = ",\n".join(f"  {json.dumps(name)}" for name in sorted(evidence.asserted))
    text = '{\n "ran": {\n' + ",\n".join(calls) + '\n },\n "asserted": [\n' + names + "\n ]\n}\n"
    (ROOT / "docs" / "evidence.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
