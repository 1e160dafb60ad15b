"""The compiled libraries of the operators: libopwright_cpu, a plain C ABI, and libopwright_torch, for PyTorch."""
