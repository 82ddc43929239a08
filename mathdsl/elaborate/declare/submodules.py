"""Declared submodules: single ones, stacks, and opaque ones that the constructor takes."""

from __future__ import annotations

from mathdsl.elaborate.declare.signatures import Signature
from mathdsl.elaborate.declare.written_types import ModuleType
from mathdsl.elaborate.names.entries import PartArguments, SubmoduleEntry
from mathdsl.elaborate.names.lookups import shared_setting
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of
from mathdsl.elaborate.names.python_names import PythonNames
from mathdsl.elaborate.report import refuse
from mathdsl.elaborate.terms.indices import as_poly
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import Term
from mathdsl.ir.nodes import Range
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


def declare_submodule(
    reader: Reader, spelling: Name, axes: tuple[Range | Poly | None, ...], written: ModuleType, source: ast.Declaration, span: Span
) -> None:
    r"""`T_f \in \mathrm{T}(d_x, d_h)`, `f^{\ell} \in \mathrm{Layer}(d), \ell = 1, \dots, n`, `f^1 \in …`."""
    bounds: Range | None = None
    if axes:
        axis = axes[-1]
        if axis is None:
            raise refuse("E0505", "the range of this index is not given", span, help=r"add it to the row, as in `t = 1, \dots, S`")
        bounds = axis if isinstance(axis, Range) else Range(axis, axis)
    elif written.count is not None:
        bounds = Range(Poly.of(reader.written.base), written.count + (reader.written.base - 1))
    part = PartArguments(
        bounds, _arguments(reader, written.signature, written.arguments, source.type.span if source.type is not None else span)
    )
    entry = reader.entries.submodules.get(spelling)
    if entry is None:
        path, shown = reader.entries.names.name(spelling), readable(spelling)
        entry = SubmoduleEntry(spelling, path, written.signature, bounds is not None, [part], source.description, shown, span)
        reader.entries.submodules[spelling] = entry
        return
    if bounds is None or not entry.is_stack or entry.signature is None or entry.signature.name != written.signature.name:
        raise refuse(
            "E0303",
            f"`{readable(spelling)}` is declared twice, differently",
            span,
            help="the rows of a stack are of one type and have ranges",
        )
    entry.parts.append(part)
    entry.description = entry.description or source.description


def _arguments(reader: Reader, signature: Signature, items: tuple[ast.Expression, ...], span: Span) -> tuple[tuple[str, Poly | Term], ...]:
    """Constructor arguments by position or name: sizes, then settings."""
    if signature.is_faulty:
        reader.findings.calls_faulty = True
        return ()
    names = (*signature.hyperparameters, *(s.name for s in signature.settings))
    found: dict[str, Poly | Term] = {}
    for position, item in enumerate(items):
        value = item.value if isinstance(item, ast.Keyword) else item
        name = _argument_name(reader, item, position, names, signature)
        if name in found:
            raise refuse("E0602", f"`{name}` is given twice", item.span)
        if name in signature.hyperparameters:
            size = as_poly(reader, value, True)
            if size is None:
                raise refuse("E0403", f"`{name}` of `{signature.name}` is a size", value.span)
            found[name] = size
        else:
            found[name] = reader.resolve(value)
    for name, default in signature.size_defaults:
        found.setdefault(name, Poly.of(default))
    for name in signature.hyperparameters:
        if name not in found:
            raise refuse(
                "E0602",
                f"`{signature.name}` needs the size `{name}`",
                span,
                notes=(f"its arguments are ({', '.join(names)})",),
                help="give it in the type",
            )
    for setting in signature.settings:
        if setting.default is None and setting.name not in found:
            found[setting.name] = shared_setting(reader, setting, span)
    return tuple((name, found[name]) for name in names if name in found)


def _argument_name(reader: Reader, item: ast.Expression, position: int, names: tuple[str, ...], signature: Signature) -> str:
    if isinstance(item, ast.Keyword):
        spelling = spelling_of(item.name) or NO_NAME
        from_spelling = PythonNames().name(spelling)
        if from_spelling in names:
            return from_spelling
        raise refuse(
            "E0602",
            f"`{signature.name}` has no argument `{readable(spelling)}`",
            item.span,
            notes=(f"its arguments are ({', '.join(names)})",),
        )
    if position >= len(names):
        wanted = "1 argument" if len(names) == 1 else f"{len(names)} arguments"
        known = (f"its arguments are ({', '.join(names)})",)
        raise refuse("E0602", f"`{signature.name}` takes {wanted}", item.span, notes=known, help="take this one out")
    return names[position]


def opaque_submodule(reader: Reader, spelling: Name, span: Span, description: str = "") -> None:
    """A callable whose type nobody gives: the constructor takes an `nn.Module` (a sequence of them, where it is unpacked)."""
    parts: list[PartArguments] = []
    count = reader.written.usage.unpacked.get(spelling)
    if count is not None:
        parts = [PartArguments(Range(Poly.of(0), Poly.of(count - 1)), ())]
    path, latex = reader.entries.names.name(spelling), readable(spelling)
    reader.entries.submodules[spelling] = SubmoduleEntry(spelling, path, None, count is not None, parts, description, latex, span)
