r"""What is returned has a name where padding is taken away from it.

Before → after::

    return mask(contract(j: a * V), n, i, 0.0)      →      result = contract(j: a * V); return mask(result, n, i, 0.0)

A result declines that has a name already, one without padding, and several together, which may share what they compute.
"""

from __future__ import annotations

from dataclasses import replace

from mathdsl.tensors.names import Names
from mathdsl.tensors.statements import Let, Return, TensorProgram
from mathdsl.tensors.values import At, Local, Mask, Value


def name_results(program: TensorProgram, names: Names) -> TensorProgram:
    """The tensor program with a local for what its last mask stands around."""
    *before, last = program.statements
    if not isinstance(last, Return) or not isinstance(last.value, Mask):
        return program
    inner = _unmasked(last.value)
    if isinstance(inner, Local | At):
        return program
    local = Local(inner.form, names.fresh("result"))
    named = Let(local, inner, span=last.span)
    return replace(program, statements=(*before, named, replace(last, value=_around(last.value, local))))


def _unmasked(value: Value) -> Value:
    return _unmasked(value.value) if isinstance(value, Mask) else value


def _around(value: Value, inner: Value) -> Value:
    """The masks of a value around another one."""
    return replace(value, value=_around(value.value, inner)) if isinstance(value, Mask) else inner
