"""The style sheets: plain files, packed small, their scope put in place of `.mathdsl`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from mathdsl.render.mathml import MATHML_STYLE

SCOPE = "mathdsl"

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SPACE = re.compile(r"\s+")
_AROUND = re.compile(r" ?([{};]) ?")


@cache
def style_sheet(*names: str) -> str:
    """The rules of formulas and the sheets of these names, one after the other, on a line for each rule."""
    folder = files("mathdsl.render.html") / "styles"
    return "\n".join([_of_formulas(), *(_pack((folder / f"{name}.css").read_text(encoding="utf-8")) for name in names)])


def scoped(sheet: str, scope: str) -> str:
    """The sheet for elements of another class. The class counts twice, so that a notebook's own rules do not win."""
    return re.sub(rf"\.{SCOPE}(?![\w-])", f".{scope}.{scope}", sheet)


def pair_rules(pairs: Iterable[tuple[str, str]], scope: str) -> str:
    """Where the pointer is on an equation, its statement is marked too, and the other way round."""
    hovers = [
        f".{scope}:has(#{here}:hover) #{there}"
        for equation, statement in pairs
        for here, there in ((equation, statement), (statement, equation))
    ]
    return f"{','.join(hovers)}{{background:var(--mark);--paper:var(--mark)}}" if hovers else ""


def _of_formulas() -> str:
    """The rule that formulas want from their page, for those below the scope."""
    wanted, _, rule = MATHML_STYLE.partition("{")
    return f"{','.join(f'.{SCOPE} {one}' for one in wanted.split(','))}{{{rule}"


def _pack(sheet: str) -> str:
    text = _SPACE.sub(" ", _COMMENT.sub("", sheet)).strip()
    return _AROUND.sub(r"\1", text).replace(";}", "}").replace("}", "}\n").strip()
