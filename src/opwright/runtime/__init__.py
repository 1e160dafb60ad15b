"""From a decorated function and its arguments to a run: border checks, keys, the store, the launch."""
