r"""Elements of arrays as the author writes them: `h_{t-1}`, `c[t, k]`, for messages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mathdsl.ir.nodes import Array, Expr, Origin, Range
from mathdsl.ir.sizes import Poly

_GREEK = frozenset(
    (
        *("alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"),
        *("nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "ell"),
    )
)
_NAME = re.compile(r"[^\W\d]\w*")
_NUMBERED = re.compile(r"_\d+\Z")
_GIVEN = re.compile(r"\\cdot([+-]\d+)?(?= \\mid|})")  # the indices of `x_{\cdot \mid \cdot-1}`


def index_latex(name: str) -> str:
    r"""An index variable or a size as in the source: `ell` is `\ell`, `t_1` (renamed by a pass) is `t`."""
    plain = _NUMBERED.sub("", name).rstrip("_")
    return "\\" + plain if plain in _GREEK else plain


def poly_latex(poly: Poly) -> str:
    """An index expression without spaces: `t-1`."""
    text = str(poly).replace(" ", "").replace("**", "^").replace("*", " ")
    return re.sub(r"[A-Za-z]\w*", lambda match: index_latex(match[0]), text)


def polynomial_latex(value: Poly, latex: Mapping[str, str]) -> str:
    r"""A polynomial in the author's symbols: `n_{lyr} - 1`."""
    text = _NAME.sub(lambda name: latex.get(name[0]) or index_latex(name[0]), str(value))
    return text.replace("**", "^").replace("*", " ")


def element_latex(array: Array, index: Sequence[Poly | Range | Expr], shown: Sequence[int], origin: Origin) -> str:
    r"""The element in the notation of the equation: with brackets if it uses brackets on this array, else with a subscript.

    Axes that are not shown are left out at the end, and marked before one that is: `X_{\cdot,d}`.
    """
    written = index[: max(shown, default=-1) + 1]
    entries = [poly_latex(entry) if k in shown and isinstance(entry, Poly) else r"\cdot" for k, entry in enumerate(written)]
    if not entries:
        return array.latex
    if r"\cdot \mid" in array.latex and len(entries) == 1 and isinstance(at := index[0], Poly):
        return _GIVEN.sub(lambda match: poly_latex(at + int(match[1] or 0)), array.latex)
    if f"{array.latex}[" in origin.latex or "_" in array.latex:
        return f"{array.latex}[{', '.join(entries)}]"
    text = ",".join(entries)
    return f"{array.latex}_{text}" if len(text) == 1 else f"{array.latex}_{{{text}}}"
