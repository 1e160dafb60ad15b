"""Passes over the IR: one pass, one file, one flag, one test folder. None is needed yet."""
