"""Rows: objects that say how a call steps through its operands."""

from __future__ import annotations

from opwright.ascendc.row import Form, Row


def _row(name: str, *operands: str) -> Row:
    strides = [f"{operand}_blk_stride: uint8 = 1" for operand in operands]
    strides += [f"{operand}_rep_stride: uint8 = 8" for operand in operands]
    return Row(
        name,
        name,
        "Strides of a vector call, in blocks of 32 bytes: between the blocks of a repeat, then between repeats.",
        forms=(Form(", ".join(strides), result=f"object {name}"),),
        effect="object",
        example=f"params = asc.{name}({', '.join('1' for _ in operands)}, {', '.join('8' for _ in operands)})",
    )


ROWS = (
    _row("UnaryRepeatParams", "dst", "src"),
    _row("BinaryRepeatParams", "dst", "src0", "src1"),
)
