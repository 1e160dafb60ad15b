"""What the tests of the front end share: their harness, which they import by name, and the count of random forms."""

import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows how often the random programs used each form of the language."""
    counts: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "programs":
                counts.update(value)
    if counts:
        total = counts.pop("programs")
        terminalreporter.section(f"forms in {total} random programs")
        shown = ", ".join(f"{form} {count}" for form, count in sorted(counts.items()))
        terminalreporter.write_line(textwrap.fill(shown, 118))
