"""What a core knows about itself, against what the launch says."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.errors import TrapError

NAMES = (
    "get_block_idx",
    "get_block_num",
    "get_sub_block_idx",
    "get_sub_block_num",
    "get_task_ratio",
    "get_data_block_size_in_bytes",
    "get_arch_version",
    "get_program_counter",
    "get_system_cycle",
)
WORDS = 16  # of each core: two lines of the data cache


@asc.jit
def knows(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    mine = z_gm[asc.get_block_idx() * 16 :]
    mine.set_value(0, asc.get_block_idx())
    mine.set_value(1, asc.get_block_num())
    mine.set_value(2, asc.get_sub_block_idx())
    mine.set_value(3, asc.get_sub_block_num())
    mine.set_value(4, asc.get_task_ratio())
    mine.set_value(5, asc.get_data_block_size_in_bytes())
    mine.set_value(6, asc.get_arch_version(0))
    mine.set_value(7, asc.get_arch_version())
    mine.set_value(8, asc.get_program_counter())
    mine.set_value(9, asc.get_system_cycle())
    mine.set_value(10, asc.get_system_cycle())


knows_on_950 = asc.jit(soc="ascend950")(knows.function)


@pytest.mark.parametrize(("kernel", "arch"), [(knows, 0x220), (knows_on_950, 0x310)])
@pytest.mark.parametrize("cores", [1, 3])
def test_knows(kernel: object, arch: int, cores: int, ran: Callable[[str, int, str], None]) -> None:
    for launch in (kernel[cores], kernel.check[cores]):  # type: ignore[index, attr-defined]
        z = np.full((cores, WORDS), 99, np.int64)
        launch(z)
        for core, words in enumerate(z):
            assert words[:8].tolist() == [core, cores, 0, 1, 1, 32, arch, arch]
            assert 0 < words[9] < words[10]
            assert words[11:].tolist() == [99] * 5
        text = knows.emit(z).splitlines()
        assert "GetProgramCounter" in text[z[0, 8] - 1]
    for name in NAMES:
        ran(name, 0, "")


@asc.jit
def stops(z: asc.GlobalAddress, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 2)
    z_gm.set_value(0, 1)
    if n == 7:
        asc.trap()
    z_gm.set_value(1, 1)


def test_trap(ran: Callable[[str, int, str], None]) -> None:
    z = np.zeros(2, np.int64)
    with pytest.raises(TrapError, match=r"stopped by asc.trap\(\)"):
        stops[1](z, 7)
    assert z.tolist() == [1, 0]
    stops[1](z, 8)
    assert z.tolist() == [1, 1]
    ran("trap", 0, "")
