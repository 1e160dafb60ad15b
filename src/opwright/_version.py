"""The version, stated once: the build and the documentation read it from here."""

__version__ = "0.10.0"
