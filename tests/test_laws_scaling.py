"""Long programs: a thousand statements compile in seconds, and twice as many take about twice as long."""

from __future__ import annotations

from benchmarks.scaling import fit_exponent, measure
from machine_speed import slowness

LIMIT = 6.0  # seconds of processor time on the reference machine; benchmarks/scaling.py measures precisely


def test_a_thousand_statements() -> None:
    measure(50)
    seconds = {count: min(measure(count) for _ in range(2)) for count in (250, 1_000)}
    assert seconds[1_000] / slowness() < LIMIT
    assert fit_exponent(seconds) < 1.25, "measured precisely, at more lengths, by benchmarks/scaling.py"
