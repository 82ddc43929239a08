"""One line of the table of symbols."""

from __future__ import annotations

from mathdsl.dataclass import dataclass


@dataclass(frozen=True)
class SymbolRow:
    """One line of the table that `check` prints. `shape` is in the author's symbols, `origin` says where it came from.

    `callee` and `arguments`: the type of a submodule, which `type` has in one word.
    """

    module: str
    symbol: str
    python: str
    kind: str
    type: str
    shape: str
    origin: str
    description: str
    callee: str = ""
    arguments: tuple[str, ...] = ()
