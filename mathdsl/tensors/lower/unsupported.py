"""What cannot be generated, said in the author's words."""

from __future__ import annotations

from mathdsl.diagnostics.build import error
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.ir.nodes import Array, Module, Size
from mathdsl.spans import Span


def pieces_fill_no_box(array: Array, span: Span) -> Diagnostic:
    """An array by pieces that no straight cuts part."""
    return error(
        "E0780",
        f"the pieces of ${array.latex}$ do not fill a box: this is not supported yet",
        span,
        help="define the array over a rectangular index domain, piece after piece along one index",
    )


def unknown_size(module: Module, size: Size) -> Diagnostic:
    """A run-time size that only inputs with a default have."""
    return error(
        "E0781",
        f"the run-time size ${size.latex}$ of {module.name} cannot be read from an input that is always given",
        module.span,
        help="let an input without a default have an axis of that size",
    )


def length_by_index(index: str, span: Span) -> Diagnostic:
    """A part of an axis that has another length at another place of a tensor's axis."""
    letter = "k" if index == "j" else "j"
    return error(
        "E0780",
        f"a value whose length depends on the index `{index}` is not supported yet",
        span,
        help=rf"reduce its parts where they stand, as in `\sum_{{{letter}=1}}^{{{index}}} x_{letter}`",
    )
