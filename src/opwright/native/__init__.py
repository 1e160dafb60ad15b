"""The compiled libraries of the operators: libopwright_cpu (plain C ABI) and libopwright_torch (its way into PyTorch)."""
