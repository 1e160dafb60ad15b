"""The operators in frameworks: each folder walks the same table of operators."""
