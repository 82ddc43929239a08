"""What the environments of running text are; a row an environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Kind = Literal[
    "flow", "float", "bullets", "numbers", "terms", "quote", "theorem",
    "bibliography", "table", "source", "display", "inline",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """How an environment is read; `arguments` as in `commands.SHOWN`, of which a table is told what its columns are.

    `title`: what it is called, or the kind of a float; `counter` and `within` as in `model.Quote`.
    """

    kind: Kind
    arguments: str = ""
    title: str = ""
    counter: str = ""
    within: int = 0


def _rows(names: str, kind: Kind, arguments: str = "") -> dict[str, Row]:
    return dict.fromkeys(names.split(), Row(kind, arguments))


DISPLAYS = "equation align gather multline flalign alignat eqnarray displaymath dmath".split()
INLINE = "math"

ENVIRONMENTS: Mapping[str, Row] = MappingProxyType(
    _rows("document center flushleft flushright samepage titlepage landscape spacing frame sloppypar", "flow")
    | _rows("small footnotesize scriptsize large Large", "flow")
    | _rows("minipage multicols adjustbox", "flow", "o-")
    | {name: Row("float", "o", name) for name in ("figure", "table", "algorithm")}
    | {name: Row("float", "oo-", "figure") for name in ("subfigure", "wrapfigure")}
    | {name: Row("float", "oo-", "table") for name in ("subtable", "wraptable")}
    | _rows("itemize compactitem inparaitem", "bullets", "o")
    | _rows("enumerate compactenum inparaenum", "numbers", "o")
    | _rows("description", "terms", "o")
    | _rows("quote quotation verse", "quote")
    | {"abstract": Row("quote", title="Abstract"), "proof": Row("theorem", title="Proof")}
    | {
        name: Row("theorem", title=name.capitalize())
        for name in "theorem lemma proposition corollary definition remark example claim note conjecture".split()
    }
    | {"thebibliography": Row("bibliography", "-", "References")}
    | _rows("tabular longtable", "table", "o+")
    | _rows("tabularx tabulary", "table", "-o+")
    | _rows("tikzpicture picture alltt algorithmic algorithm2e mathdsl where tabbing filecontents subequations IEEEeqnarray", "source")
    | {name: Row("display") for name in DISPLAYS}
    | {INLINE: Row("inline")}
)
"""Of an environment with a star, the row without; one that is not here is read as `flow`."""

WITH_LABELS: frozenset[Kind] = frozenset({"float", "theorem", "source", "numbers", "bibliography"})
"""Environments that have numbers of their own: a label in them is not that of what they stand in."""

FLOW = Row("flow")


def find_row(name: str, theorems: Mapping[str, Row]) -> Row:
    """How the environment of that name is read, in a document that has these theorems."""
    return theorems.get(name) or ENVIRONMENTS.get(name) or ENVIRONMENTS.get(name.removesuffix("*"), FLOW)
