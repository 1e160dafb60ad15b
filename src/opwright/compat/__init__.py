"""For people who come from other libraries: their operators under their own names."""
