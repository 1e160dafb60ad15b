"""IR to `opwright.asc` Python: what the asc front end reads back as the same kernel."""
