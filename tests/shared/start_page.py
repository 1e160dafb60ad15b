"""The start page, followed word for word: its files are written, its commands run, its outputs compared.

In: a page. As a program, `python start_page.py docs/start.md CHECKOUT`, it needs nothing but Python and a C++ compiler,
and installs as the page says; `test_start.py` uses the environment of the tests and leaves the installation out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_BLOCK = re.compile(r"^```(?P<kind>\S.*)\n(?P<body>(?:.*\n)*?)```$", re.MULTILINE)
_FILE = re.compile(r":caption: (\S+)\n\n")


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks in order: what follows the fence, and the body."""
    return [(found["kind"], found["body"]) for found in _BLOCK.finditer(page)]


def run(command: str, folder: Path) -> tuple[int, str]:
    """Exit code and output of a shell block."""
    # Every block has a shell of its own: what `source kernels/bin/activate` does must hold for the later ones.
    binaries = f"{folder}/kernels/bin:{Path(sys.executable).parent}"
    environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "COLUMNS": "120"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def follow(page: str, folder: Path, installs: bool = False) -> list[str]:
    """Follows a page; returns what was run. Raises AssertionError where page and machine differ.

    An output on the page is the end of what the command printed: a traceback may come before the message. A command
    may fail only if the page shows an error.
    """
    followed: list[str] = []
    output, code = "", 0
    for kind, body in blocks(page):
        if found := _FILE.match(body):
            assert kind == "{code-block} python", kind
            (folder / found[1]).write_text(body[found.end() :], encoding="utf-8")
        elif kind == "bash":
            assert code == 0, f"{followed[-1]}\n{output}"
            if "pip install" in body and not installs:
                continue
            code, output = run(body, folder)
            followed.append(body)
        else:
            assert kind in ("text", "cpp"), f"no reader knows what to do with a block of {kind}"
            shown = output.replace(f"{folder}/", "")
            assert shown.rstrip().endswith(body.rstrip()) and body.strip(), f"{followed[-1]}\nprints\n{shown}"
            assert code == 0 or "hint: " in body, shown
            code = 0
    assert code == 0, f"{followed[-1]}\n{output}"
    return followed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "opwright").symlink_to(Path(sys.argv[2]).resolve())
        print("".join(follow(Path(sys.argv[1]).read_text(encoding="utf-8"), Path(scratch), installs=True)))
