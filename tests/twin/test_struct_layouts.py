"""Structures that Python and C++ share: every field lies where the C++ compiler puts the field of the same name."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from opwright import asc
from opwright.check.events import TraceEvent
from opwright.kernel.target import Mode
from opwright.native import abi
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin import constants
from opwright.twin.build import INCLUDE
from opwright.twin.launch_record import Found, GmRange, LaunchRecord, Outcome, Waiter
from opwright.twin.toolchain import toolchain

pytestmark = pytest.mark.unchecked(reason="launches nothing")

NATIVE = Path(abi.__file__).parent / "include"
MIRRORS: dict[str, type[ctypes.Structure]] = {
    "opwright::LaunchRecord": LaunchRecord,
    "opwright::GmRange": GmRange,
    "opwright::Waiter": Waiter,
    "opwright::Found": Found,
    "opwright::Outcome": Outcome,
    "opwright::TraceEvent": TraceEvent,
    "DLDataType": abi.DataType,
    "DLDevice": abi.Device,
    "DLTensor": abi.Tensor,
    "OpwrightValue": abi.Value,
    "OpwrightError": abi.Error,
    "OpwrightArgument": abi.Argument,
    "OpwrightCall": abi.Call,
    "OpwrightOperator": abi.Operator,
    "OpwrightLibrary": abi.Library,
}


def fields_of(kind: type[ctypes.Structure]) -> list[str]:
    return [field[0] for field in kind._fields_]


@pytest.fixture(scope="module")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int]]:
    """ "Struct.field" -> offset and bytes in C++; "Struct" -> 0 and its bytes."""
    lines = []
    for name, kind in MIRRORS.items():
        lines.append(f'std::printf("{name} 0 %zu\\n", sizeof({name}));')
        for field in fields_of(kind):
            where = f"offsetof({name}, {field}), sizeof(static_cast<{name}*>(nullptr)->{field})"
            lines.append(f'std::printf("{name}.{field} %zu %zu\\n", {where});')
    headers = [INCLUDE / "opwright/context.h", INCLUDE.parent / "library/check/event.h", NATIVE / "opwright/abi.h"]
    includes = "".join(f'#include "{header}"\n' for header in headers)
    folder = tmp_path_factory.mktemp("layouts")
    source, program = folder / "layouts.cpp", folder / "layouts"
    body = "\n".join(lines)
    source.write_text(f"#include <cstddef>\n#include <cstdio>\n{includes}int main() {{\n{body}\n}}\n")
    compiler = toolchain(Store(settings.cache_dir)).path
    subprocess.run([compiler, "-std=c++17", "-Wno-invalid-offsetof", source, "-o", program], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    rows = (line.split() for line in printed.splitlines())
    return {name: (int(offset), int(size)) for name, offset, size in rows}


@pytest.mark.parametrize("name", MIRRORS)
def test_every_field_lies_where_cpp_has_it(name: str, layouts: dict[str, tuple[int, int]]) -> None:
    kind = MIRRORS[name]
    ours = {name: (0, ctypes.sizeof(kind))}
    for field in fields_of(kind):
        descriptor = getattr(kind, field)
        ours[f"{name}.{field}"] = (descriptor.offset, descriptor.size)
    assert ours == {key: value for key, value in layouts.items() if key.partition(".")[0] == name}


@asc.jit
def writes_a_number(x: asc.GlobalAddress, n: int) -> None:
    out = asc.GlobalTensor()
    out.set_global_buffer(x)
    out.set_value(0, n)


def test_a_launch_writes_every_field_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record is packed by position: read back by name, it says what the launch was asked for."""
    x = np.zeros(8, np.int32)
    kernel = writes_a_number.compiled(x, 3)
    records: list[bytes] = []

    def launch(record: bytes, *entries: object) -> int:
        records.append(record)
        return 0

    fake = SimpleNamespace(launch=launch, launch_interruptible=launch, release=lambda address: None)
    monkeypatch.setattr(kernel, "library", fake)
    bound = writes_a_number.binder.bind((x, 3), {})
    kernel.launch(5, bound, Mode.PERTURBED, flags=constants.RECORD, seed=77)
    record = LaunchRecord.from_buffer_copy(records[0])
    assert record.abi == constants.ABI
    assert record.bytes == len(records[0])
    assert record.arch == kernel.soc.arch
    assert (record.mode, record.grid, record.threads) == (constants.PERTURBED, 5, 1)
    assert record.cores == kernel.kernel_type.cores(kernel.soc)
    assert (record.slots, record.ranges) == (2, 1)
    assert record.flags & constants.RECORD and record.flags & constants.AUTO_SYNC
    assert (record.dynamic_ub, record.workspace, record.seed) == (0, 0, 77)
    assert record.group == kernel.kernel_type.group
    assert record.memory_bytes[0] == kernel.soc.usable("UB", False)
    memory = GmRange.from_buffer_copy(records[0][-ctypes.sizeof(GmRange) :])
    assert (memory.base, memory.bytes, memory.slot) == (x.ctypes.data, x.nbytes, 0)
    assert memory.use & constants.GM_WRITTEN
