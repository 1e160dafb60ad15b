"""IR to Ascend C text."""
