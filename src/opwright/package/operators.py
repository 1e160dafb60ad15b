"""Imports the operators of all packages, in a process of its own: what others' modules do there does no harm.

In: nothing. Out: one line of JSON: by module why its operators are not there. No library is compiled or opened for it.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings

from opwright.native.library import go_without


def main() -> None:
    """Prints what could not be loaded."""
    go_without("the doctor only looks for modules that fail")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is in the answer
        importlib.import_module("opwright.ops")
    failures = importlib.import_module("opwright.frameworks.torch.loading").failures
    sys.stdout.write(f"\n{json.dumps(failures)}\n")


if __name__ == "__main__":
    main()
