"""`asc.runtime` as PyAsc has it: `config` says for which SoC kernels are compiled."""
