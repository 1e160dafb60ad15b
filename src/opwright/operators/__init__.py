"""Operators: one file each. Files that begin with an underscore are machinery that operators share."""
