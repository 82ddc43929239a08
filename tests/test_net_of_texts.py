"""A small cast of the net of texts (`python -m tests.nets` is the large one), and what the net itself must be able to do.

Random programs in all three notations either are refused, or their values and gradients are those that the program means.
"""

from __future__ import annotations

import pytest
import torch
from nets import law, trees
from nets.law import Verdict, hold, python_name
from nets.meaning import Undefined, evaluate_program
from nets.printing import print_program
from nets.sampling import draw_program
from nets.shrinking import shrink
from nets.soundness import is_sound
from nets.trees import (
    Assign,
    Binary,
    Binder,
    Call,
    Cases,
    Compare,
    Declaration,
    Define,
    Dot,
    EachOf,
    Expr,
    For,
    Function,
    If,
    Index,
    IndexValue,
    MatVec,
    Name,
    Norm,
    Notation,
    Number,
    Program,
    Range,
    Reduce,
    Ref,
    Statement,
    Unary,
)

PROGRAMS = 60
CHUNK = 6

N = Range(Index(None, 1), Index("n"))
i, j, t = Index("i"), Index("j"), Index("t")
x, y, a, s = Name("x"), Name("y"), Name("a"), Name("s")


def at(name: Name, *indices: Index, rank: int = 0) -> Ref:
    return Ref(name, indices, rank, 1)


def number(value: float) -> Number:
    return Number(f"{value:g}", value)


def add(left: Expr, right: Expr) -> Expr:
    return Binary("add", left, right, 1)


def mul(left: Expr, right: Expr) -> Expr:
    return Binary("mul", left, right, 1)


def total(index: str, body: Expr, bare: bool = False, condition: trees.Condition | None = None) -> Expr:
    return Reduce("sum", index, N, body, bare, condition)


def program(statements: list[Statement], results: list[Expr], notation: Notation = "algorithmic", least: int = 1) -> Program:
    """A program of a vector `x` over `1 .. n` and a parameter `a`."""
    declarations = (Declaration(x, (N,), "ranged", ("i",)), Declaration(a, (), "plain", (), False))
    return Program(notation, ("n",), (("n", least),), declarations, tuple(statements), tuple(results), form=1)


def meaning(own: Program, numbers: list[float], factor: float = 2.0) -> list[list[float] | float]:
    """The results of plain numbers."""
    given = {x: torch.tensor(numbers, dtype=torch.float64), a: torch.tensor(factor, dtype=torch.float64)}
    return [result.tolist() for result in evaluate_program(own, given, {"n": len(numbers)})]


# ---- the small cast --------------------------------------------------------------------------


@pytest.mark.parametrize("start", range(0, PROGRAMS, CHUNK))
def test_random_programs_are_refused_or_right(start: int) -> None:
    for seed in range(start, start + CHUNK):
        own, sizes = draw_program(seed)
        verdict = hold(own, sizes)
        assert verdict.kind != "wrong", f"seed {seed} at {sizes}: {verdict.said}\n{verdict.text}"


# ---- the meaning, by hand --------------------------------------------------------------------


def test_a_sum_of_squares_and_a_shadowing_argument() -> None:
    f = Name("f")
    square = Function(f, ((x, 1),), total("j", Unary("square", at(x, j)), bare=True), 1)
    scaled = Define(s, (), mul(at(a), Call(f, (at(x, rank=1),))))
    assert meaning(program([square, scaled], [at(s)]), [1.0, 2.0, 3.0]) == [28.0]
    element = Function(f, ((x, 0),), mul(at(a), Unary("square", at(x))), 1)
    family = Define(y, (Binder("i", N),), add(Call(f, (at(x, i),)), IndexValue(i)))
    assert meaning(program([element, family], [at(y, rank=1)]), [1.0, 2.0, 3.0]) == [[3.0, 10.0, 21.0]]


def test_an_indexed_argument_is_a_name_of_one_element() -> None:
    k, first, second = Name("k"), Name("x", "i"), Name("x", "j")
    kernel = Function(k, ((first, 0), (second, 0)), Binary("sub", at(first), mul(at(a), at(second))), 1)
    family = Define(y, (Binder("i", N),), Call(k, (at(x, Index("n")), at(x, i))))
    assert meaning(program([kernel, family], [at(y, rank=1)]), [1.0, 2.0, 3.0]) == [[1.0, -1.0, -3.0]]


def test_a_function_captures_what_stands_where_it_is_written() -> None:
    f, k = Name("f"), Name("k")
    inner = Function(f, ((y, 0),), mul(at(a), at(y)), 1)
    outer = Function(k, ((a, 0),), Call(f, (at(a),)), 1)
    own = program([inner, outer], [Call(k, (number(3),))])
    assert meaning(own, [1.0]) == [6.0]


def test_sums_without_one_and_over_those_before() -> None:
    without = total("j", at(x, j), condition=Compare("!=", IndexValue(j), IndexValue(i)))
    before = total("j", at(x, j), condition=Compare("<", IndexValue(j), IndexValue(i)))
    own = program([Define(y, (Binder("i", N),), Binary("sub", without, before, 0))], [at(y, rank=1)])
    assert meaning(own, [1.0, 2.0, 4.0]) == [[6.0, 4.0, 0.0]]


def test_updates_in_place_see_what_was_updated() -> None:
    loop = For("t", Range(Index(None, 2), Index("n")), (Assign(x, (t,), add(at(x, t), at(x, Index("t", -1)))),))
    before, after = Assign(s, (), total("i", at(x, i))), Assign(y, (), total("i", at(x, i)))
    own = program([before, loop, after], [at(x, rank=1), at(s), at(y)])
    assert meaning(own, [1.0, 2.0, 3.0]) == [[1.0, 3.0, 6.0], 6.0, 10.0]
    ahead = For("t", Range(Index(None, 1), Index("n", -1)), (Assign(x, (t,), add(at(x, t), at(x, Index("t", 1)))),))
    assert meaning(program([ahead], [at(x, rank=1)]), [1.0, 2.0, 3.0]) == [[3.0, 5.0, 3.0]]


def test_a_swap_and_a_branch() -> None:
    low, high = Index(None, 1), Index("n")
    swap = [Assign(s, (), at(x, low)), Assign(x, (low,), at(x, high)), Assign(x, (high,), at(s))]
    branch = If(Compare(">", at(x, low), number(2)), (Assign(s, (), mul(at(s), at(a))),), (Assign(s, (), number(0)),))
    own = program([*swap, branch], [at(x, rank=1), at(s)])
    assert meaning(own, [1.0, 2.0, 3.0]) == [[3.0, 2.0, 1.0], 2.0]
    assert meaning(own, [3.0, 2.0, 1.0]) == [[1.0, 2.0, 3.0], 0.0]


def test_a_recurrence_leaves_out_what_an_input_supplies() -> None:
    h, start = Name("h"), Name("h", "0")
    step = add(mul(at(a), at(h, Index("t", -1))), at(x, t))
    own = program([Define(h, (Binder("t", N),), step, seeds=(((Index(None, 0),), start),))], [at(h, rank=1)])
    own = Program(own.notation, own.sizes, own.least, (*own.declarations, Declaration(start, (), "plain")), own.statements, own.results)
    given = {x: torch.tensor([1.0, 2.0]), a: torch.tensor(2.0), start: torch.tensor(5.0)}
    given = {name: value.double() for name, value in given.items()}
    assert [r.tolist() for r in evaluate_program(own, given, {"n": 2})] == [[11.0, 24.0]]


def test_guards_comprehensions_products_and_norms() -> None:
    guarded = Cases(((Compare("=", IndexValue(i), number(1)), at(x, i)),), add(at(x, i), at(x, Index("i", -1))))
    family = Define(y, (Binder("i", N),), guarded)
    chain = Define(s, (), EachOf(Name("u"), at(y, rank=1), mul(at(a), at(Name("u")))), element_axes=(N,))
    own = program([family, chain], [at(s, rank=1), Dot(at(x, rank=1), at(y, rank=1)), Norm("squared", at(x, rank=1))])
    assert meaning(own, [1.0, 2.0, 3.0]) == [[2.0, 6.0, 10.0], 22.0, 14.0]


def test_a_matrix_times_a_vector() -> None:
    W, m = Name("W"), Range(Index(None, 1), Index("m"))
    declarations = (Declaration(x, (N,), "plain"), Declaration(W, (m, N), "plain", (), False))
    own = Program("module", ("n", "m"), (), declarations, (), (MatVec(at(W, rank=2), at(x, rank=1)),))
    given = {x: torch.tensor([1.0, 2.0]).double(), W: torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 3.0]]).double()}
    assert [r.tolist() for r in evaluate_program(own, given, {"n": 2, "m": 3})] == [[1.0, 3.0, 6.0]]


def test_what_nothing_defines_is_undefined() -> None:
    family = Define(y, (Binder("i", N),), at(x, Index("i", -1)))
    with pytest.raises(Undefined):
        meaning(program([family], [at(y, rank=1)]), [1.0, 2.0])
    with pytest.raises(Undefined):
        meaning(program([], [Reduce("max", "i", Range(Index(None, 2), Index("n")), at(x, i))]), [1.0])


def test_an_open_domain_needs_a_read_of_all_of_it() -> None:
    part = Range(Index(None, 1), Index("n", -1))
    whole, inner = (Define(y, (Binder("i", axis),), at(x, i)) for axis in (N, part))
    for style, statement, sound in (("none", whole, True), ("none", inner, False), ("ranged", inner, True), ("plain", inner, False)):
        declarations = (Declaration(x, (N,), style, ("i",)),)  # type: ignore[arg-type]
        assert is_sound(Program("module", ("n",), (), declarations, (statement,), (at(y, rank=1),))) is sound


# ---- the net itself --------------------------------------------------------------------------


@pytest.mark.parametrize("notation", ["module", "docstring", "algorithmic"])
def test_a_plain_program_is_accepted(notation: Notation) -> None:
    family = Define(y, (Binder("i", N),), mul(at(a), at(x, i)), form=1)
    verdict = hold(program([family], [at(y, rank=1), total("i", at(x, i))], notation), {"n": 3})
    assert verdict.kind == "accepted", verdict.said


def test_a_program_draws_the_same_text_from_the_same_seed() -> None:
    first, second = draw_program(3), draw_program(3)
    assert print_program(first[0]) == print_program(second[0])
    assert first[1] == second[1]


@pytest.mark.parametrize("planted", ["value", "gradient"])
def test_a_planted_disagreement_is_caught_and_made_small(planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the tree's sine is a wrong one, or has a wrong gradient, no text with a sine passes."""

    def wrong(value: torch.Tensor) -> torch.Tensor:
        return torch.sin(value) + 1e-3 if planted == "value" else torch.sin(value.detach()) + 0 * value

    monkeypatch.setitem(__import__("nets.meaning", fromlist=["UNARY"]).UNARY, "sin", wrong)
    family = Define(y, (Binder("i", N),), add(at(a), mul(number(3), Unary("sin", at(x, i), 1))), form=1)
    other = Define(s, (), total("i", Unary("tanh", at(x, i), 1)), form=1)
    own = program([other, family], [at(s), at(y, rank=1)])
    verdict = hold(own, {"n": 2})
    assert verdict.kind == "wrong"
    assert planted in verdict.said
    _, small = shrink(own, {"n": 2}, verdict)
    assert small.kind == "wrong"
    assert len(small.text) < len(verdict.text)
    assert "sin" in small.text
    assert "tanh" not in small.text


def test_a_compiler_that_breaks_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr(law, "compile_files", broken)
    verdict = hold(program([], [total("i", at(x, i))]), {"n": 2})
    assert isinstance(verdict, Verdict)
    assert verdict.kind == "wrong"
    assert "no such thing" in verdict.said


def test_names_in_python() -> None:
    names = [Name("W", "in"), Name(r"\pi"), Name(r"\hat{y}"), Name("h", "0")]
    assert [python_name(name) for name in names] == ["W_in", "pi", "y_hat", "h_0"]
