"""Tensors of two types in one call, two helpers deep."""

import numpy as np

from opwright import asc


@asc.jit
def accumulate(total, part, count):
    asc.add(total, total, part, count)


@asc.jit
def reduce(total, part):
    accumulate(total, part, 64)


@asc.jit
def mixes(x: asc.GlobalAddress):
    total = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    part = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 256, 64)
    reduce(total, part)


mixes[1](np.zeros(64, np.float16))
