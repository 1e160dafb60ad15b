"""What `tools/mutate_sync.py` is made of."""
