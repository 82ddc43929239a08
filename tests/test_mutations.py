"""A sample of `python -m tests.mutations`: no mutant of an example means what the example means, and none ends in a traceback."""

from __future__ import annotations

from itertools import islice

import pytest

from mathdsl.spans import SourceFile
from tests.mutations.__main__ import judged, read_example, surprises, table
from tests.mutations.mutants import mutants_of, tokens_of
from tests.mutations.outcomes import AT_PLACE, OTHER, SAME, Judge

SUM = SourceFile(
    "sum.tex",
    "\\Module{M}{x}\n  \\Return \\sum_{i=1}^{n} (x_i) \\\\\n\\EndModule\n\\begin{where}\n  x \\in \\mathbb{R}^{n} & i \\\\\n\\end{where}\n",
)


@pytest.mark.parametrize("example", ["elman.tex", "lstm_topic.tex", "rhn.tex"])
def test_a_sample_of_mutants_brings_no_surprise(example: str) -> None:
    found = list(islice(judged([read_example(example)], seed=1), 20))
    assert surprises(found) == [], table(found)


def test_tokens_are_those_that_carry_meaning() -> None:
    assert [t.text for t in tokens_of(SUM) if t.in_table] == ["x", r"\in", r"\mathbb", "{", "R", "}", "^", "{", "n", "}", r"\\"]


def test_mutants_are_judged_by_what_they_mean() -> None:
    judge = Judge(SUM)
    found = {(m.token.text, m.change, " ".join(m.changed().split())): judge.outcome(m) for m in mutants_of(SUM)}
    sum_of = r"\Return \sum_{i=1}^{n} (x_i) \\"
    assert found["(", "pair deleted", sum_of.replace("(x_i)", "x_i")].detail == "redundant parentheses"
    assert found["1", "by one", sum_of.replace("1", "2")].kind == OTHER
    assert found[r"\mathbb", "deleted", r"x \in {R}^{n} & i \\"].kind != SAME
    assert found["{", "deleted", sum_of.replace("{i", "i")].kind == AT_PLACE
