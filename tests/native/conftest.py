"""The kernels of the native library, compiled once for a session, and called by ctypes."""

import ctypes
import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "src" / "opwright" / "native"
SOURCES = sorted((NATIVE / "cpu").glob("hifloat8*.cpp"))
FLAGS = "-O3 -std=c++17 -fPIC -fvisibility=hidden -ffp-contract=off -Wall -Wextra -Werror".split()
# What every CPU of an architecture has, and the paths that its builds have.
BASE = {"x86_64": ["-march=x86-64-v2"]}
PATHS = {"x86_64": ["vbmi", "avx512", "avx2", "table"], "aarch64": ["neon", "table"]}
OVERFLOWS = ("inf", "saturate", "saturate_all")
# What the C++ calls F16, BF16 and F32, with the words their bits are kept in.
TYPES = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32}

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """`build(name, *sources)`: a program or library of the HiFloat8 sources and those. The first worker makes it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    folder = folder / "native"
    folder.mkdir(exist_ok=True)

    def objects(compiler: str, flags: list[str], sources: list[Path]) -> list[Path]:
        made = [folder / f"{compiler}_{source.stem}.o" for source in sources]

        def one(source: Path, result: Path) -> None:
            if not result.exists():
                command = [compiler, *FLAGS, *flags, f"-I{NATIVE / 'include'}", "-c", source, "-o", result]
                subprocess.run(command, check=True, capture_output=True, text=True)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(one, sources, made))
        return made

    def build(name: str, *sources: Path, compiler: str = "g++", linked: str = "-shared") -> Path:
        if not shutil.which(compiler):
            pytest.skip(f"{compiler} is not installed")
        result = folder / name
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not result.exists():
                flags = BASE.get(os.uname().machine, []) if compiler == "g++" else []
                parts = objects(compiler, flags, [*SOURCES, *sources])
                subprocess.run([compiler, linked, *parts, "-o", result], check=True)
        return result

    return build


class Kernels:
    """The kernels of one path on arrays. Results are put between guards, which must stay as they are."""

    GUARD = 0xA5

    def __init__(self, library: ctypes.CDLL, path: str) -> None:
        self.library, self.path = library, path.encode()

    def call(self, kernel: str, *arguments: object) -> None:
        given = [a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else a for a in arguments]
        given = [ctypes.c_int64(a) if isinstance(a, int) else a for a in given]
        assert getattr(self.library, f"driver_{kernel}")(self.path, *given) == 0

    def guarded(self, dtype: type, n: int, shift: int, run: Callable[[np.ndarray], None]) -> np.ndarray:
        """What `run` writes into `n` elements that start `shift` bytes after an aligned address."""
        size = np.dtype(dtype).itemsize * n
        room = np.full(size + 512, self.GUARD, np.uint8)
        start = -room.ctypes.data % 64 + 128 + shift
        run(room[start : start + size])
        outside = np.concatenate([room[:start], room[start + size :]])
        assert (outside == self.GUARD).all(), "written beyond the end"
        return room[start : start + size].copy().view(dtype)

    def encode(self, bits: np.ndarray, kind: str, overflow: str, *, stream: bool = False, shift: int = 0) -> np.ndarray:
        def run(out: np.ndarray) -> None:
            self.call("encode", bits, number(kind), out, len(bits), OVERFLOWS.index(overflow), int(stream))

        return self.guarded(np.uint8, len(bits), shift, run)

    def decode(self, codes: np.ndarray, kind: str, *, stream: bool = False, shift: int = 0) -> np.ndarray:
        def run(out: np.ndarray) -> None:
            self.call("decode", codes, out, number(kind), len(codes), int(stream))

        return self.guarded(TYPES[kind], len(codes), shift, run)

    def quantize(
        self, bits: np.ndarray, kind: str, overflow: str, scales: np.ndarray, *, stream: bool = False, shift: int = 0
    ) -> np.ndarray:
        step = int(len(scales) > 1)

        def run(out: np.ndarray) -> None:
            rule = OVERFLOWS.index(overflow)
            self.call("quantize", bits, number(kind), out, len(bits), rule, scales, step, int(stream))

        return self.guarded(np.uint8, len(bits), shift, run)

    def dequantize(
        self, codes: np.ndarray, kind: str, scales: np.ndarray, *, stream: bool = False, shift: int = 0
    ) -> np.ndarray:
        step = int(len(scales) > 1)

        def run(out: np.ndarray) -> None:
            self.call("dequantize", codes, out, number(kind), len(codes), scales, step, int(stream))

        return self.guarded(TYPES[kind], len(codes), shift, run)

    def fake(
        self,
        bits: np.ndarray,
        kind: str,
        overflow: str,
        scales: np.ndarray | None,
        *,
        stream: bool = False,
        shift: int = 0,
        in_place: bool = False,
    ) -> np.ndarray:
        step = int(scales is not None and len(scales) > 1)

        def run(out: np.ndarray) -> None:
            if in_place:
                out[:] = bits.view(np.uint8)
            rule = OVERFLOWS.index(overflow)
            source = out if in_place else bits
            self.call("fake", source, number(kind), out, len(bits), rule, scales, step, int(stream))

        return self.guarded(TYPES[kind], len(bits), shift, run)

    def largest(self, bits: np.ndarray, kind: str) -> float:
        result = np.full(1, np.nan, np.float32)
        self.call("largest", bits, number(kind), len(bits), result)
        return float(result[0])

    def raise_(self, bits: np.ndarray, kind: str, maxima: np.ndarray) -> np.ndarray:
        def run(out: np.ndarray) -> None:
            out[:] = maxima.view(np.uint8)
            self.call("raise", bits, number(kind), len(bits), out)

        return self.guarded(np.float32, len(bits), 4, run)

    def count(self, bits: np.ndarray, kind: str) -> list[int]:
        result = np.full(6, 1000, np.int64)
        self.call("count", bits, number(kind), len(bits), result)
        return (result - 1000).tolist()


def number(kind: str) -> int:
    return list(TYPES).index(kind)


@pytest.fixture(scope="session")
def library(build: Build) -> ctypes.CDLL:
    """All paths, what drives them and what tries everything."""
    found = ctypes.CDLL(str(build("hifloat8.so", HERE / "hifloat8_driver.cpp", HERE / "every_float.cpp")))
    found.every_float.restype = found.every_scale.restype = ctypes.c_int64
    found.driver_isa.restype = ctypes.c_char_p
    found.driver_isas.restype = ctypes.POINTER(ctypes.c_char_p)
    return found


@pytest.fixture(params=PATHS.get(os.uname().machine, ["table"]))
def path(library: ctypes.CDLL, request: pytest.FixtureRequest) -> str:
    if not library.driver_has(request.param.encode()):
        pytest.skip(f"this CPU cannot run the path {request.param}")
    return str(request.param)


@pytest.fixture
def kernels(library: ctypes.CDLL, path: str) -> Kernels:
    return Kernels(library, path)


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="is about compiled operators, which are no kernels"))
