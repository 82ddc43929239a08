r"""A class that its docstring describes by equations, as a module: which symbols are inputs, settings and parameters, what it returns.

    i = \sigma(W_{ii} x + b_{ii} + W_{hi} h + b_{hi}) … c' = f \odot c + i \odot g \\ h' = o \odot \tanh(c')
    → \Module{LSTMCell}{x, h, c ; W_{ii}, b_{ii}, …} … \Return (h', c')

Inputs are the arguments of the function that the equations define, or, where they define values, the symbols on right sides of which
nothing else is said, in order of appearance. What is said are arguments with their defaults, constants, and learnable parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from mathdsl.dataclass import dataclass
from mathdsl.diagnostics import Diagnostics, Label, MathdslError, error, note
from mathdsl.source.class_docstrings import letters_of
from mathdsl.source.model import ClassFacts, Setting
from mathdsl.spans import Span
from mathdsl.syntax.build_names import place
from mathdsl.syntax.display.tex import render_expression
from mathdsl.syntax.nodes import (
    Accent,
    Declaration,
    Definition,
    Dots,
    Expression,
    Group,
    Identifier,
    Indexing,
    Juxtaposition,
    Negative,
    Node,
    Number,
    Procedure,
    Reduction,
    Relation,
    Return,
    Scripts,
    Statement,
)
from mathdsl.syntax.traversal import children, descendants
from mathdsl.vocabulary import VOCABULARY

_RESERVED = frozenset({"e", r"\pi", r"\infty", "I", r"\top", r"\intercal"})
_ADVICE = (
    r"say in a `.. math::` block of the docstring what is computed of what: "
    r"`& \algoProc{\Name}\pa{x} \\ … & \algoReturn y \\ & \algoEndProc`"
)


def build_class(nodes: Sequence[Any], facts: ClassFacts, diagnostics: Diagnostics) -> tuple[Any, ...]:
    """The module, alone; nothing where it was reported why there is none."""
    definitions = [node for node in nodes if isinstance(node, Definition)]
    if diagnostics.has_errors():
        return ()
    try:
        return (_module(definitions, facts, diagnostics),)
    except MathdslError as mistake:
        for diagnostic in mistake.diagnostics:
            diagnostics.add(diagnostic)
        return ()


@dataclass(frozen=True, slots=True)
class _Roles:
    """The symbols that no equation defines, each in order of appearance."""

    inputs: tuple[Expression, ...]
    settings: tuple[tuple[Expression, Setting], ...]
    constants: tuple[tuple[Expression, Setting], ...]
    parameters: tuple[Expression, ...]


def _module(definitions: list[Definition], facts: ClassFacts, diagnostics: Diagnostics) -> Procedure:
    _check_defined_once(definitions, facts)
    functions = [(node, called) for node in definitions if (called := _called(node.target)) is not None]
    if len(functions) > 1:
        names = " and ".join(f"`{_text(callee)}`" for _, (callee, _) in functions[:2])
        raise _undecided(f"these equations define the functions {names}", functions[1][0].target.span, facts)
    values = [node for node in definitions if _called(node.target) is None]
    arguments = functions[0][1][1] if functions else None
    roles = _roles(definitions, arguments, facts)
    _check_inputs(roles, facts)
    result = functions[0][0].value if functions else _result(values, roles, facts)
    real = Identifier("R", "mathbb", span=facts.span) if facts.is_elementwise else None
    constants = [Definition(symbol, _number(row), span=symbol.span) for symbol, row in roles.constants]
    body: tuple[Statement, ...] = (*constants, *values, Return(result, span=result.span))
    owned = (*(Declaration((symbol,), real, span=symbol.span) for symbol in roles.parameters), *(_setting(*row) for row in roles.settings))
    inputs = tuple(Declaration((symbol,), real, span=symbol.span) for symbol in roles.inputs)
    diagnostics.add(_note(facts, roles, result))
    return Procedure(facts.name, "module", inputs, owned, body, name_span=facts.span, span=place(definitions))


def _check_defined_once(definitions: Sequence[Definition], facts: ClassFacts) -> None:
    first: dict[str, Span] = {}
    for node in definitions:
        called = _called(node.target)
        name = _text(node.target if called is None else called[0])
        if name in first:
            labels = [Label(first[name], "and here")]
            raise _undecided(f"the docstring of `{facts.name}` defines `{name}` twice", node.target.span, facts, labels)
        first[name] = node.target.span
    if not definitions:
        raise _undecided(f"the docstring of `{facts.name}` has no equation that defines something", facts.span, facts)


def _called(target: Expression) -> tuple[Expression, tuple[Expression, ...]] | None:
    r"""Function and arguments of `\text{Tanh}(x)`."""
    match target:
        case Juxtaposition((callee, Group(items))):
            return callee, items
        case _:
            return None


# ---- symbols -------------------------------------------------------------------------------------


def _roles(definitions: Sequence[Definition], arguments: tuple[Expression, ...] | None, facts: ClassFacts) -> _Roles:
    indices = frozenset(index for node in definitions for index in _indices(node))
    words = frozenset(letters for row in (*facts.settings, *facts.constants) for letters in row.letters)
    defined = {_text(node.target) for node in definitions}
    inputs = [] if arguments is None else list(arguments)
    if arguments is not None and (wrong := next((a for a in arguments if not _is_symbol(a, indices)), None)) is not None:
        raise _undecided("this argument is no symbol of its own", wrong.span, facts)
    settings: list[tuple[Expression, Setting]] = []
    constants: list[tuple[Expression, Setting]] = []
    parameters: list[Expression] = []
    free = {_text(symbol): symbol for node in definitions for symbol in _symbols(node.value, _Known(indices, words))[::-1]}
    for name, symbol in sorted(free.items(), key=lambda item: item[1].span.start):
        letters = letters_of(name)
        if name in defined or any(name == _text(argument) for argument in inputs):
            continue
        if letters in facts.learnable:
            parameters.append(symbol)
        elif (found := _said(facts.settings, letters)) is not None:
            settings.append((symbol, found))
        elif (found := _said(facts.constants, letters)) is not None:
            constants.append((symbol, found))
        elif _is_attribute(symbol, letters, facts.attributes):
            parameters.append(symbol)
        elif (whole := next((a for a in arguments or () if isinstance(a, Scripts) and _text(a.base) == name), None)) is not None:
            raise _undecided(f"`{_text(whole)}` is one element, and the equation reads others of `{name}`", whole.span, facts)
        elif arguments is None:
            inputs.append(symbol)
        else:
            raise _undecided(f"the docstring of `{facts.name}` does not say what `{name}` is", symbol.span, facts)
    return _Roles(tuple(inputs), tuple(settings), tuple(constants), tuple(parameters))


def _said(rows: Iterable[Setting], letters: str) -> Setting | None:
    return next((row for row in rows if letters in row.letters), None)


def _is_attribute(symbol: Expression, letters: str, attributes: Sequence[str]) -> bool:
    """Whether a class with a `weight` and a `bias` owns the symbol: weights are capital letters, biases are called `b`, neither upright."""
    base = symbol.base if isinstance(symbol, Scripts) else symbol
    is_letter = isinstance(base, Identifier) and base.font not in ("mathrm", "text", "operatorname")
    kind = "weight" if is_letter and letters[0].isupper() else "bias" if letters.partition("_")[0] == "b" else ""
    return bool(kind) and any(attribute.startswith(kind) for attribute in attributes) or letters in attributes


@dataclass(frozen=True, slots=True)
class _Known:
    """Letters that count, and the words that are names: any other word is the product of its letters."""

    indices: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


def _symbols(node: Node, known: _Known) -> list[Expression]:
    """The symbols in an expression with their scripts, but for indices and what is called."""
    indices = known.indices
    match node:
        case Scripts(base, subscripts, superscript) if isinstance(base, Identifier | Accent):
            named = _without_indices(node, indices)
            below = [symbol for script in subscripts if not isinstance(named, Scripts) for symbol in _symbols(script, known)]
            power = [] if superscript is None or _is_transpose(superscript) else _symbols(superscript, known)
            return [*_letters(named, known), *below, *power]
        case Identifier() | Accent():
            return _letters(node, known)
        case Juxtaposition(factors):
            called = {at for at, (one, after) in enumerate(pairwise(factors)) if _is_call(one, after)}
            return [symbol for at, factor in enumerate(factors) if at not in called for symbol in _symbols(factor, known)]
        case _:
            return [symbol for child in children(node) for symbol in _symbols(child, known)]


def _letters(symbol: Expression, known: _Known) -> list[Expression]:
    """The symbol, or the factors of a word that nobody names: `x` and `A` of `xA^T`."""
    match symbol:
        case Identifier(text, "") if len(text) > 1 and text.isalpha() and text not in known.words:
            return [Identifier(letter, span=symbol.span) for letter in text]
        case _:
            return [symbol] if _is_symbol(symbol, known.indices) else []


def _without_indices(node: Scripts, indices: frozenset[str]) -> Expression:
    """`x` of `x_n` and of `x^2`, `W_{ih}` of itself: what the symbol is called."""
    labels = tuple(script for script in node.subscripts if _text(script) not in indices and not isinstance(script, Dots))
    if len(labels) < len(node.subscripts):
        return node.base
    return replace(node, superscript=None) if node.subscripts else node.base


def _is_symbol(node: Expression, indices: frozenset[str]) -> bool:
    match node:
        case Identifier(text):
            is_function = text in VOCABULARY and VOCABULARY[text].kind not in ("letter", "sign")
            return text not in _RESERVED and text not in indices and not is_function
        case Accent():
            return True
        case Scripts(base, subscripts, None):
            return _is_symbol(base, indices) and not any(_text(script) in indices for script in subscripts)
        case _:
            return False


def _is_call(one: Expression, after: Expression) -> bool:
    r"""`\sigma(x)`, `\text{Tanh}(x)`: a word or a reserved letter before a parenthesis."""
    is_word = isinstance(one, Identifier) and (len(one.text) > 1 and not one.text.startswith("\\") or one.text in (r"\sigma", r"\Gamma"))
    return is_word and isinstance(after, Group)


def _is_transpose(script: Expression) -> bool:
    return isinstance(script, Identifier) and script.text in (r"\top", r"\intercal", "T")


def _indices(node: Definition) -> Iterable[str]:
    """Letters that count: those of sums, of domains, and of the left side where a right side has them too."""
    for below in descendants(node):
        if isinstance(below, Reduction) and below.subscript is not None:
            first = below.subscript.operands[0] if isinstance(below.subscript, Relation) else below.subscript
            yield from (_text(item) for item in (first.items if isinstance(first, Group) else (first,)))
    match node.target:
        case Scripts(_, subscripts) | Indexing(_, subscripts):
            right = {_text(script) for below in descendants(node.value) if isinstance(below, Scripts) for script in below.subscripts}
            yield from (name for script in subscripts if (name := _text(script)) in right and len(letters_of(name)) == 1)
        case _:
            pass


# ---- what comes of it ----------------------------------------------------------------------------


def _check_inputs(roles: _Roles, facts: ClassFacts) -> None:
    if facts.inputs and len(facts.inputs) != len(roles.inputs):
        told = ", ".join(f"`{name}`" for name in facts.inputs)
        seen = ", ".join(f"`{_text(symbol)}`" for symbol in roles.inputs) or "none"
        raise _undecided(f"the docstring of `{facts.name}` names the inputs {told}, its equations have {seen}", facts.span, facts)


def _result(values: Sequence[Definition], roles: _Roles, facts: ClassFacts) -> Expression:
    """What the docstring calls the outputs, told by their letters; where it names none, what no other equation reads."""
    targets = {_text(node.target): node.target for node in values}
    named = [found[0] for name in facts.outputs if len(found := [text for text in targets if _family(text) == _family(name)]) == 1]
    if not facts.outputs or len(named) < len(facts.outputs):
        read = {_text(symbol) for node in values for symbol in _symbols(node.value, _Known())}
        named = [text for text in targets if text not in read]
    if not named:
        raise _undecided("each of these values is read by another equation: none is the result", values[0].target.span, facts)
    results = tuple(targets[name] for name in named)
    return results[0] if len(results) == 1 else Group(results, span=place(results))


def _family(name: str) -> str:
    """`h` of `h'` and of `h_1`, which stand for the same new state."""
    return letters_of(name).replace("'", "").partition("_")[0]


def _number(row: Setting) -> Expression:
    number = Number(row.value.removeprefix("-"), span=row.span)
    return Negative(number, span=row.span) if row.value.startswith("-") else number


def _setting(symbol: Expression, row: Setting) -> Declaration:
    infinite = Identifier(r"\infty", span=row.span)
    reals = Group((Negative(infinite, span=row.span), infinite), span=row.span)
    return Declaration((symbol,), reals, _number(row) if row.value else None, span=symbol.span)


def _note(facts: ClassFacts, roles: _Roles, result: Expression) -> Any:
    said = {
        "inputs": [_text(symbol) for symbol in roles.inputs],
        "parameters": [_text(symbol) for symbol in roles.parameters],
        "settings": [f"{_text(symbol)} = {row.value}" if row.value else _text(symbol) for symbol, row in roles.settings],
        "constants": [f"{_text(symbol)} = {row.value}" for symbol, row in roles.constants],
        "result": [_text(result)],
    }
    notes = [f"{kind}: {', '.join(f'`{name}`' for name in names)}" for kind, names in said.items() if names]
    return note("N0201", f"`{facts.name}` is read from the equations of its docstring", facts.span, notes=notes)


def _undecided(message: str, span: Span, facts: ClassFacts, labels: Sequence[Label] = ()) -> MathdslError:
    return MathdslError(error("E0230", message, span, labels=labels, help=_ADVICE.replace("Name", facts.name)))


def _text(node: Expression) -> str:
    return render_expression(node)
