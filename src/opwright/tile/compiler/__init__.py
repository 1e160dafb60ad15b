"""The compiler of the tile level: from tile IR to the calls of an asc kernel."""
