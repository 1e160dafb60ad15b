"""The numbers on aarch64, under an emulator, equal those on this machine bit for bit.

Slow; of aarch64 CI runs the library and, in test_two_types.py, the conversions.
"""

import shutil
import struct
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.runtime.jit import JitFunction
from opwright.settings import settings
from opwright.twin.build import TEXT_NAME, entry_text

pytestmark = [pytest.mark.slow, pytest.mark.unchecked(reason="is about builds, not about kernels")]

HERE = Path(__file__).parent
TWIN = HERE.parents[2] / "src" / "opwright" / "twin"
COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
FLAGS = (
    "-std=c++17 -O3 -ffp-contract=off -fno-fast-math -fno-math-errno -fwrapv -fno-strict-aliasing -fno-exceptions "
    "-fno-rtti -pthread -Wall -Wextra -Werror -Wno-unused-parameter"
).split()
GRID, LENGTH = 8, 480
CASES = {
    "f16": (np.dtype(np.float16), "ascend910b", 0.1),
    "f32": (np.dtype(np.float32), "ascend910b", 1e-40),
    "i16": (np.dtype(np.int16), "ascend910b", 32767),
    "i32": (np.dtype(np.int32), "ascend910b", -2147483648),
    "bf16": (np.dtype(ml_dtypes.bfloat16), "ascend950", -3.3),
}


def smoke_of(roots: bool) -> JitFunction:
    """A kernel of nine results; with `roots` for types that have quotients and roots."""

    @asc.jit
    def smoke(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, scalar, length: int):
        offset = asc.get_block_idx() * length
        size = length * x.dtype.sizeof()
        x_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(x + offset, length)
        y_gm = asc.GlobalTensor()
        y_gm.set_global_buffer(y + offset, length)
        z_gm = asc.GlobalTensor()
        z_gm.set_global_buffer(z + offset * 9, 9 * length)
        a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, length)
        b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, size, length)
        c = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 2 * size, 9 * length)
        asc.data_copy(a, x_gm, length)
        asc.data_copy(b, y_gm, length)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.add(c, a, b, length)
        asc.adds(c[length:], a, scalar, length)
        asc.duplicate(c[2 * length :], scalar, length)
        asc.mul(c[3 * length :], a, b, length)
        asc.max(c[4 * length :], a, b, length)
        if roots:
            asc.div(c[5 * length :], a, b, length)
            asc.abs(c[6 * length :], a, length)
            asc.ln(c[7 * length :], c[6 * length :], length)
            asc.sqrt(c[6 * length :], c[6 * length :], length)
            asc.exp(c[8 * length :], c[7 * length :], length)
        else:
            asc.sub(c[5 * length :], a, b, length)
            asc.mins(c[6 * length :], a, scalar, length)
            asc.muls(c[7 * length :], a, scalar, length)
            asc.maxs(c[8 * length :], a, scalar, length)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm, c, 9 * length)

    return smoke


RESULTS = 9
SMOKE = {name: smoke_of(name in ("f16", "f32")) for name in CASES}


def inputs(dtype: np.dtype, seed: int) -> np.ndarray:
    """Random bits without NaN (whose bits are nobody's promise), a third of them denormal where there are any."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 256, GRID * LENGTH * dtype.itemsize, dtype=np.uint8).view(dtype)
    if dtype.kind in "iu":
        return values
    values[::3] = (values.view(f"u{dtype.itemsize}")[::3] % (1 << 7)).astype(f"u{dtype.itemsize}").view(dtype)
    values[~np.isfinite(values.astype(np.float32))] = 1
    return values


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the result of every kernel on the emulated processor."""
    for tool in (COMPILER, EMULATOR):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    folder = tmp_path_factory.mktemp("aarch64")
    commands = [
        ["-DELEMENTS=480", f"-DRESULTS={RESULTS}", f"-DKERNELS={kernels()}", HERE / "aarch64.cpp"],
        [TWIN / "library" / "library.cpp"],
    ]
    for name, (dtype, soc, scalar) in CASES.items():
        arguments = [f"{name}[{LENGTH * GRID}]"] * 2 + [f"{name}[{LENGTH * GRID * RESULTS}]", scalar, LENGTH]
        own = folder / name
        own.mkdir()
        (own / TEXT_NAME).write_text(SMOKE[name].emit(*arguments, soc=soc))
        kinds = [dtype.name] * 3 + [type(scalar).__name__, "int"]
        (own / "entry.cpp").write_text(entry_text("smoke", kinds))
        commands.append([f"-Dopwright_entry=entry_{name}", f"-Dsmoke=smoke_{name}", own / "entry.cpp"])
        for seed, which in enumerate("xy"):
            (folder / f"{name}_{which}.bin").write_bytes(inputs(dtype, seed).tobytes())
    objects = [folder / f"{number}.o" for number in range(len(commands))]

    def build(command: list, output: Path) -> None:
        subprocess.run([COMPILER, *FLAGS, f"-I{TWIN / 'include'}", "-c", *command, "-o", output], check=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(build, commands, objects))
    subprocess.run([COMPILER, "-static", "-pthread", *objects, "-o", folder / "all"], check=True)
    ran = subprocess.run(
        [EMULATOR, folder / "all"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder


def kernels() -> str:
    """The list for the program: name, bytes of an element, the scalar's slot."""
    parts = []
    for name, (dtype, _, scalar) in CASES.items():
        packed = struct.pack("<f4x", scalar) if isinstance(scalar, float) else struct.pack("<q", scalar)
        parts.append(f"KERNEL({name}, {dtype.itemsize}, {int.from_bytes(packed, 'little')}u)")
    return " ".join(parts)


@pytest.mark.parametrize("name", CASES)
def test_same_bits(name: str, emulated: Path) -> None:
    dtype, soc, scalar = CASES[name]
    x, y = inputs(dtype, 0), inputs(dtype, 1)
    z = np.zeros(RESULTS * GRID * LENGTH, dtype)
    with settings.scope(soc=soc, threads=2):
        SMOKE[name][GRID](x, y, z, scalar, LENGTH)
    there = np.frombuffer((emulated / f"{name}_z.bin").read_bytes(), dtype)
    unsigned = f"u{dtype.itemsize}"
    number = z == z  # inf - inf is a NaN, whose sign is the processor's choice
    np.testing.assert_array_equal(number, there == there)
    np.testing.assert_array_equal(z.view(unsigned)[number], there.view(unsigned)[number])
    assert number.mean() > 0.9
    if dtype.kind not in "iu":
        tiny = np.abs(z.astype(np.float32)) < float(ml_dtypes.finfo(dtype).tiny)
        assert (tiny & (z != 0)).any(), "no denormal came out"
