"""Every sample program, generated and run, equals the oracle."""

from __future__ import annotations

import pytest
from backend_harness import assert_close, flat_inputs, instance, made_of, plain, positional, tensor
from ir_samples import SAMPLES

from mathdsl.oracle import interpret


@pytest.mark.parametrize("name", SAMPLES)
def test_one_example_equals_the_oracle(name: str) -> None:
    sample = SAMPLES[name]
    module = sample.program.module(sample.module)
    loaded, _ = made_of(sample.program)
    made = instance(loaded, sample.module, sample.sizes, sample.settings, sample.parameters)
    values = {m.array: tensor(module, m, sample.arguments[m.array]) for m in flat_inputs(module) if m.array in sample.arguments}
    found = plain(made(**positional(module, values)))
    wanted = interpret(sample.program, sample.module, sample.arguments, sample.parameters, sample.sizes, sample.settings)
    assert_close(found, wanted)
