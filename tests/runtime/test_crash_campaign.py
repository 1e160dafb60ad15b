"""The campaign of hostile calls tells a crash, a hang and another exception from what is refused."""

import importlib
from pathlib import Path

import pytest

pytestmark = pytest.mark.unchecked(reason="launches nothing that a check could judge")

ROOT = Path(__file__).parents[2]
TEXTS = {
    "worked": "assert copy is not None",
    "refused": "raise ValueError('no')",
    "other exception": "assert copy is None",
    "crash": "os.kill(os.getpid(), signal.SIGSEGV)",
    "hang": "threading.Event().wait()",
}


@pytest.mark.parametrize("outcome", TEXTS)
def test_outcomes(outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    campaign = importlib.import_module("crash_campaign")
    if outcome == "hang":
        monkeypatch.setattr(campaign, "SECONDS", 5)
    case = campaign.Case("planted", outcome, TEXTS[outcome])
    assert campaign.run(case).outcome == outcome
