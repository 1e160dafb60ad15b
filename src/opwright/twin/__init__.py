"""The CPU twin: C++ headers and library that run the text of a kernel, and what builds and reports on them."""
