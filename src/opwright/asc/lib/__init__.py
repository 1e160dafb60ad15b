"""`asc.lib` as PyAsc has it: `runtime` for devices and streams, `host` for tilings."""
