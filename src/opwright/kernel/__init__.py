"""What the author of a kernel wrote: source, captures, parameters, struct layouts, places and the inert function."""
