"""Programs made small while they still disagree: statements, declarations and results go, expressions become their parts."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from typing import Any

from .law import Sizes, Verdict, hold
from .meaning import Undefined
from .soundness import is_sound
from .trees import NODES, STATEMENTS, Name, NothingFits, Number, Program, Ref, children, rank_of, walk


def shrink(program: Program, sizes: Sizes, verdict: Verdict, seconds: float = 30.0) -> tuple[Program, Verdict]:
    """The smallest program found in the time that is wrong in the same way, and its verdict."""
    end = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for candidate in smaller(program):
            if time.monotonic() > end:
                break
            found = try_program(candidate, sizes)
            if found is not None and found.kind == "wrong" and kind_of(found) == kind_of(verdict):
                program, verdict, changed = candidate, found, True
                break
    return program, verdict


def kind_of(verdict: Verdict) -> str:
    """What sort of disagreement it is: of values, of gradients, a traceback."""
    said = verdict.said
    if "breaks" in said:
        return said.split(":")[0] + said.rsplit("\n", 1)[-1][:40]
    return said.split(":")[0] + (":gradient" if "gradient" in said else ":values" if "values" in said else "")


def try_program(program: Program, sizes: Sizes) -> Verdict | None:
    """The verdict about a candidate; None where it has no meaning of its own."""
    if not program.results or not is_sound(program):
        return None
    try:
        return hold(program, sizes)
    except (Undefined, NothingFits, ValueError, KeyError, IndexError, RuntimeError):
        return None


def smaller(program: Program) -> Iterator[Program]:
    """Programs with one thing less, the largest steps first."""
    for k in range(len(program.results)):
        if len(program.results) > 1:
            yield dataclasses.replace(program, results=(*program.results[:k], *program.results[k + 1 :]))
    for statements in without_one(program.statements):
        yield dataclasses.replace(program, statements=statements)
    read = names_read(program)
    for k, declaration in enumerate(program.declarations):
        if declaration.name not in read:
            yield dataclasses.replace(program, declarations=(*program.declarations[:k], *program.declarations[k + 1 :]))
    if program.order:
        yield dataclasses.replace(program, order=0)
    for changed in simpler(program.statements):
        yield dataclasses.replace(program, statements=changed)
    for k, declaration in enumerate(program.declarations):
        if declaration.style not in ("ranged", "plain"):
            plain = dataclasses.replace(declaration, style="ranged" if declaration.axes else "plain")
            yield dataclasses.replace(program, declarations=(*program.declarations[:k], plain, *program.declarations[k + 1 :]))


def names_read(program: Program) -> set[Name]:
    """All names that statements and results mention."""
    found = {node.name for node in walk(program) if isinstance(node, Ref)}
    for node in walk(program):
        if isinstance(node, STATEMENTS):
            found |= {item for item in children(node) if isinstance(item, Name)}
    return found


def without_one(statements: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Each statement left out, or replaced by what is inside it."""
    for k, statement in enumerate(statements):
        before, after = statements[:k], statements[k + 1 :]
        yield (*before, *after)
        for field in ("then", "otherwise", "body"):
            inner = getattr(statement, field, None)
            if isinstance(inner, tuple) and inner:
                if field != "body":
                    yield (*before, *inner, *after)
                for fewer in without_one(inner):
                    if fewer or field == "otherwise":
                        yield (*before, dataclasses.replace(statement, **{field: fewer}), *after)


def simpler(node: Any) -> Iterator[Any]:
    """A tree with one expression replaced by a part of it of the same rank, or by a number."""
    if isinstance(node, tuple):
        for k, item in enumerate(node):
            for changed in simpler(item):
                yield (*node[:k], changed, *node[k + 1 :])
        return
    if not dataclasses.is_dataclass(node):
        return
    if isinstance(node, NODES):
        rank = rank_of(node)
        for part in walk(node):
            if part is not node and isinstance(part, NODES) and rank_of(part) == rank:
                yield part
        if rank == 0 and not isinstance(node, Number):
            yield Number("2", 2.0)
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        if isinstance(value, tuple) or dataclasses.is_dataclass(value):
            for changed in simpler(value):
                yield dataclasses.replace(node, **{field.name: changed})
