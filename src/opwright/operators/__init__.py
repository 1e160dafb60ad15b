"""Operators of PyTorch: one file for each; files that begin with `_` are what they share."""
