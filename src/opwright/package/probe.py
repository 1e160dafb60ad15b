"""A tiny kernel that is compiled and run on the twin, in a process of its own: it may crash or hang without harm.

In: on the command line, the folder to compile in, the compiler and the CPU. Out: one line of JSON: seconds, or what
went wrong with a hint.
"""

from __future__ import annotations

import json
import sys
import time

from opwright import asc
from opwright.errors import OpwrightError
from opwright.settings import settings

LENGTH = 64


@asc.jit
def plus_one(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int) -> None:
    """z = x + 1."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm.set_global_buffer(z, n)
    buffer = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(buffer, x_gm, n)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(buffer, buffer, 1, n)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, buffer, n)


def probe() -> dict[str, object]:
    """Seconds to compile and to run, and whether the result is right."""
    import numpy as np

    x = np.arange(LENGTH, dtype=np.int32)
    z = np.zeros_like(x)
    times = [time.perf_counter()]
    for _ in range(2):
        plus_one[1](x, z, LENGTH)
        times.append(time.perf_counter())
    first, second = times[1] - times[0], times[2] - times[1]
    return {"compile": first - second, "run": second, "right": bool((z == x + 1).all())}


def main(folder: str, compiler: str, cpu: str) -> None:
    """Prints what the probe found."""
    with settings.scope(cache_dir=folder, compiler=compiler, cpu=cpu):
        try:
            found = probe()
        except OpwrightError as error:
            found = {"error": error.text.format_map(error.fields), "hint": error.hint}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
