"""What the oracle says where a program has no value."""

from __future__ import annotations


class OracleError(Exception):
    """The program cannot be interpreted at these arguments: a read outside a range, a cycle, an argument that does not fit."""
