r"""Files that a LaTeX text takes in: `\input{model}`, `\include{model}` and `\subfile{model}` become what the file holds, with its places.

Only a document that is a file has files beside it, and only those in its folder, or below it, are read.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from mathdsl.dataclass import dataclass, field
from mathdsl.diagnostics import Diagnostics, Label, error
from mathdsl.source.latex_text import find_ignored
from mathdsl.source.mapping import TextBuilder, blank, map_file
from mathdsl.source.model import MappedText
from mathdsl.source.read import decode
from mathdsl.spans import SourceFile, Span

_COMMAND = re.compile(r"\\(?P<command>input|include|subfile)(?![A-Za-z@])\s*(?:\{(?P<name>[^{}\\#\n]+)\}|(?P<bare>[^\s{}\\#$%&]+))")
_DEFINED = re.compile(r"\\(?:newcommand|renewcommand|def|let)\b[^\n]*")
_BODY = re.compile(r"\\begin\s*\{document\}(?P<body>[\s\S]*?)\\end\s*\{document\}")
_MOST = 1000
"""How many files a document may take in: two that each take in the next one twice would be read for ever."""


@dataclass(slots=True)
class _Reader:
    folder: Path
    found: Diagnostics
    files: list[SourceFile] = field(default_factory=list)
    out: TextBuilder = field(default_factory=TextBuilder)
    count: int = 0

    def copy(self, file: SourceFile, start: int, end: int, around: tuple[tuple[Path, Span], ...]) -> None:
        """Characters of a file, and of those that it takes in."""
        comments, verbatim = find_ignored(file.text)
        text = blank(file.text, sorted(comments + verbatim))
        position = start
        for match in _COMMAND.finditer(text, start, end):
            line = text.rfind("\n", 0, match.start()) + 1
            if _DEFINED.search(text, line, match.start()):
                continue
            self.out.copy(file, position, match.start())
            position = match.end()
            self._include(match, Span(file.name, *match.span()), around)
        self.out.copy(file, position, end)

    def _include(self, match: re.Match[str], span: Span, around: tuple[tuple[Path, Span], ...]) -> None:
        name = (match["name"] or match["bare"]).strip()
        path = self._find(name, span)
        if path is None:
            return
        first = next((at for at, _ in around if at == path), None)
        self.count += 1
        if first is not None or self.count > _MOST:
            taken = next((place for at, place in around if at == path and place.end), None)
            labels = [] if taken is None else [Label(taken, "it is taken in here first")]
            message = f"`{name}` takes itself in" if first is not None else f"this document takes in more than {_MOST} files"
            self.found.add(error("E0119", message, span, labels=labels, help="take the line out of one of the files"))
            return
        file = self._read(path, name, span)
        if file is not None:
            body = _BODY.search(file.text) if match["command"] == "subfile" else None
            self.copy(file, *((0, len(file.text)) if body is None else body.span("body")), (*around, (path, span)))

    def _find(self, name: str, span: Span) -> Path | None:
        """The path of a file with this name, or the name and `.tex`."""
        written = PurePosixPath(name)
        if written.is_absolute() or ".." in written.parts or "~" in written.parts[:1]:
            message = f"`{name}` lies outside of the folder of the document"
            help = "put the file beside the document, or name both: `mathdsl compile FILE DOCUMENT`"
            self.found.add(error("E0119", message, span, help=help))
            return None
        for candidate in (self.folder / f"{name}.tex", self.folder / name):
            if candidate.is_file():
                return candidate
        self.found.add(error("E0119", f"there is no file `{name}` beside the document", span, help=f"it would be {self.folder / name}.tex"))
        return None

    def _read(self, path: Path, name: str, span: Span) -> SourceFile | None:
        known = next((file for file in self.files if file.name == str(path)), None)
        if known is not None:
            return known
        try:
            file = decode(str(path), path.read_bytes(), self.found)
        except OSError as problem:
            self.found.add(error("E0119", f"`{name}` cannot be read: {problem.strerror}", span))
            return None
        self.files.append(file)
        return file


def with_included(file: SourceFile, found: Diagnostics) -> tuple[MappedText, tuple[SourceFile, ...]]:
    """The text of a file with those that it takes in, and these files; what cannot be read is reported."""
    path = Path(file.name)
    if _COMMAND.search(file.text) is None or not path.is_file():
        return map_file(file), ()
    reader = _Reader(path.parent, found)
    reader.copy(file, 0, len(file.text), ((path, Span(file.name, 0, 0)),))
    return reader.out.build(), tuple(reader.files)
