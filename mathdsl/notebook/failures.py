"""How a cell fails: IPython shows a line or two, never a traceback of our code, and stops what would run after it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from IPython.core.error import UsageError

from mathdsl.diagnostics import Diagnostic
from mathdsl.diagnostics.excerpts import visible
from mathdsl.diagnostics.faults import Fault, wants_traceback
from mathdsl.diagnostics.presenting import arrange
from mathdsl.result import CompileResult


class CellError(Exception):
    """A cell has mistakes and defined nothing; the message counts them and quotes the one drawn first, since all are drawn above."""

    def __init__(self, result: CompileResult) -> None:
        errors = [d for d in arrange(result.diagnostics, result.files, len(result.diagnostics)) if d.severity == "error"]
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors, the first"
        super().__init__(f"{count} in {_place(errors[0], result)}: {errors[0].message}")

    def _render_traceback_(self) -> list[str]:
        return [f"mathdsl: {visible(str(self))}"]


class CellInterrupt(KeyboardInterrupt):
    """Somebody stopped a cell while it was compiled."""

    def _render_traceback_(self) -> list[str]:
        return ["mathdsl: interrupted"]


@contextmanager
def boundary() -> Iterator[None]:
    """Whatever ends a magic, in a line or two."""
    try:
        yield
    except UsageError as problem:
        raise UsageError(visible(str(problem))) from None  # it may name a file, whose name may hold anything
    except CellError:
        raise
    except KeyboardInterrupt:
        raise CellInterrupt from None
    except Exception as cause:  # the last boundary before the notebook
        if wants_traceback():
            raise
        raise Fault(cause) from cause


def _place(error: Diagnostic, result: CompileResult) -> str:
    file = next((file for file in result.files if file.name == error.span.file), None)
    if file is None:
        return error.span.file or "the cell"
    return f"{file.name}, line {file.line_column(error.span.start)[0]}"
