"""Settings: read from the environment once, refused by name, changed for a while by code."""

from pathlib import Path

import pytest

from opwright.errors import BadSetting
from opwright.settings import Settings, settings

BAD = {
    "OPWRIGHT_THREADS": ["-1", "two", "1.5"],
    "OPWRIGHT_TWIN_ELIDE": ["maybe", "2", ""],
    "OPWRIGHT_DEBUG": ["loud", ""],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in BAD.items() for text in texts])
def test_refused_by_name(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, text)
    attribute = next(setting.attribute for setting in settings if setting.name == name)
    with pytest.raises(BadSetting, match=f"{name}={text!r}: "):
        getattr(Settings(), attribute)


@pytest.mark.parametrize(("text", "value"), [("0", False), ("off", False), ("1", True), ("TRUE", True), ("On", True)])
def test_flag(text: str, value: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPWRIGHT_TWIN_ELIDE", text)
    assert Settings().elide is value


def test_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in settings:
        monkeypatch.delenv(setting.name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    fresh = Settings()
    assert (fresh.soc, fresh.compiler, fresh.cpu, fresh.threads) == ("ascend910b", "", "native", 0)
    assert (fresh.elide, fresh.debug, fresh.cache_dir) == (True, 0, Path("/xdg/opwright"))


def test_scope() -> None:
    before = settings.threads, settings.soc
    with settings.scope(threads=7):
        assert (settings.threads, settings.soc) == (7, before[1])
        with settings.scope(threads=8, soc="ascend950"):
            assert (settings.threads, settings.soc) == (8, "ascend950")
        assert settings.threads == 7
    assert (settings.threads, settings.soc) == before
    with pytest.raises(KeyError), settings.scope(threads=7):
        raise KeyError
    assert settings.threads == before[0]


def test_scope_of_an_unknown_name() -> None:
    with pytest.raises(TypeError, match="no setting is called thread"), settings.scope(thread=1):
        pass
