"""Parts of declarations that are kept as written until all names are known."""

from __future__ import annotations

from dataclasses import dataclass

from mathdsl.syntax import nodes as ast


@dataclass(frozen=True, eq=False)
class WrittenInitialiser:
    """How a parameter starts; the arguments are expressions, read once all settings are known."""

    kind: str
    arguments: tuple[ast.Expression, ...] = ()
    variance: bool = False
