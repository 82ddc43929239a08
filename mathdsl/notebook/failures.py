"""The failure of a cell: IPython shows one line for it, since the findings are drawn above, and stops what would run after it."""

from __future__ import annotations

from mathdsl.api import CompileResult
from mathdsl.diagnostics import Diagnostic


class CellError(Exception):
    """A cell has mistakes and defined nothing; the message counts them and quotes the first."""

    def __init__(self, result: CompileResult) -> None:
        errors = [d for d in result.diagnostics if d.severity == "error"]
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors, the first"
        super().__init__(f"{count} in {_place(errors[0], result)}: {errors[0].message}")

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback, which would tell of our code, not of the cell."""
        return [f"mathdsl: {self}"]


def _place(error: Diagnostic, result: CompileResult) -> str:
    file = next((file for file in result.files if file.name == error.span.file), None)
    if file is None:
        return error.span.file or "the cell"
    return f"{file.name}, line {file.line_column(error.span.start)[0]}"
