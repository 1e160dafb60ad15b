"""Drawings for the reference pages, as SVG: how repeats and their strides, and the pieces of a copy, lie in memory.

In: numbers, and the names of the parameters that say them. Out: the text of an SVG file, readable on light and dark
pages and on a phone. `of_form` tells which drawings a form of a row needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from opwright.ascendc.row import Form, Row
from opwright.ascendc.table import ROWS

_WIDTH, _CELL, _LEFT = 520, 12, 20
_COLOURS = ("#2f6f9f", "#c8742b", "#4f8a4b")
_PIECES = ("DataCopyParams", "DataCopyExtParams")
REPEATS, GAPS, PADDED = "repeats", "gaps", "padded"
# Drawing -> what it shows, for those who do not see it.
ALTS = {
    REPEATS: "A repeat touches 8 blocks of 32 bytes; the block stride leads from one block to the next, the repeat "
    "stride from the start of one repeat to the start of the next.",
    GAPS: "A copy moves block_count pieces of block_len blocks; src_stride and dst_stride are the gaps between them.",
    PADDED: "data_copy_pad moves pieces of block_len bytes; on the chip each piece starts at a block of 32 bytes.",
}


@dataclass
class _Drawing:
    """Shapes, from top to bottom."""

    height: int = 12
    shapes: list[str] = field(default_factory=list)

    def text(self, words: str, x: int = _LEFT, bold: bool = False, colour: str = "#222", y: int = 0) -> None:
        """A line of text; at the current height, if `y` says nothing."""
        weight = ' font-weight="600"' if bold else ""
        y = y or self.height + 12
        self.shapes.append(f'<text x="{x}" y="{y}" fill="{colour}"{weight}>{words}</text>')
        self.height = max(self.height, y + 6)

    def strip(self, cells: Sequence[str]) -> None:
        """A row of cells: a colour each, or "" for one that is not touched."""
        for number, colour in enumerate(cells):
            fill = colour or "#fff"
            place = f'x="{_LEFT + number * _CELL}" y="{self.height}" width="{_CELL}" height="20"'
            self.shapes.append(f'<rect {place} fill="{fill}" stroke="#999" stroke-width="0.7"/>')
        self.height += 24

    def span(self, first: float, last: float, words: str, row: int = 0) -> None:
        """A measure under the cells from `first` to `last`, with its name."""
        left, right, y = _LEFT + first * _CELL, _LEFT + last * _CELL, self.height + 6 + 22 * row
        self.shapes.append(
            f'<path d="M{left:g} {y - 4}v8M{left:g} {y}H{right:g}M{right:g} {y - 4}v8" stroke="#222" fill="none"/>'
        )
        self.shapes.append(f'<text x="{left:g}" y="{y + 15}" fill="#222">{words}</text>')

    def down(self, by: int) -> None:
        """Leaves a gap below."""
        self.height += by

    def svg(self) -> str:
        """The file."""
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {self.height}" width="{_WIDTH}"'
        style = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="13"'
        return "\n".join(
            [
                f'{head} height="{self.height}" {style}>',
                f'<rect width="{_WIDTH}" height="{self.height}" rx="6" fill="#fbfbf8" stroke="#ddd"/>',
                *self.shapes,
                "</svg>\n",
            ]
        )


def repeats(block_stride: int, repeat_stride: int, times: int = 2) -> list[str]:
    """The blocks that repeats touch: a colour each."""
    cells = [""] * ((times - 1) * repeat_stride + 7 * block_stride + 1)
    for turn in range(times):
        for block in range(8):
            cells[turn * repeat_stride + block * block_stride] = _COLOURS[turn]
    return cells


def pieces(count: int, length: int, gap: int) -> list[str]:
    """The cells that the pieces of a copy take: a colour each."""
    cells: list[str] = []
    for piece in range(count):
        cells += [_COLOURS[piece]] * length + [""] * (gap if piece < count - 1 else 0)
    return cells


def _repeats() -> str:
    drawing = _Drawing()
    drawing.text("block stride 1, repeat stride 8: side by side", bold=True)
    drawing.strip(repeats(1, 8))
    drawing.span(0, 8, "first repeat")
    drawing.span(8, 16, "second repeat")
    drawing.down(36)
    drawing.text("block stride 2, repeat stride 20", bold=True)
    drawing.strip(repeats(2, 20))
    drawing.span(0, 2, "block stride")
    drawing.span(0, 20, "repeat stride: from start to start", row=1)
    drawing.down(54)
    drawing.text("One cell is a block of 32 bytes; white ones are not touched.", colour="#555")
    drawing.down(6)
    return drawing.svg()


def _gaps() -> str:
    drawing = _Drawing()
    for name, stride, gap in (("source", "src_stride", 4), ("destination", "dst_stride", 1)):
        drawing.text(f"{name}: block_count = 3, block_len = 5, {stride} = {gap}", bold=True)
        drawing.strip(pieces(3, 5, gap))
        drawing.span(0, 5, "block_len")
        drawing.span(5, 5 + gap, stride, row=1)
        drawing.down(54)
    drawing.text("One cell is a block of 32 bytes. A stride here is a gap: from end to start.", colour="#555")
    drawing.down(6)
    return drawing.svg()


def _padded() -> str:
    drawing = _Drawing()
    drawing.text("global memory: block_len = 20 bytes, src_stride = 8 bytes", bold=True)
    drawing.strip(pieces(3, 5, 2))
    drawing.span(0, 5, "block_len")
    drawing.span(5, 7, "src_stride", row=1)
    drawing.down(54)
    drawing.text("unified buffer: every piece starts at a block of 32 bytes, dst_stride = 0", bold=True)
    cells: list[str] = []
    for colour in _COLOURS:
        cells += [colour] * 5 + ["#ddd"] * 3
    drawing.strip(cells)
    drawing.span(0, 8, "one block")
    drawing.span(5, 8, "padding, up to 32 bytes", row=1)
    drawing.down(54)
    drawing.text("One cell is 4 bytes. Gaps are bytes in global memory, blocks on the chip.", colour="#555")
    drawing.down(6)
    return drawing.svg()


def drawings() -> dict[str, str]:
    """All of them, by name."""
    return {REPEATS: _repeats(), GAPS: _gaps(), PADDED: _padded()}


def of_form(row: Row, form: Form) -> tuple[str, ...]:
    """The drawings that explain a form: it steps by strides, or takes or is a struct of pieces."""
    structs = {row.name, *(parameter.made_by for parameter in form.parameters)}
    fields = {parameter.name for struct in structs if struct in ROWS for parameter in ROWS[struct].forms[0].parameters}
    found = []
    if any(access.strides for access in form.accesses) or any("blk_stride" in name for name in fields):
        found.append(REPEATS)
    if structs & {*_PIECES}:
        found.append(PADDED if "pad" in row.name or "DataCopyExtParams" in structs else GAPS)
    return tuple(found)
