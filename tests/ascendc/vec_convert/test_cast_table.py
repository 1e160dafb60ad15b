"""`casts` says what the front end does: every pair of types on every SoC, with every way of rounding."""

import pytest

from opwright import asc
from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.socs import SOCS
from opwright.ascendc.vec_convert import casts
from opwright.errors import KernelError, RuleBroken, WrongDtype


def emitted(soc: str, source: str, target: str, modes: tuple[RoundMode, ...]) -> str:
    """The text of a kernel that casts in these ways, one after the other."""
    from_type, to_type = ELEMENTS[source], ELEMENTS[target]

    @asc.jit(soc=soc)
    def kernel():
        src = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 0, 512).reinterpret_cast(from_type)
        dst = asc.LocalTensor(asc.int8, asc.TPosition.VECIN, 1024, 512).reinterpret_cast(to_type)
        for number in asc.static_range(len(modes)):
            asc.cast(dst, src, modes[number], 64)

    return kernel.emit()


@pytest.mark.parametrize("soc", SOCS)
@pytest.mark.parametrize("source", ELEMENTS)
def test_every_pair(soc: str, source: str) -> None:
    for target in ELEMENTS:
        modes = casts(soc).get((source, target), ())
        if modes:
            text = emitted(soc, source, target, modes)
            assert [text.count(f"RoundMode::{mode.name},") for mode in modes] == [1] * len(modes)
        for mode in [mode for mode in RoundMode if mode not in modes][: None if modes else 1]:
            with pytest.raises(KernelError) as caught:
                emitted(soc, source, target, (mode,))
            # Where both types are ones of the call, the rule about their conversion refuses.
            wanted = RuleBroken if modes else (RuleBroken, WrongDtype)
            assert isinstance(caught.value, wanted), (source, target, mode)
    assert all(source in ELEMENTS and target in ELEMENTS for source, target in casts(soc))


def test_nobody_changes_it() -> None:
    with pytest.raises(TypeError):
        casts("ascend910b")["int8", "int8"] = ()  # type: ignore[index]
