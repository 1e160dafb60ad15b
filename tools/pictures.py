"""Takes the pictures of docs/guide/checking.md. Run by hand where Chromium is installed: python tools/pictures.py

In: examples/04_find_the_race.py. Out: docs/guide/pictures/*.png. Paths in them are relative to the repository.
"""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI

from opwright.check.events import recorded
from opwright.check.html import html
from opwright.check.timeline import timeline
from opwright.cli.check import coloured
from opwright.findings.finding import Report
from opwright.kernel.target import Mode

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "guide" / "pictures"
EXAMPLE = "examples/04_find_the_race.py"
TERMINAL = """<!DOCTYPE html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 14px 18px; background: #1e2127; color: #dde1e8; }}
pre {{ margin: 0; font: 14px/1.45 "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }}
{stylesheet}
</style><body><pre>{code}</pre>"""
COMMAND = f"""$ opwright check {EXAMPLE}:forgets_to_wait \\
    --arg x=f32[4096] --arg z=f32[4096] --arg tiles=4
"""


def terminal(report: Report) -> str:
    """The report as a terminal shows it."""
    console = Console(record=True, highlight=False, file=sys.stderr, force_terminal=True, width=110)
    console.print(COMMAND, style="bold", end="")
    console.print(coloured(report), soft_wrap=True)
    return console.export_html(code_format=TERMINAL, theme=DIMMED_MONOKAI)


def take(chromium: str, page: str, name: str, width: int, height: int) -> None:
    """Writes a picture of a page."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page.replace(f"{ROOT}/", ""), encoding="utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-lcd-text"]
        picture = PICTURES / f"{name}.png"
        words = [*options, f"--window-size={width},{height}", f"--screenshot={picture}", file.as_uri()]
        subprocess.run([chromium, *words], check=True, stderr=subprocess.DEVNULL)
    print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size // 1000} KB")


def main() -> None:
    """Takes all of them."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("no Chromium found")
    PICTURES.mkdir(exist_ok=True)
    kernel = runpy.run_path(str(ROOT / EXAMPLE))["forgets_to_wait"]
    arrays = np.zeros((2, 4096), np.float32)
    bound = kernel.binder.bind((arrays[0], arrays[1], 4), {})
    recording = recorded(kernel.kernel_for(bound, Mode.CHECKED), 1, bound)
    take(chromium, terminal(recording.report), "finding", 960, 440)
    page = html(timeline(recording))
    take(chromium, page, "trace", 1280, 945)
    take(chromium, page, "trace_phone", 390, 1112)


if __name__ == "__main__":
    main()
