"""Operators over rows on tensors that DTensor shards over two processes of this machine: see two_ranks.py."""

import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

SCRIPT = Path(__file__).parent / "two_ranks.py"
SECONDS = 240
ASKED = 60  # lines of both processes, at least


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no torch.distributed")
def test_sharded_rows_are_whole_rows(tmp_path: Path) -> None:
    ranks = [
        subprocess.Popen(
            [sys.executable, str(SCRIPT), str(rank), str(tmp_path / "meeting_place")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        said = [rank.communicate(timeout=SECONDS) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    for rank, (_, errors) in zip(ranks, said, strict=True):
        assert rank.returncode == 0, errors
    lines = [line for out, _ in said for line in out.splitlines()]
    assert [line for line in lines if not line.startswith("ok: ")] == []
    assert len(lines) >= ASKED
