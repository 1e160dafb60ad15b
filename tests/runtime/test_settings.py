"""Settings: read from the environment once, refused by name, changed for a while by code."""

import threading
from pathlib import Path

import pytest

from opwright.errors import BadSetting
from opwright.settings import Settings, settings

pytestmark = pytest.mark.quick

BAD = {
    "OPWRIGHT_THREADS": ["-1", "two", "1.5", "4097", "5000000000", "9" * 5000],
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


def test_scope_belongs_to_its_thread() -> None:
    before = settings.threads
    inside, checked = threading.Event(), threading.Event()

    def other() -> None:
        with settings.scope(threads=before + 5):
            inside.set()
            assert checked.wait(10)
            seen.append((settings.threads, settings.run()[0]))

    seen: list[tuple[int, int]] = []
    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(10)
    with settings.scope(threads=before + 3):
        checked.set()
        thread.join()
        assert settings.threads == settings.run()[0] == before + 3
    assert seen == [(before + 5, before + 5)]
    assert settings.threads == before


@pytest.mark.parametrize(("name", "value"), [("threads", -1), ("threads", 5_000_000_000), ("elide", "maybe")])
def test_scope_refuses_what_the_environment_could_not_say(name: str, value: object) -> None:
    with pytest.raises(BadSetting), settings.scope(**{name: value}):
        pass


def test_what_launches_ask_for_follows_the_scope() -> None:
    before = settings.build(), settings.run()
    with settings.scope(soc="ascend950", elide=False, threads=9, check=True):
        assert "ascend950" in settings.build()
        assert settings.run() == (9, False, True)
    assert (settings.build(), settings.run()) == before


def test_scope_of_an_unknown_name() -> None:
    with pytest.raises(TypeError, match="no setting is called thread"), settings.scope(thread=1):
        pass
