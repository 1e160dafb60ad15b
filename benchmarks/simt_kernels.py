"""Kernels of benchmarks/simt.py."""

from __future__ import annotations

from opwright import asc
from opwright.asc import simt


@simt
def add(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """z = x + y."""
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    if i < n:
        z[i] = x[i] + y[i]


@simt
def strided_copy(x: asc.GlobalAddress, y: asc.GlobalAddress, length: int, s0: int, s1: int, s2: int):
    """y[i, j, k] = x[i * s0 + j * s1 + k * s2]."""
    i = simt.blockIdx.y
    j = simt.blockIdx.x
    k = simt.threadIdx.x
    if k < length:
        y[(i * simt.gridDim.x + j) * length + k] = x[i * s0 + j * s1 + k * s2]


@simt(max_threads=2048)
def barriers(y: asc.GlobalAddress, turns: int):
    """Meets all threads of its block again and again."""
    for _ in range(turns):
        simt.syncthreads()
    y[simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x] = turns


@simt(max_threads=2048)
def shuffles(y: asc.GlobalAddress, turns: int):
    """Meets its warp again and again."""
    value = asc.number(simt.threadIdx.x, asc.int32)
    for _ in range(turns):
        value = simt.shfl_xor(value, 1)
    y[simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x] = value
