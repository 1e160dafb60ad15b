"""The compiler of the tile level: from a Python function over tiles to an asc kernel as Python."""
