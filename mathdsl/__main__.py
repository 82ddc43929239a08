"""`python -m mathdsl` is the command line."""

from __future__ import annotations

from mathdsl.cli import main

main(prog_name="mathdsl")
