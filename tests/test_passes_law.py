"""The law of the passes: every prefix of the pipeline computes what the program computed before, also in padding."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from ir_samples import SAMPLES, Sample

from mathdsl.analysis.raggedness import flat_inputs
from mathdsl.ir.nodes import Array, Element, Program, SizeKind
from mathdsl.oracle.interpreter import interpret
from mathdsl.oracle.runtime_sizes import infer_sizes
from mathdsl.passes import PIPELINE, run_until
from mathdsl.passes.batch_axes import batched_arrays

NAMES = [step.name for step in PIPELINE]
FROM_BATCH_ON = NAMES[NAMES.index("batch_axes") :]


@cache
def after(sample: str, stop_after: str) -> Program:
    return run_until(SAMPLES[sample].program, stop_after)


def run(sample: Sample, program: Program, arguments: Any = None, **more: Any) -> Any:
    arguments = sample.arguments if arguments is None else arguments
    return interpret(program, sample.module, arguments, sample.parameters, sample.sizes, sample.settings, **more)


def flat(value: Any) -> list[float]:
    return [x for item in value for x in flat(item)] if isinstance(value, list | tuple) else [value]


def assert_same(left: Any, right: Any) -> None:
    assert flat(left) == pytest.approx(flat(right), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("stop_after", NAMES)
def test_every_prefix_computes_the_same(name: str, stop_after: str) -> None:
    sample = SAMPLES[name]
    assert_same(run(sample, after(name, stop_after)), run(sample, sample.program))


def shortened(array: Array, value: Any, short: dict[str, int], extents: dict[str, int], junk: bool) -> Any:
    """The argument of an example with shorter sizes: cut, or at full length with junk in the padding."""

    def cut(value: Any, ranges: Iterable[Any], is_own: bool) -> Any:
        ranges = tuple(ranges)
        if not ranges:
            if is_own:
                return value
            return math.nan if array.element is Element.REAL else 10**9
        length = ranges[0].extent.evaluate({**extents, **short})
        items = [cut(item, ranges[1:], is_own and k < length) for k, item in enumerate(value)]
        return items if junk else items[:length]

    return cut(value, array.ranges, True)


def padded(value: Any, like: Any) -> Any:
    """Results of a short example in the shape of the padded ones, zeros behind."""
    if isinstance(like, tuple):
        return tuple(padded(v, k) for v, k in zip(value, like, strict=True))
    if isinstance(like, list):
        if not value:
            return [padded(None if not isinstance(k, list) else [], k) for k in like]
        filled = [padded(v, k) for v, k in zip(value, like, strict=False)]
        return filled + [padded([] if isinstance(k, list) else None, k) for k in like[len(value) :]]
    return 0 if value is None else value


def cases() -> list[tuple[str, tuple[tuple[str, int], ...]]]:
    found: list[tuple[str, tuple[tuple[str, int], ...]]] = []
    for name, sample in SAMPLES.items():
        module = after(name, "batch_axes").module(sample.module)
        extents = infer_sizes(module, sample.arguments, sample.sizes)
        runtime = [size.name for size in module.sizes if size.kind is SizeKind.RUNTIME and size.name in module.ragged]
        shortest = 1 if name in ("mean_log", "greatest", "loss") else 0
        for size in runtime:
            found += [(name, ((size, n),)) for n in dict.fromkeys((shortest, 1, extents[size] - 1, extents[size]))]
        if len(runtime) > 1:
            found.append((name, tuple((size, 1) for size in runtime)))
    return found


@pytest.mark.parametrize(("name", "lengths"), cases(), ids=str)
@pytest.mark.parametrize("stop_after", FROM_BATCH_ON)
def test_padding_changes_nothing(name: str, lengths: tuple[tuple[str, int], ...], stop_after: str) -> None:
    sample, short = SAMPLES[name], dict(lengths)
    module = sample.program.module(sample.module)
    extents = infer_sizes(module, sample.arguments, sample.sizes)
    arrays = {entry.array: module.array(entry.array) for entry in flat_inputs(module)}
    cut, junk = ({k: shortened(arrays[k], v, short, extents, is_junk) for k, v in sample.arguments.items()} for is_junk in (False, True))
    if name == "loss":
        cut["y"] = junk["y"] = 0  # the class must be one of those that are left
    program = after(name, stop_after)
    expected = run(sample, sample.program, cut)
    own = {size: extents[size] for size in program.module(sample.module).ragged} | short
    actual = run(sample, program, junk, lengths=own)
    assert_same(actual, padded(expected, actual))


@pytest.mark.parametrize("name", SAMPLES)
def test_later_passes_mark_what_carries_the_batch(name: str) -> None:
    for module in after(name, NAMES[-1]).modules:
        assert {array.name for array in module.arrays if array.batch} == batched_arrays(module, module.ragged)
