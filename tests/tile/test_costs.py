"""Forms are chosen by what they cost."""

import pytest

from opwright import tile
from opwright.tile.compiler.costs import Work, cycles

pytestmark = pytest.mark.quick


def test_more_work_costs_more() -> None:
    base = Work("add", 2, 16, 1)
    for more in (Work("add", 3, 16, 1), Work("add", 2, 17, 1), Work("add", 2, 16, 2), Work("div", 2, 16, 1)):
        assert cycles(more) > cycles(base)
    assert cycles(base, base) == 2 * cycles(base)


@tile.jit
def add_column(x: tile.Tensor, c: tile.Tensor, y: tile.Tensor, ROWS: tile.constexpr, COLS: tile.constexpr):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        y[rows, cols] = x[rows, cols] + c[rows][:, None]


@pytest.mark.parametrize(
    ("rows", "columns", "variable"),
    [(64, 128, "column"), (2, 4096, "row"), (8, 456, "column"), (3, 640, "row")],
)
def test_the_cheaper_form_is_taken(rows: int, columns: int, variable: str) -> None:
    """Many rows: a call for each 64 columns. Few long rows: calls for each row."""
    shape = f"f32[1000,{columns}]"
    text = add_column.lower(shape, "f32[1000]", shape, ROWS=rows, COLS=columns)
    assert f"for {variable} in range(" in text
