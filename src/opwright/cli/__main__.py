"""`python -m opwright.cli` is `opwright`."""

from opwright.cli import main

main()
