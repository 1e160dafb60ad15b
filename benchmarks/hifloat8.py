"""HiFloat8 on the CPU, through `opwright.ops` with `out=`: against a copy of as many bytes, and PyTorch's float8 casts.

Run it: python benchmarks/hifloat8.py [--quick] [--json FILE]
A ratio of 1 against the copy is the speed of memory; below 1 is faster. Says nothing about an NPU.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import torch
from _table import MedianRow, limit, measure, save, show

import opwright.ops
from opwright.hifloat8_tensor import HiFloat8Tensor
from opwright.native.library import CpuLibrary, opened

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
# Of the bandwidth of a copy, at the last of POWERS and on one thread, by path and case.
FLOORS = {
    ("vbmi", "encode f16"): 0.8,
    ("vbmi", "encode bf16"): 0.8,
    ("vbmi", "encode f32"): 0.6,
    **{("vbmi", f"decode {name}"): 1.0 for name in DTYPES},
    **{("avx512", f"encode {name}"): 0.9 for name in DTYPES},
    # More is written than by a copy: a loop that only stores takes as long.
    ("avx512", "decode f16"): 0.75,
    ("avx512", "decode bf16"): 0.75,
    ("avx512", "decode f32"): 0.65,
    **{("table", f"encode {name}"): 0.3 for name in DTYPES},
    **{("table", f"decode {name}"): 0.3 for name in DTYPES},
}
POWERS = (18, 26)
QUICK_POWERS = (24,)  # more than any cache holds
MOST_QUANTIZE = 1.5  # times an encode
MOST_GRAD = 1.2  # times the same in inference mode
MOST_LINEAR = 3.0  # times a product with a weight in bfloat16
SECONDS = 0.05  # of one turn


def copying(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Two tensors whose copy reads and writes so many bytes in all."""
    return torch.zeros(count // 2, dtype=torch.uint8), torch.ones(count // 2, dtype=torch.uint8)


def one(path: str, what: str, power: int, threads: int, rounds: int) -> MedianRow:
    """One case against a copy of equal bytes."""
    kind, name = what.split()
    dtype, count = DTYPES[name], 1 << power
    numbers = torch.randn(count).to(dtype)
    codes = torch.full((count,), 0xA5, dtype=torch.uint8)
    target, source = copying(count * (dtype.itemsize + 1))
    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter  # other work on the machine counts less
    case = f"{what} 2^{power} {path}, {threads} thread{'s' * (threads > 1)}"
    if kind == "encode":
        row = measure(
            case,
            lambda: opwright.ops.encode_to_hifloat8(numbers, out=codes),
            lambda: target.copy_(source),
            rounds,
            SECONDS,
            clock,
        )
    else:
        opwright.ops.encode_to_hifloat8(numbers, out=codes)
        numbers.fill_(float("nan"))
        row = measure(
            case,
            lambda: opwright.ops.decode_from_hifloat8(codes, dtype, out=numbers),
            lambda: target.copy_(source),
            rounds,
            SECONDS,
            clock,
        )
    return row


def beside_float8(power: int, rounds: int) -> list[MedianRow]:
    """PyTorch's casts to and from float8_e4m3fn, into given tensors."""
    count = 1 << power
    numbers = torch.randn(count).to(torch.bfloat16)
    codes, theirs = torch.empty(count, dtype=torch.uint8), torch.empty(count, dtype=torch.float8_e4m3fn)
    torch.set_num_threads(1)
    return [
        measure(
            f"encode bf16 2^{power} beside a cast to float8_e4m3fn",
            lambda: opwright.ops.encode_to_hifloat8(numbers, out=codes),
            lambda: theirs.copy_(numbers),
            rounds,
            0,
        ),
        measure(
            f"decode bf16 2^{power} beside a cast from float8_e4m3fn",
            lambda: opwright.ops.decode_from_hifloat8(codes, torch.bfloat16, out=numbers),
            lambda: numbers.copy_(theirs),
            rounds,
            0,
        ),
    ]


def by_token(power: int, rounds: int) -> MedianRow:
    """A scale for each token, and the codes, beside the codes alone."""
    numbers = torch.randn(1 << power - 12, 1 << 12).to(torch.bfloat16)
    codes, scale = torch.empty(numbers.shape, dtype=torch.uint8), torch.empty(1 << power - 12, 1)
    torch.set_num_threads(1)
    return measure(
        f"dynamic_quantize by token bf16 2^{power} beside encode",
        lambda: opwright.ops.dynamic_quantize_to_hifloat8(numbers, [1, -1], out=(codes, scale)),
        lambda: opwright.ops.encode_to_hifloat8(numbers, out=codes),
        rounds,
        SECONDS,
    )


def linear(rounds: int) -> list[MedianRow]:
    """A product with a weight of codes in grad mode: beside inference mode, and beside a weight in bfloat16."""
    x = torch.randn(4, 1 << 12).to(torch.bfloat16)
    plain = torch.randn(1 << 12, 1 << 12).to(torch.bfloat16)
    codes = HiFloat8Tensor.from_float(plain, [1, -1])
    torch.set_num_threads(1)

    @torch.inference_mode()
    def inferred() -> torch.Tensor:
        return torch.nn.functional.linear(x, codes)

    cpu = time.process_time
    name = "linear bf16 4 x 4096 x 4096, weight of codes"
    return [
        measure(
            f"{name}, beside inference mode",
            lambda: torch.nn.functional.linear(x, codes),
            inferred,
            rounds,
            SECONDS,
            cpu,
        ),
        measure(
            f"{name}, beside a bfloat16 weight",
            lambda: torch.nn.functional.linear(x, codes),
            lambda: torch.nn.functional.linear(x, plain),
            rounds,
            SECONDS,
            cpu,
        ),
    ]


def main() -> None:
    """Measures, prints, and fails where a floor is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one thread, the best path and the table only")
    parser.add_argument("--json", metavar="FILE", help="write the rows there")
    chosen = parser.parse_args()
    library = opened()
    if not isinstance(library, CpuLibrary):
        sys.exit(f"there is no compiled library: {library}")
    rounds, powers = (3, QUICK_POWERS) if chosen.quick else (9, POWERS)
    threads = [1] if chosen.quick else sorted({1, os.cpu_count() or 1})
    missed: list[str] = []
    rows: list[MedianRow] = []
    tried = [library.isa, "table"] if chosen.quick else library.isas
    for path in tried:
        library.cap_isa(path)
        if library.isa != path:
            print(f"{path}: this CPU does not have it")
            continue
        for what in (f"{kind} {name}" for kind in ("encode", "decode") for name in DTYPES):
            for power in powers:
                for count in threads:
                    row = one(path, what, power, count, rounds)
                    floor = FLOORS.get((path, what)) if power == powers[-1] and count == 1 else None
                    most = limit(1 / floor, chosen.quick) if floor else float("inf")
                    if row["ratio"] > most:
                        # Loads wait for stores to the same place in another page: where memory lies decides.
                        row = min(row, one(path, what, power, count, rounds), key=lambda row: row["ratio"])
                    rows.append(row)
                    if row["ratio"] > most:
                        missed.append(f"{row['case']}: {1 / row['ratio']:.2f} of a copy, floor {1 / most:.2f}")
    library.cap_isa("")
    show("HiFloat8 against a copy of as many bytes", rows, "copy_")
    beside = beside_float8(powers[-1], rounds)
    show("Beside PyTorch's float8", beside, "float8")
    token, most = by_token(powers[-1], rounds), limit(MOST_QUANTIZE, chosen.quick)
    if token["ratio"] > most:  # as above: once more, where memory lies elsewhere
        token = min(token, by_token(powers[-1], rounds), key=lambda row: row["ratio"])
    show("Scales by token", [token], "encode")
    if token["ratio"] > most:
        missed.append(f"{token['case']}: {token['ratio']:.2f}, floor {most}")
    products = linear(rounds)
    show("F.linear", products, "other")
    for product, most in zip(products, (limit(MOST_GRAD, chosen.quick), limit(MOST_LINEAR, chosen.quick)), strict=True):
        if product["ratio"] > most:
            missed.append(f"{product['case']}: {product['ratio']:.2f}, floor {most}")
    save(chosen.json, [*rows, *beside, token, *products])
    for line in missed:
        print(f"floor missed: {line}")
    sys.exit(int(bool(missed)))


if __name__ == "__main__":
    main()
