"""What cannot be negative divides as in C++: the text has no floor division, and the values are Python's."""

from pathlib import Path

import pytest
from harness import Program

PARAMETERS = "n: asc.uint32, m: asc.uint16, k: int, u: asc.uint64"
FLOORING = ("floor_div", "floor_mod", "range_turns", "Trap")
BODY = """
cores = asc.get_block_num()
total = 0
for i in range(asc.get_block_idx(), n % 999, asc.get_block_num()):
    total += i // 3 + i % cores + asc.ceildiv(i, 7) + i // cores
SHOW(total)
for i in range(asc.get_block_idx() * 64, k & 8191, cores * 64):
    total += i // 64 + i % 3 + asc.ceildiv(i, cores + 2)
SHOW(total)
each = asc.ceildiv(n, cores)
start = asc.get_block_idx() * each
for i in range(start, min(start + each, n % 100)):
    total += i // 5 - i % 5
SHOW(total)
for i in range(m + 1, 60000, m + 1000):
    total += i // 8 + i % (m + 1)
SHOW(total)
SHOW(n // 64)
SHOW(n % 64 + m % 7)
SHOW((n + m) // (m + 1))
SHOW((n * m) % 10)
SHOW(asc.ceildiv(n, 64))
SHOW(-(-n // 64))
SHOW(asc.ceildiv(n + 3, 8))
SHOW(asc.ceildiv(m, 1))
SHOW(asc.ceildiv(n, m + 1))
SHOW(asc.ceildiv(k & 9223372036854775807, 64))
SHOW(asc.ceildiv(k & 9223372036854775807, m + 1))
SHOW(abs(m - 70000) // 9)
SHOW((n >> 3) // 5 + (m << 4) % 7 + (n | m) // 3 + (n ^ 5) // 3 + (~m + 70000) // 2)
SHOW((n if k > 0 else m) // 3)
SHOW(int(u // (n + 1) % 1000))
SHOW(asc.number(n, asc.uint8) // 3)
"""
CALLS = [
    (0, 0, 0, 0),
    (1, 1, 1, 1),
    (63, 64, 65, (1 << 63) - 1),
    (64, 65535, (1 << 63) - 1, 1 << 62),
    ((1 << 32) - 1, 65535, -(1 << 63), 1234567890123456789),
    (4294967000, 255, -1, 99),
]


def test_values_and_text(tmp_path: Path) -> None:
    program = Program(tmp_path, BODY, PARAMETERS)
    text = program.module.kernel.emit("i64[512]", "f32[512]", *CALLS[1])
    assert not [name for name in FLOORING if name in text]
    program.agree(*CALLS)


KEPT = """
SHOW(k // 4)
SHOW(asc.ceildiv(k, 4))
SHOW(-(-(n - m) // 4))
SHOW((n - 1) % (m + 1))
SHOW((k + 1) // 3)
for i in range(m, n, 1):
    if i > m + 3:
        break
    SHOW((i - 70000) // 7)
"""


@pytest.mark.unchecked(reason="its sums wrap around on purpose")
def test_what_may_be_negative_floors(tmp_path: Path) -> None:
    program = Program(tmp_path, KEPT, PARAMETERS)
    text = program.module.kernel.emit("i64[512]", "f32[512]", *CALLS[1])
    assert text.count("floor_div(") == 6 and text.count("floor_mod(") == 2  # with their definitions
    program.agree(*CALLS, (0, 7, -9, 0))


@pytest.mark.quick
def test_a_step_that_may_be_zero_is_tested_once(tmp_path: Path) -> None:
    program = Program(tmp_path, "for i in range(0, k, n):\n    SHOW(i // 4)", PARAMETERS)
    text = program.module.kernel.emit("i64[512]", "f32[512]", *CALLS[1])
    assert text.count("Trap") == 1
    assert "range_turns" not in text and "floor_div" not in text
