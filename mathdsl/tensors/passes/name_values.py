r"""Names for the locals that passes made, and for inputs without their padding.

Before → after::

    x_padded = mask(x, S, t, 0.0)        →      x = mask(x, S, t, 0.0)            where nothing reads the padding of `x`
    ?1 = lookup(E, x_padded)             →      E_x = lookup(E, x)
    ?2 = product(j: a * V)               →      result = product(j: a * V)        where the next statement returns it
    return mask(?2, n, i, 0.0)                  return mask(result, n, i, 0.0)
    # \Return h; return h                 →      return h                          which needs no equation above it

A formula's name is made of the names in it: `E_x`, `w_is_pad`, `t_minus_1`. What is called by the author keeps its name, and an input
whose padding something reads keeps a name for what has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mathdsl.ir.sizes import Poly
from mathdsl.tensors import statements as st
from mathdsl.tensors import values as va
from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import Let, Statement, TensorProgram
from mathdsl.tensors.traversal import assigned, bodies, children, renamed, values_of
from mathdsl.tensors.values import Local, Value

_MOST = 24  # characters of a name that says more than `part`
_PLAIN = "part"
_OPERATORS = {
    "add": "plus",
    "sub": "minus",
    "mul": "times",
    "div": "over",
    "mod": "mod",
    "pow": "to_the",
    "and": "and",
    "or": "or",
    "equal": "is",
    "close": "is",
    "not_equal": "is_not",
    "less": "below",
    "less_equal": "at_most",
    "within": "at_most",
    "greater": "above",
    "greater_equal": "at_least",
    "not": "not",
    "neg": "minus",
}


def name_values(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program with a name for each local."""
    statements, sources = _without_padding(program)
    made = {name for statement in statements for name in assigned(statement)}
    given = dict(sources)
    for local, source in sources.items():  # what is made of it
        given.update((name, names.fresh(source + name.removeprefix(local))) for name in sorted(made) if name.startswith(f"{local}_"))
    _name(statements, _results(statements), names, given)
    arrays = tuple((array, given.get(local, local)) for array, local in program.arrays)
    return replace(program, arrays=arrays, statements=tuple(renamed(statement, given) for statement in _without_remark(statements)))


# ---- inputs without their padding ------------------------------------------------------------------


def _without_padding(program: TensorProgram) -> tuple[list[Statement], dict[str, str]]:
    """The statements with a statement for each mask of an input, and the input by the local for what its masks make of it.

    An input has its own name where its padding was taken away, and where only that is read.
    """
    inputs = {local.name for argument in program.arguments for _, local in argument.members}
    sources: dict[str, str] = {}
    statements: list[Statement] = []
    end = next((place for place, statement in enumerate(program.statements) if isinstance(statement, st.Blank)), 0)
    for place, statement in enumerate(program.statements):
        match statement:
            case Let(local=local, value=va.Mask() as value) if place < end and (source := _masked(value)) in inputs and source is not None:
                rest = program.statements[place + 1 :]
                if source in sources.values() or source in {name for one in rest for name in (*_reads(one), *assigned(one))}:
                    statements.append(statement)
                    continue
                sources[local.name] = source
                statements += [replace(statement, local=Local(step.form, source), value=step) for step in _steps(value, source)]
            case _:
                statements.append(statement)
    return statements, sources


def _masked(value: Value) -> str | None:
    """The local that masks alone stand around."""
    while isinstance(value, va.Mask):
        value = value.value
    return value.name if isinstance(value, Local) else None


def _steps(value: Value, source: str) -> list[va.Mask]:
    """The masks of a local from the inside out, each of what that local then is."""
    if not isinstance(value, va.Mask):
        return []
    inner = value.value
    return [*_steps(inner, source), replace(value, value=Local(inner.form, source))]


def _reads(statement: Statement) -> Iterator[str]:
    """The locals that a statement and those under it read."""
    waiting = list(values_of(statement))
    while waiting:
        value = waiting.pop()
        if isinstance(value, Local):
            yield value.name
        waiting += children(value)
    for body in bodies(statement):
        for inner in body:
            yield from _reads(inner)


# ---- results ---------------------------------------------------------------------------------------


def _without_remark(statements: list[Statement]) -> list[Statement]:
    """The statements without the equation above a return that computes nothing; what the author says of it stays."""
    match statements:
        case [*before, st.Comment(origins=origins), st.Return(value=value) as last] if _is_named(value):
            said = tuple(replace(origin, latex="", tag="") for origin in origins if origin.comment)
            return [*before, *((st.Comment(said),) if said else ()), last]
        case _:
            return statements


def _is_named(value: Value) -> bool:
    return isinstance(value, Local) or isinstance(value, va.Group) and all(map(_is_named, value.items))


# ---- formulas --------------------------------------------------------------------------------------


def _results(statements: Sequence[Statement]) -> set[str | None]:
    """What the last statement takes the padding away from."""
    last = statements[-1]
    if not isinstance(last, st.Return):
        return set()
    return {_masked(item) for item in (last.value.items if isinstance(last.value, va.Group) else (last.value,))}


def _name(statements: Sequence[Statement], results: set[str | None], names: Names, given: dict[str, str]) -> None:
    """Names for the locals of statements that have none."""
    for statement in statements:
        match statement:
            case Let(local=Local(name=local), value=value) if local.startswith("?"):
                words = _words(value, given)
                fits = bool(words) and len(words) <= _MOST and words.isidentifier()
                given[local] = names.fresh("result" if local in results else words if fits else _PLAIN)
            case _:
                pass
        for body in bodies(statement):
            _name(body, results, names, given)


def _words(value: Value, given: Mapping[str, str]) -> str:
    """A name for a value, made of what is in it; nothing where that says too little."""

    def words(inner: Value) -> str:
        return _words(inner, given)

    match value:
        case Local(name=local):
            return given.get(local, local).removesuffix("_padded")
        case va.Arange(letter=letter):
            return letter
        case va.Constant() | va.Integer():
            return _number(value, given)
        case va.Setting(name=name) | va.Owned(array=name):
            return name.rpartition(".")[2]
        case va.Own(size=size) | va.OwnValues(size=size):
            return f"{size}_each"
        case va.Map():
            return _map(value, given)
        case va.Keep(any_size=None, value=inner):
            return _joined("kept", words(inner))
        case va.At(of=inner) | va.Mask(value=inner) | va.Keep(value=inner) | va.Nonempty(value=inner) | va.CheckedIndex(index=inner):
            return words(inner)
        case va.Slice(value=inner) | va.Expand(value=inner) | va.Permute(value=inner) | va.Merge(value=inner) | va.Split(value=inner):
            return words(inner)
        case va.Flip(value=inner) | va.Narrow(value=inner) | va.OwnSelect(value=inner) | va.OwnLast(rest=inner):
            return words(inner)
        case va.Product(factors=(left, right), way=way, addend=addend):
            if way is va.Way.LINEAR:
                return _joined(words(right), words(left)) if addend is None else _joined("linear", words(left))
            return _joined(words(left), "at" if way is va.Way.MATRIX else "times", words(right))
        case va.Lookup(table=table, index=index) | va.OwnElement(table=table, index=index) | va.Take(value=table, index=index):
            return _joined(words(table), words(index))
        case va.Reduce(op=op, value=inner) | va.Along(op=op, value=inner):
            return _joined(op, words(inner))
        case va.Full(value=va.Constant(value=0 | 1 as number)):
            return "ones" if number else "zeros"
        case va.Where(condition=inner) | va.Mix(start=inner):
            return _joined(type(value).__name__.lower(), words(inner))
        case _:
            return ""


def _map(value: va.Map, given: Mapping[str, str]) -> str:
    operands = [_words(operand, given) for operand in value.operands]
    match value:
        case va.Map(
            op="equal", operands=(va.Map(op="mod", operands=(_, va.Constant(value=2))) as halved, va.Constant(value=0 | 1 as rest))
        ):
            return _joined(_words(halved.operands[0], given), "is_odd" if rest else "is_even")
        case va.Map(op=op) if op in _OPERATORS:
            return _joined(*operands[:-1], _OPERATORS[op], operands[-1])
        case va.Map(op="to_real" | "stop_gradient"):
            return operands[0]
        case va.Map(op="maximum" | "minimum", operands=(left, right)) if left.scalar or right.scalar:
            return _joined("clamp", operands[left.scalar])
        case _:
            return _joined(value.op, operands[0])


def _number(value: va.Constant | va.Integer, given: Mapping[str, str]) -> str:
    """`2`, `minus_1`, `C_plus_S`, `t_minus_1`."""
    poly = value.value
    if not isinstance(poly, Poly):
        return f"{'minus_' if poly < 0 else ''}{abs(int(poly))}" if float(poly).is_integer() else ""
    parts = {name: _words(part, given) for name, part in value.parts} if isinstance(value, va.Integer) else {}
    text = ""
    for monomial, factor in sorted(poly.terms, key=lambda term: (term[0] == (), term[1] < 0, term[0])):
        if any(power != 1 for _, power in monomial) or factor != int(factor):
            return ""
        number = [] if abs(factor) == 1 and monomial else [str(abs(int(factor)))]
        sign = "minus" if factor < 0 else "plus" if text else ""
        text = "_".join(filter(None, [text, sign, "_times_".join([*number, *(parts.get(name, name) for name, _ in monomial)])]))
    return text or "0"


def _joined(*words: str) -> str:
    """The words, if there are all."""
    return "_".join(words) if all(words) else ""
