"""The first page does what it says: its Python runs as printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_first_kernel_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 2  # a kernel, and the operators
    for block in blocks:
        script = tmp_path / "block.py"
        script.write_text(block)
        done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "assert" in blocks[0]  # it checks its own result
    assert done.stdout.startswith("rms_norm on cpu: native\n")
