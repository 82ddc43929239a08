r"""Calls of modules: submodules that are declared (`f^{\ell}(x)`), and module types that are called by name (`\Layer(x)`)."""

from __future__ import annotations

from mathdsl.diagnostics.model import Label, MathdslError
from mathdsl.elaborate.declare.signatures import Signature, find_signature
from mathdsl.elaborate.names.entries import PartArguments, SubmoduleEntry
from mathdsl.elaborate.names.lookups import own_setting, shared_setting
from mathdsl.elaborate.names.names import NO_NAME, Name, readable, spelling_of
from mathdsl.elaborate.names.python_names import snake_case
from mathdsl.elaborate.names.spelling import unaccent
from mathdsl.elaborate.report import refuse, unsupported
from mathdsl.elaborate.terms.indices import as_poly
from mathdsl.elaborate.terms.reader import Reader
from mathdsl.elaborate.terms.terms import CallResult, CallSite, Faulty, Term, TupleTerm
from mathdsl.ir.sizes import Poly
from mathdsl.spans import Span
from mathdsl.syntax import nodes as ast


def call_submodule(reader: Reader, spelling: Name, at: ast.Expression | None, items: tuple[ast.Expression, ...], span: Span) -> Term:
    """`T_f(x, h)`, `f^{\\ell}(x)`."""
    if spelling in reader.entries.module_aliases and at is None:
        stack, element = reader.entries.module_aliases[spelling]
        return _call(reader, reader.entries.submodules[stack], element, items, span)
    entry = reader.entries.submodules[spelling]
    entry.used = True
    if entry.is_stack and at is None:
        raise refuse(
            "E0603",
            f"`{entry.latex}` is a stack of modules, and which one is called is not said",
            span,
            help=rf"write `{entry.latex}^{{\ell}}(…)`",
        )
    if not entry.is_stack and at is not None:
        raise refuse("E0603", f"`{entry.latex}` is one module, not a stack", span, help="declare it with an index, or call it without one")
    position = None if at is None else as_poly(reader, at)
    if at is not None and position is None:
        raise refuse("E0603", "which element of the stack is called must be an index", at.span)
    return _call(reader, entry, position, items, span)


def call_type(reader: Reader, name: str, subscripts: tuple[ast.Expression, ...], items: tuple[ast.Expression, ...], span: Span) -> Term:
    """A module called by its type: the call makes its own instance, named by the type."""
    signature = find_signature(reader.written.around.signatures, name)
    assert signature is not None
    if reader.written.is_function and signature.needs_instance:
        raise in_a_function(f"a call of `{signature.name}`, which owns parameters,", span)
    entry = _instance(reader, signature, subscripts, span)
    entry.used = True
    return _call(reader, entry, None, items, span)


def in_a_function(what: str, span: Span) -> MathdslError:
    """What only a module can hold stands in a function of the document."""
    return unsupported(f"{what} in a function outside every module", span, help=r"make the function a module, `\Module{Name}{x ; }`")


def _instance(reader: Reader, signature: Signature, subscripts: tuple[ast.Expression, ...], span: Span) -> SubmoduleEntry:
    stem = snake_case(signature.name)
    number = 1
    if subscripts:
        if len(subscripts) != 1 or not isinstance(subscripts[0], ast.Number):
            raise unsupported(
                "a subscript on a module that is no number",
                span,
                help=r"declare a stack, as in `f^{\ell} \in \mathrm{LayerNorm}(d), \ell = 1, \dots, n`, and call `f^{\ell}(x)`",
            )
        number = int(subscripts[0].text)
    else:
        while _instance_name(stem, number) in reader.entries.submodules:
            number += 1
    path = _instance_name(stem, number)
    if path in reader.entries.submodules:
        return reader.entries.submodules[path]
    if path in reader.entries.sizes or (path, False) in reader.entries.symbols:
        advice = rf"give it a name in a table, as in `f \in \mathrm{{{signature.name}}}(…)`, and call `f(…)`"
        raise unsupported(f"a module `{signature.name}` that is called by its type beside a symbol `{path}`", span, help=advice)
    arguments: list[tuple[str, Poly | Term]] = [(size, reader.types.solver.fresh()) for size in signature.hyperparameters]
    passed = [s for s in signature.settings if s.default is None or own_setting(reader, s) is not None]
    arguments += [(s.name, shared_setting(reader, s, span)) for s in passed]
    latex = signature.name if number == 1 and not subscripts else readable(Name(signature.name).labelled((Name(str(number)),)))
    parts = [PartArguments(None, tuple(arguments))]
    entry = SubmoduleEntry(path, reader.entries.names.name(path), signature, parts=parts, latex=latex, span=span, automatic=True)
    reader.entries.submodules[path] = entry
    return entry


def _instance_name(stem: str, number: int) -> Name:
    return Name(stem if number == 1 else f"{stem}_{number}")


def _call(reader: Reader, entry: SubmoduleEntry, at: Poly | None, items: tuple[ast.Expression, ...], span: Span) -> Term:
    if entry.signature is not None and entry.signature.is_faulty:
        reader.findings.calls_faulty = True
        for item in items:
            reader.resolve(item.value if isinstance(item, ast.Keyword) else item)
        return Faulty(span=span)
    arguments = _opaque_arguments(reader, items) if entry.signature is None else _arguments(reader, entry.signature, items, span)
    site = CallSite(entry.spelling, at, arguments, reader.binders, span)
    reader.terms.calls.append(site)
    if entry.signature is None or not entry.signature.returns_tuple:
        return CallResult(site, 0, span=span)
    return TupleTerm(tuple(CallResult(site, k, span=span) for k in range(len(entry.signature.results))), span=span)


def _opaque_arguments(reader: Reader, items: tuple[ast.Expression, ...]) -> tuple[tuple[str, Term], ...]:
    for item in items:
        if isinstance(item, ast.Keyword):
            raise unsupported(
                "a named argument of a module that is not in this document",
                item.span,
                help="give the value alone, by its place among the arguments",
            )
    return tuple((str(k), reader.resolve(item)) for k, item in enumerate(items))


def _arguments(reader: Reader, signature: Signature, items: tuple[ast.Expression, ...], span: Span) -> tuple[tuple[str, Term], ...]:
    """Arguments by position, then by name."""
    given: dict[str, Term] = {}
    names = [i.spelling for i in signature.inputs]
    flat = _flatten(signature, items)
    for position, item in enumerate(flat):
        if isinstance(item, ast.Keyword):
            name = spelling_of(unaccent(item.name)) or NO_NAME
            found = next((i for i in signature.inputs if i.spelling == name), None)
            if found is None:
                raise _mismatch(signature, items, f"`{signature.name}` has no input `{readable(name)}`", item.span)
            if found.array.name in given:
                raise refuse("E0602", f"`{readable(name)}` is given twice", item.span)
            given[found.array.name] = reader.resolve(item.value)
        elif position >= len(names):
            raise _mismatch(signature, items, f"`{signature.name}` takes {len(names)} arguments, and {len(flat)} are given", span)
        else:
            given[signature.inputs[position].array.name] = reader.resolve(item)
    missing = [i.spelling for i in signature.inputs if i.array.name not in given and not i.optional]
    if missing:
        lacking = ", ".join(f"`{readable(m)}`" for m in missing)
        raise _mismatch(signature, items, f"the call of `{signature.name}` does not give {lacking}", span)
    return tuple((i.array.name, given[i.array.name]) for i in signature.inputs if i.array.name in given)


def _flatten(signature: Signature, items: tuple[ast.Expression, ...]) -> tuple[ast.Expression, ...]:
    """The arguments, with those taken apart that stand together in parentheses in the header, too."""
    flat: list[ast.Expression] = []
    for item in items:
        parts = item.items if isinstance(item, ast.Group) and not any(isinstance(part, ast.Dots) for part in item.items) else ()
        if len(parts) > 1 and signature.tuples.get(len(flat)) != len(parts):
            what = f"`{signature.name}` takes one value here, and these are {len(parts)} in parentheses of their own"
            raise _mismatch(signature, items, what, item.span)
        flat.extend(parts if len(parts) > 1 else (item,))
    return tuple(flat)


def _mismatch(signature: Signature, items: tuple[ast.Expression, ...], message: str, span: Span) -> Exception:
    wanted = ", ".join(readable(i.spelling) + (" (optional)" if i.optional else "") for i in signature.inputs)
    given = ", ".join(
        readable(spelling_of(i.name) or Name("?")) if isinstance(i, ast.Keyword) else f"argument {k + 1}" for k, i in enumerate(items)
    )
    places = tuple(Label(i.array.span, "declared here") for i in signature.inputs[:1] if i.array.span.file)
    return refuse(
        "E0602",
        message,
        span,
        labels=places,
        notes=(f"it is called with ({given})", f"`{signature.name}` takes ({wanted})"),
        help="give each input that has no default, by position or by name",
    )


def values_for(value: Term, count: int, names: Span) -> tuple[Term, ...]:
    """The values that so many names are given; a mistake where there are not as many."""
    if isinstance(value, TupleTerm) and len(value.items) == count:
        return value.items
    found = len(value.items) if isinstance(value, TupleTerm) else 1
    raise refuse(
        "E0409",
        f"{found} value{'s' if found != 1 else ''} cannot be unpacked into {count} names",
        names,
        label=f"{count} names",
        labels=(Label(value.span, f"{found} value{'s' if found != 1 else ''}"),),
        help="write a name for each value",
    )
