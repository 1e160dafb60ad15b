"""Host functions to C++: `compile.compile_infer` gives the text. Needs xdsl; loaded only to compile."""
