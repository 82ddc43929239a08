"""Program texts to the AST: lexemes, lines, decided terminals, LALR parse; every mistake is a diagnostic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lark.exceptions import UnexpectedToken

from mathdsl.diagnostics import Diagnostics, InternalError, MathdslError, error, warning
from mathdsl.source.mapping import cut
from mathdsl.source.model import Chunk, MappedText, Run
from mathdsl.spans import NOWHERE, Span
from mathdsl.syntax.algorithmic import resolve_lines
from mathdsl.syntax.decide import Decision
from mathdsl.syntax.layout import Layout, Region
from mathdsl.syntax.lexemes import Lexeme, mark
from mathdsl.syntax.lexing import lex
from mathdsl.syntax.masking import find_odd_brace, find_row
from mathdsl.syntax.messages import find_statement_start, unexpected
from mathdsl.syntax.nodes import Definition, Document, Juxtaposition, Procedure, Where
from mathdsl.syntax.requirements import attach_to_next
from mathdsl.syntax.shape import check_places
from mathdsl.syntax.tables import load_parser

_FORMULA = "a formula in a description stands between dollar signs"
_IN_DESCRIPTION = {"a type": _FORMULA, "a relation": _FORMULA, "`&`": r"the sign itself is `\&`"}
_ALGORITHMS = ("PROC", "PROCEDURE", "FUNCTION")


def parse_document(chunks: Sequence[Chunk], diagnostics: Diagnostics) -> Document:
    """The AST of a document's programs, in order; what is broken is reported and left out."""
    parser = load_parser()
    lexed = [[] if chunk.kind == "prose" else lex(parser, chunk.text, is_table=chunk.kind == "where") for chunk in chunks]
    known = frozenset(name for lexemes in lexed for name in _procedure_names(lexemes))
    has_algorithms = any(lexeme.type in _ALGORITHMS for lexemes in lexed for lexeme in lexemes)
    items: list[Any] = []
    parsed: list[tuple[Any, ...]] = []
    for chunk, lexemes in zip(chunks, lexed, strict=True):
        nodes = (
            _parse_prose(chunk, known) if chunk.kind == "prose" else _parse_chunk(chunk, lexemes, known, not has_algorithms, diagnostics)
        )
        owner = _owner(items, parsed[-1]) if parsed and chunk.kind != "program" and chunk.directly_after else None
        parsed.append(nodes)
        if owner is None:
            items += check_places(_own_tables(nodes), diagnostics)
            continue
        tables = [node for node in nodes if isinstance(node, Where)]  # what else stands in a table was reported
        if isinstance(owner, Procedure):
            items[-1] = replace(owner, wheres=(*owner.wheres, *tables))
        else:
            items += [replace(table, directly_after=True) for table in tables]
    return Document(tuple(items))


def parse_text(text: str, name: str = "-") -> tuple[Document, Diagnostics]:
    """The AST of a bare program text, for tests and tools."""
    diagnostics = Diagnostics()
    chunk = Chunk("program", MappedText(text, (Run(0, Span(name, 0, len(text)), True),)))
    return parse_document([chunk], diagnostics), diagnostics


def _procedure_names(lexemes: list[Lexeme]) -> list[str]:
    return [
        "\\" + name.text.removeprefix("\\")
        for opener, brace, name in zip(lexemes, lexemes[1:], lexemes[2:], strict=False)
        if opener.type in (*_ALGORITHMS, "MODULE") and brace.type == "LBRACE"
    ]


def _owner(items: list[Any], chunk_before: tuple[Any, ...]) -> Procedure | Definition | None:
    """The one program or function of the chunk before, if that chunk ends with it."""
    programs = sum(_is_program(node) for node in chunk_before)
    last = items[-1] if items else None
    return last if programs == 1 and _is_program(last) and isinstance(chunk_before[-1], Procedure | Definition | Where) else None


def _is_program(node: Any) -> bool:
    """Whether a table directly after it is its own: a procedure or a function."""
    return isinstance(node, Procedure) or isinstance(node, Definition) and isinstance(node.target, Juxtaposition)


def _own_tables(nodes: tuple[Any, ...]) -> tuple[Any, ...]:
    """A table directly after a program's end declares for that program."""
    joined: list[Any] = []
    nodes = attach_to_next(nodes)
    for before, node in zip((None, *nodes), nodes, strict=False):
        if isinstance(node, Where) and isinstance(before, Procedure):
            joined[-1] = replace(before, wheres=(*before.wheres, node))
        elif isinstance(node, Where) and _is_program(before):
            joined.append(replace(node, directly_after=True))
        else:
            joined.append(node)
    return tuple(joined)


def _parse_chunk(chunk: Chunk, lexemes: list[Lexeme], known: frozenset[str], strict: bool, diagnostics: Diagnostics) -> tuple[Any, ...]:
    if not lexemes:
        return ()
    _check_descriptions(chunk, lexemes, diagnostics)
    if (typed := next((lexeme for lexeme in lexemes if (lexeme.type, lexeme.text) == ("DOTS", "...")), None)) is not None:
        diagnostics.add(warning("W0201", r"three typed dots are read as `\dots`", typed.span, help=r"write `\dots`, here and elsewhere"))
    if chunk.kind == "where":
        lexemes = [
            replace(mark("BEGIN", lexemes[0]), text=r"\begin{where}", span=lexemes[0].span),
            *lexemes,
            mark("END", lexemes[-1], after=True).become("END", r"\end{where}"),
        ]
    parts = Layout(resolve_lines(lexemes, diagnostics), diagnostics).run()
    return _parse(_decided(parts, known, strict, diagnostics), diagnostics)


def _check_descriptions(chunk: Chunk, lexemes: list[Lexeme], diagnostics: Diagnostics) -> None:
    """A description is text, but its braces must fit for TeX, which would read on beyond its row."""
    for lexeme in lexemes:
        if lexeme.type == "DESCRIPTION" and (at := find_odd_brace(lexeme.text)) is not None:
            span = chunk.text.span(lexeme.start + at, lexeme.start + at + 1)
            if lexeme.text[at] == "{":
                diagnostics.add(error("E0202", "`{` is not closed in this description", span, help=r"close it, or write `\{` for a brace"))
            else:
                diagnostics.add(error("E0203", "`}` closes nothing in this description", span, help=r"write `\}` for a brace"))
        elif lexeme.type == "DESCRIPTION" and (found := find_row(lexeme.text)) is not None:
            what, start, end = found
            advice = r"end the row before it with `\\`; " + _IN_DESCRIPTION[what]
            span = chunk.text.span(lexeme.start + start, lexeme.start + end)
            diagnostics.add(error("E0227", f"{what} stands in the description of a row", span, help=advice))


def _parse_prose(chunk: Chunk, known: frozenset[str]) -> tuple[Any, ...]:
    """The rows among the lines, as one table: a line that does not parse is prose."""
    rows: list[Any] = []
    position = 0
    for line in chunk.text.text.splitlines(keepends=True):
        row = Chunk("where", cut(chunk.text, position, position + len(line)))
        found = Diagnostics()
        nodes = _parse_chunk(row, lex(load_parser(), row.text, is_table=True), known, False, found)
        if not found.has_errors():
            rows += [declaration for node in nodes if isinstance(node, Where) for declaration in node.rows]
        position += len(line)
    return (Where(tuple(rows)),) if rows else ()


def _decided(parts: Sequence[Lexeme | Region], known: frozenset[str], strict: bool, diagnostics: Diagnostics) -> list[Lexeme]:
    """The parser's stream: each region decided, a region that was reported as ERROR, an empty line left out."""
    stream: list[Lexeme] = []
    empty = False
    for part in parts:
        if isinstance(part, Region):
            content = _content(part, known, strict, diagnostics)
            empty = not content
            stream += content
        elif not (empty and part.type in ("STOP", "ENDROW")):
            stream.append(part)
    return stream


def _content(region: Region, known: frozenset[str], strict: bool, diagnostics: Diagnostics) -> list[Lexeme]:
    comments = [note for note in region.notes if note.type == "COMMENT"]
    if region.broken:
        _leave_out(region.lexemes, diagnostics)
        return [Lexeme("ERROR", "", 0, 0, NOWHERE), *comments]
    decision = Decision(region, known, region.notation == "module" or (region.notation == "" and strict))
    decision.run()
    for diagnostic in decision.found:
        diagnostics.add(diagnostic)
    if decision.blocking:
        _leave_out(region.lexemes, diagnostics)
        return [Lexeme("ERROR", "", 0, 0, region.lexemes[0].span), *comments]
    return [*decision.out, *region.notes] if decision.out else comments


def _parse(stream: list[Lexeme], diagnostics: Diagnostics) -> tuple[Any, ...]:
    """Feeds the parser; after a mistake goes on at the end of the region it stands in."""
    state: Any = load_parser().parse_interactive().parser_state
    table = state.parse_conf.states
    at, resumed = 0, -1
    while at < len(stream):
        try:
            state.feed_token(stream[at])
            at += 1
        except UnexpectedToken as stop:
            diagnostic = unexpected(stream, at, frozenset(stop.expected))
            diagnostics.add(diagnostic)
            resume = find_statement_start(stream, at) if diagnostic.code == "E0207" else None
            at = _recover(state, table, stream, at, diagnostics)
            if resume is not None and resume > resumed and "STOP" in table[state.state_stack[-1]]:
                resumed = resume
                state.feed_token(mark("STOP", stream[resume]))
                at = resume
        except MathdslError as stop:
            for diagnostic in stop.diagnostics:
                if diagnostic.code != "E0217" or not any(
                    known.code == "E0201" and diagnostic.span.contains(known.span) for known in diagnostics.items
                ):
                    diagnostics.add(diagnostic)
            at = _recover(state, table, stream, at, diagnostics)
    nodes: tuple[Any, ...] = state.feed_token(Lexeme("$END", "", 0, 0, NOWHERE), True)
    return nodes


def _leave_out(lexemes: Sequence[Lexeme], diagnostics: Diagnostics) -> None:
    diagnostics.left_out.update(lexeme.text for lexeme in lexemes)


def _recover(state: Any, table: Any, stream: list[Lexeme], at: int, diagnostics: Diagnostics) -> int:
    """Back to where the region began, ERROR in its place, forward to its end."""
    while state.state_stack and "ERROR" not in table[state.state_stack[-1]]:
        state.state_stack.pop()
        if state.value_stack:
            state.value_stack.pop()
    if not state.state_stack:
        raise InternalError("the parser stopped outside every statement")
    state.feed_token(mark("ERROR", stream[at]))
    first = next((k + 1 for k in range(at - 1, -1, -1) if stream[k].type in ("STOP", "ENDROW")), 0)
    while at < len(stream) and stream[at].type not in table[state.state_stack[-1]]:
        at += 1
    _leave_out(stream[first:at], diagnostics)
    return at
