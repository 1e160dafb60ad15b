"""Write the reference pages, which are made from the code and not committed: calls, settings, errors."""

from pathlib import Path

from _examples import run_all

from opwright import errors
from opwright.ascendc import document
from opwright.settings import settings


def settings_page() -> str:
    """Every OPWRIGHT_* variable."""
    rows = [f"| `{setting.name}` | {setting.default or '(see below)'} | {setting.doc} |" for setting in settings]
    return "\n".join(
        [
            "# Settings\n",
            "Read from the environment once, when first needed. In code: `with settings.scope(threads=1): ...`.\n",
            "| variable | default | what it is for |\n|---|---|---|",
            *rows,
            "\nWithout `OPWRIGHT_CACHE_DIR` the cache is `opwright` in `XDG_CACHE_HOME`, or in `~/.cache`.\n",
        ]
    )


def errors_page() -> str:
    """Every exception with its text and its way out."""
    lines = ["# Errors\n", "Words in braces stand for what is known at the time.\n"]
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.OpwrightError):
            hint = f"\nhint: {kind.hint}" if kind.hint else ""
            base = kind.__mro__[1].__name__
            lines.append(f"## {name}\n\n{kind.__doc__} (a {base})\n\n```text\n{kind.text}{hint}\n```\n")
    return "\n".join(lines)


def write(folder: Path, scratch: Path) -> None:
    """Make the pages in `folder` be exactly those of the table; leave unchanged files untouched.

    The examples' kernels are put in `scratch` and run.
    """
    pages = {**document.pages(run_all(scratch)), "settings": settings_page(), "errors": errors_page()}
    for old in folder.rglob("*.md"):
        if old.relative_to(folder).with_suffix("").as_posix() not in pages:
            old.unlink()
    for stem, text in pages.items():
        path = folder / f"{stem}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
