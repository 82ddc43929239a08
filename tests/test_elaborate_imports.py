"""No file of elaboration imports, however indirectly, one that imports it: each can be read, and loaded, by itself."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "mathdsl"
FILES = {
    ".".join(("mathdsl", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in (PACKAGE / "elaborate").rglob("*.py")
}


def imported(name: str) -> set[str]:
    """The files of elaboration that a file imports from."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(FILES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            parts = {f"{node.module}.{alias.name}" for alias in node.names} & FILES.keys()
            found |= parts or {node.module} & FILES.keys()
    return found - {name}


def test_imports_make_no_circle() -> None:
    order = tuple(TopologicalSorter({name: imported(name) for name in FILES}).static_order())
    assert set(order) == FILES.keys()
    assert order.index("mathdsl.elaborate.terms.reader") < order.index("mathdsl.elaborate.terms.resolve")
