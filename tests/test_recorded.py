"""What a change moved: a tree against itself moves nothing; a number, a text and a refusal that moved are seen."""

from __future__ import annotations

import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # `tests.recorded`, as `python -m tests.recorded` finds it

from tests.recorded.__main__ import keep, report, snapshots
from tests.recorded.compare import compare
from tests.recorded.programs import ROOT, programs

LOGIC, RNN, REFUSED = "programs/logic", "programs/rnn", "programs/no_order"


@pytest.fixture(scope="module")
def twice() -> list[dict[str, Any]]:
    """Two programs and one that is refused, recorded twice."""
    text = r"\Module{M}{x ; } a \gets b \\ b \gets a + x \\ \Return a \EndModule \begin{where} x \in \mathbb{R} & \\ \end{where}"
    return snapshots([ROOT, ROOT], {**programs([LOGIC, RNN]), REFUSED: [("no_order.tex", text)]})


def kinds(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """The programs that are not the same, and what became of them."""
    return {change.name: change.kind for change in compare(before, after) if change.kind != "same"}


def test_a_tree_moves_nothing_against_itself(twice: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    before, after = twice
    assert {LOGIC, RNN, REFUSED} <= before.keys()
    assert kinds(before, after) == {}
    assert report(compare(before, after), with_diff=True) == 0
    assert capsys.readouterr().out.endswith(f"{len(before)} same\n")


def test_numbers_of_examples_batches_lengths_and_gradients_are_recorded(twice: list[dict[str, Any]]) -> None:
    numbers = twice[0][RNN]["numbers"]
    assert {"RNN: example 0", "RNN: batch", "RNN: lengths", "RNN: batch, gradient at x", "RNN: lengths, gradient at x"} <= numbers.keys()
    assert numbers["RNN: batch"][0][1] == numbers["RNN: example 1"][0]
    assert not [value for value in numbers.values() if isinstance(value, str)]
    assert any(isinstance(value, float) and value for what, value in numbers.items() if "gradient" in what)


def test_a_number_that_moved_is_named(twice: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    before, after = twice[0], deepcopy(twice[0])
    after[RNN]["numbers"]["RNN: batch"][0][2][0][1] += 1e-8
    assert kinds(before, after) == {RNN: "numbers moved"}
    assert report(compare(before, after), with_diff=False) == 1
    assert "    RNN: batch: [[[[" in capsys.readouterr().out


def test_what_the_last_digit_does_is_no_move(twice: list[dict[str, Any]]) -> None:
    after = deepcopy(twice[0])
    after[RNN]["numbers"]["RNN: batch"][0][2][0][1] += 1e-10
    assert kinds(twice[0], after) == {}


def test_a_shape_a_kind_and_a_missing_value_are_numbers_that_moved(twice: list[dict[str, Any]]) -> None:
    for value in ([[]], True, None, "ValueError: no"):
        after = deepcopy(twice[0])
        after[RNN]["numbers"]["RNN: lengths, gradient at x"] = value
        assert kinds(twice[0], after) == {RNN: "numbers moved"}
    del after[RNN]["numbers"]["RNN: lengths, gradient at x"]
    assert kinds(twice[0], after) == {RNN: "numbers moved"}


def test_a_text_that_moved_is_shown_and_is_no_failure(twice: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]) -> None:
    after = deepcopy(twice[0])
    after[LOGIC]["text"] = after[LOGIC]["text"].replace("torch.nn", "torch.n")
    assert kinds(twice[0], after) == {LOGIC: "text moved"}
    assert report(compare(twice[0], after), with_diff=True) == 0
    assert "\n--- before\n+++ after\n@@" in capsys.readouterr().out


def test_what_is_newly_refused_fails_and_what_is_newly_accepted_does_not(
    twice: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = twice[0], deepcopy(twice[0])
    after[LOGIC] = before[REFUSED]
    assert kinds(before, after) == {LOGIC: "newly refused"}
    assert report(compare(before, after), with_diff=False) == 1
    assert f"{LOGIC}: newly refused\n    E0501 " in capsys.readouterr().out
    assert kinds(after, before) == {LOGIC: "newly accepted"}
    assert report(compare(after, before), with_diff=False) == 0


def test_another_reason_for_a_refusal_is_a_text(twice: list[dict[str, Any]]) -> None:
    after = deepcopy(twice[0])
    after[REFUSED]["refused"] = ["E0501 another reason"]
    assert kinds(twice[0], after) == {REFUSED: "text moved"}


def test_texts_and_numbers_are_kept(twice: list[dict[str, Any]], tmp_path: Path) -> None:
    keep(twice[0], tmp_path)
    assert (tmp_path / f"{RNN}.py").read_text(encoding="utf-8") == twice[0][RNN]["text"]
    assert (tmp_path / f"{REFUSED}.txt").read_text(encoding="utf-8").startswith("E0501")
    assert (tmp_path / "numbers.json").is_file()
