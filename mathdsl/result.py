"""What became of a document: `CompileResult`, and `CompileError` where it was to be used and has errors."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Literal

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics.drawing import draw_all
from mathdsl.diagnostics.model import Diagnostic
from mathdsl.elaborate.rows import SymbolRow as SymbolRow
from mathdsl.room import roomy
from mathdsl.spans import SourceFile

if TYPE_CHECKING:
    from mathdsl.backends.line_map import CodeLines
    from mathdsl.render.forms import Form
    from mathdsl.render.instances import Instance
    from mathdsl.render.typeset import Compiled, Programs
    from mathdsl.source.documents import Reading
    from mathdsl.syntax.nodes import Document


Emit = Literal["ast", "reading", "ir", "tensors", "torch"]
"""What is written of a document: its syntax tree, how it was read, its equations, or Python text."""


class CompileError(Exception):
    """A document with errors was to be loaded or typeset; the message draws them all."""

    def __init__(self, result: CompileResult) -> None:
        super().__init__("\n" + draw_all(result.diagnostics, result.files, color=False))
        self.diagnostics = result.diagnostics

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the findings alone, since nothing in the Python code is wrong."""
        return str(self).strip("\n").split("\n")


@dataclass(frozen=True)
class CompileResult:
    """A compiled document.

    - `ok`: no error was found; `diagnostics`: errors, warnings and notes, each with its code, message, span and help.
    - `source`: the text of the generated Python module, '' where there are errors.
    - `symbols`: a row for each symbol: module, LaTeX, Python name, kind, type, shape, origin, description.
    - `files`: the texts that the spans point into; `lines`: the lines of `source` that compute each equation.
    - `reading` and `document`: the texts as they were read and the syntax tree of their programs, for typesetting.
    """

    source: str = field(repr=False)
    diagnostics: tuple[Diagnostic, ...]
    symbols: tuple[SymbolRow, ...] = field(repr=False)
    files: tuple[SourceFile, ...] = field(repr=False)
    lines: tuple[CodeLines, ...] = field(default=(), repr=False)
    reading: Reading | None = field(default=None, repr=False)
    document: Document | None = field(default=None, repr=False)

    @property
    def ok(self) -> bool:
        """No error was found."""
        return not any(d.severity == "error" for d in self.diagnostics)

    def load(self) -> ModuleType:
        """Import the generated module, and torch with it; a `CompileError` where the document has errors."""
        from mathdsl.loading import load_source

        if not self.ok:
            raise CompileError(self)
        return load_source(self.source, self.describe)

    def render(self, form: Form) -> bytes:
        """Typeset the document: the bytes of a file in the form `tex`, `pdf`, `html` or `md`; a `CompileError` where it has errors.

        A PDF file needs a TeX engine: `NoEngine` or `EngineError` (of `mathdsl.render.write.pdf`) where there is none, or it fails.
        """
        from mathdsl.render.publish import publish

        with roomy():
            return publish(self._compiled(), form)

    def typeset(self) -> Programs:
        """The programs alone, as listings with their tables, by text and region; raises `CompileError` where there are errors."""
        from mathdsl.render.typeset import typeset_programs

        with roomy():
            return typeset_programs(self._compiled())

    def describe(self, instance: Instance, class_name: str) -> str:
        """An instance of a generated class as a fragment of HTML: its mathematics, with its sizes and parameters of now."""
        from mathdsl.render.instances import instance_html

        with roomy():
            return instance_html(instance, class_name, self._compiled())

    def _compiled(self) -> Compiled:
        from mathdsl.render.typeset import Compiled

        if not self.ok or self.reading is None or self.document is None:
            raise CompileError(self)
        return Compiled(self.reading, self.document, self.symbols, self.lines, self.source)
