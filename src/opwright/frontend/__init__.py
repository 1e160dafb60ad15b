"""Python source to IR. Loaded only when a kernel must be compiled."""
