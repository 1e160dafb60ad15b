"""The battery's check of an operator in fresh processes: see first_use.py, which runs there.

In: an operator, the module that defines it if it is not the package's own, and a folder. Out: see battery.py.
"""

import os
import subprocess
import sys
from pathlib import Path

import torch
from battery import Operator, cases, close, has_elements, is_taken, main_dtype, reference, require

SCRIPT = Path(__file__).parent / "first_use.py"
SECONDS = 240


def check_first_use(operator: Operator, folder: Path, module: str = "") -> None:
    """Threads at first use, a fork after it, and every OPWRIGHT_PROVIDERS: the results are the reference's."""
    names = [argument.name for argument in operator.schema.arguments]
    chosen = {}
    for provider in operator.orders.get("cpu", ("reference",)):
        for values in cases(operator, main_dtype(operator)):
            if has_elements(values) and is_taken(operator, provider, values):
                chosen[provider] = values
    asked = {
        "name": operator.schema.qualified,
        "module": module,
        "values": {provider: dict(zip(names, values, strict=True)) for provider, values in chosen.items()},
        "results": str(folder / "results.pt"),
    }
    torch.save(asked, folder / "asked.pt")
    environment = {name: text for name, text in os.environ.items() if name != "OPWRIGHT_PROVIDERS"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(SCRIPT.parent), environment.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder / "asked.pt")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    require(done.returncode == 0, operator, "first use", f"fails in a fresh process:\n{done.stderr}")
    require(not done.stdout, operator, "first use", f"{done.stdout.strip()}\n{done.stderr}")
    found = torch.load(folder / "results.pt", weights_only=True)
    for provider, values in chosen.items():
        close(operator, provider, found[provider], reference(operator, values), "in a fresh process")
