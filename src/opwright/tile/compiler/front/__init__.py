"""The front end of tile kernels: a Python function becomes IR of the dialects `tile` and `py`."""
