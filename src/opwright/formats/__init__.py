"""Exact number formats that NumPy does not have, in NumPy: floats of 8 and 4 bits, and integers of 4.

In: arrays of floats, or of codes in uint8. Out: the other. `small_floats.FORMATS` has the floats of 8 and 4 bits that
follow IEEE 754's pattern, `hifloat8` the one that does not, `nibbles` packs two codes of 4 bits into a byte. Nothing
here was compared with an NPU.
"""
