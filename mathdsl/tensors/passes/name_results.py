r"""What is returned has a name where padding is taken away from it; what has one needs no equation above it.

Before → after::

    return mask(product(j: a * V), n, i, 0.0)      →      result = product(j: a * V); return mask(result, n, i, 0.0)
    # \Return h; return h                           →      return h

A result declines that has a name already, one without padding, and several together, which may share what they compute.
"""

from __future__ import annotations

from dataclasses import replace

from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import Comment, Let, Return, TensorProgram
from mathdsl.tensors.values import At, Group, Local, Mask, Value


def name_results(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program with a local for what its last mask stands around."""
    *before, last = program.statements
    if isinstance(last, Return) and _is_named(last.value) and before and isinstance(before[-1], Comment):
        return replace(program, statements=(*before[:-1], last))
    if not isinstance(last, Return) or not isinstance(last.value, Mask):
        return program
    inner = _unmasked(last.value)
    if isinstance(inner, Local | At):
        return program
    local = Local(inner.form, names.fresh("result"))
    named = Let(local, inner, span=last.span)
    return replace(program, statements=(*before, named, replace(last, value=_around(last.value, local))))


def _is_named(value: Value) -> bool:
    """Whether a result computes nothing: locals, and groups of them."""
    return isinstance(value, Local) or isinstance(value, Group) and all(map(_is_named, value.items))


def _unmasked(value: Value) -> Value:
    return _unmasked(value.value) if isinstance(value, Mask) else value


def _around(value: Value, inner: Value) -> Value:
    """The masks of a value around another one."""
    return replace(value, value=_around(value.value, inner)) if isinstance(value, Mask) else inner
