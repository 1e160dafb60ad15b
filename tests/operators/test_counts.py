"""`opwright.calls`: what is counted for whom, in threads too, and the table."""

import threading

import pytest
import torch

import opwright
import opwright.ops
from opwright.errors import ProviderRefused
from opwright.operators._operator import Counts
from opwright.settings import settings


def counted() -> dict[str, Counts]:
    return opwright.calls().get("rms_norm", {})


def test_each_provider_has_its_own_counts() -> None:
    x, weight = torch.randn(4, 8), torch.ones(8)
    opwright.calls(reset=True)
    assert opwright.calls() == {}
    for _ in range(3):
        opwright.ops.rms_norm(x, weight, 1e-6)
    assert counted() == {"native": Counts(served=3)}
    with opwright.using("rms_norm", "reference"):
        opwright.ops.rms_norm(x, weight, 1e-6)
        opwright.ops.rms_norm(x, weight, 1e-6, out=torch.empty(4, 8))
    assert counted() == {"native": Counts(served=3), "reference": Counts(served=2, copied=1)}
    assert opwright.calls(reset=True)["rms_norm"]["native"] == Counts(served=3)
    assert opwright.calls() == {}


def test_who_is_first_changes_no_count() -> None:
    """A setting that names another provider for a while, in which the counts begin anew."""
    x = torch.randn(4, 8)
    opwright.ops.rms_norm(x, None, 1e-6)
    with settings.scope(providers="rms_norm=reference"):
        opwright.calls(reset=True)
    with opwright.using("rms_norm", "reference"):
        opwright.ops.rms_norm(x, None, 1e-6)
    assert counted() == {"reference": Counts(served=1)}


def test_refusals_are_counted() -> None:
    opwright.calls(reset=True)
    with pytest.raises(ProviderRefused), opwright.using("rms_norm", "kernel"):
        opwright.ops.rms_norm(torch.ones(2, 4, dtype=torch.float64), None, 1e-6)
    with pytest.raises(ValueError):
        opwright.ops.rms_norm(torch.ones(2, 4), torch.ones(5), 1e-6)
    assert counted() == {"kernel": Counts(refused=1), "native": Counts(refused=1)}
    with pytest.raises(ProviderRefused), opwright.using("silu_and_mul", "kernel"):
        opwright.ops.silu_and_mul(torch.ones(2, 4, dtype=torch.float64))
    assert opwright.calls()["silu_and_mul"] == {"kernel": Counts(refused=1)}
    opwright.explain("rms_norm", torch.ones(2, 4), None, 1e-6)
    assert counted() == {"kernel": Counts(refused=1), "native": Counts(refused=1)}


def test_a_library_that_copies_says_so() -> None:
    rows = torch.zeros(4, 8, dtype=torch.uint8)[:, ::2]
    opwright.calls(reset=True)
    opwright.ops.dequantize_from_hifloat8(rows, torch.ones(4, 1), [1, -1])
    assert opwright.calls()["dequantize_from_hifloat8"]["native"] == Counts(served=1, copied=1)


@pytest.mark.parametrize("provider", ["native", "reference"])
def test_threads_lose_no_call(provider: str) -> None:
    x = torch.randn(2, 8)

    def work() -> None:
        with torch.inference_mode(), opwright.using("rms_norm", provider):
            for _ in range(200):
                opwright.ops.rms_norm(x, None, 1e-6)

    opwright.calls(reset=True)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counted() == {provider: Counts(served=800)}


def test_the_table() -> None:
    opwright.calls(reset=True)
    for _ in range(1200):
        opwright.ops.silu_and_mul(torch.ones(1, 2))
    assert str(opwright.calls()).splitlines() == [
        "operator      provider  served  refused  copied",
        "silu_and_mul  native     1,200        0       0",
    ]
