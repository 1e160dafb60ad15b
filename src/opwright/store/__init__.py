"""Where compiled files are kept: content by digest, found by keys, verified whenever it is read."""
