"""Sphinx configuration. Build with: sphinx-build -W -n docs build/docs"""

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "Opwright"
author = "The Opwright authors"
copyright = "2026, the Opwright authors"
release = version = runpy.run_path(str(HERE.parent / "src/opwright/_version.py"))["__version__"]

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["opwright.css"]
html_title = f"Opwright {release}"


def setup(app):
    """Write the reference pages before Sphinx looks for files."""
    import _generate

    def write(app):
        _generate.write(Path(app.srcdir) / "reference")

    app.connect("builder-inited", write)
