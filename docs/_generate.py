"""Write the reference pages, which are made from the table of Ascend C calls and not committed."""

from pathlib import Path

from opwright.ascendc import document


def write(folder: Path) -> None:
    """Make the pages in `folder` be exactly those of the table; leave unchanged files untouched."""
    pages = document.pages()
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for stem, text in pages.items():
        path = folder / f"{stem}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
