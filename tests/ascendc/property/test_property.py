"""Constants of the chip, on every SoC, against numbers by hand."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.socs import SOCS
from opwright.errors import NoForm
from opwright.runtime.jit import JitFunction

KIB = 1024
NAMES = ("ONE_BLK_SIZE", "DEFAULT_C0_SIZE", "TOTAL_L1_SIZE", "TOTAL_L0C_SIZE")


def asks(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 6)
    z_gm.set_value(0, asc.property(asc.ONE_BLK_SIZE))
    z_gm.set_value(1, asc.property(asc.DEFAULT_C0_SIZE))
    z_gm.set_value(2, asc.property(asc.TOTAL_L1_SIZE))
    size = asc.property(prop=asc.TOTAL_L0C_SIZE)
    z_gm.set_value(3, size)
    z_gm.set_value(4, (size + 1) // asc.property(asc.ONE_BLK_SIZE))


@pytest.mark.parametrize("soc", SOCS)
def test_asks(soc: str, ran: Callable[[str, int, str], None], asserted: Callable[[str], None]) -> None:
    kernel: JitFunction = asc.jit(soc=soc)(asks)
    l1 = 512 * KIB if soc == "ascend950" else 512 * KIB - 128
    l0c = 256 * KIB if soc == "ascend950" else 128 * KIB
    for launch in (kernel[1], kernel.check[1]):
        z = np.full(6, 99, np.int64)
        launch(z)
        assert z.tolist() == [32, 32, l1, l0c, l0c // 32, 99]
    text = kernel.emit("i64[6]")
    for name in NAMES:
        assert f"AscendC::{name}" in text
        asserted(name)
    ran("property", 0, "")


def test_what_is_no_property() -> None:
    @asc.jit
    def wrong():
        asc.printf("%d", asc.property(3))

    with pytest.raises(NoForm, match=r"prop must be a value of asc\.Property"):
        wrong.emit()
