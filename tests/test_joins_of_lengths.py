r"""Joins `a || b` of parts whose lengths differ between the examples of a batch; expected values are those of plain torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mathdsl.analysis.raggedness import given_lengths
from mathdsl.api import compile_files
from mathdsl.passes import run_passes
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile
from tests.differential import check_text, equations

TWO = r"a \in \mathbb{R}^m & \\ b \in \mathbb{R}^n & \\"
SAME = r"a, b \in \mathbb{R}^n & \\"
ROWS = r"a \in \mathbb{R}^{m \times 2} & \\ b \in \mathbb{R}^{n \times 2} & \\"


def program(header: str, *rows: str, where: str = "") -> str:
    lines = "".join(rf"{row} \\" + "\n" for row in rows)
    return f"\\Module{{M}}{{{header}}}\n{lines}\\EndModule\n\\begin{{where}}\n{where}\n\\end{{where}}\n"


def compiled(text: str, **options: str) -> CompileResult:
    result = compile_files([SourceFile("-", text)], **options)
    assert result.ok, [d.message for d in result.diagnostics]
    return result


def cat(*parts: Tensor) -> Tensor:
    return torch.cat(parts)


Join = Callable[[Tensor, Tensor], Tensor]
JOINS: list[tuple[str, str, tuple[str, ...], Join]] = [
    ("a, b", TWO, (r"\Return a || b",), cat),
    ("a, b", TWO, (r"\Return [a ; b]",), cat),
    ("a, b", TWO, (r"\Return b || a",), lambda a, b: cat(b, a)),
    ("a, b", TWO, (r"\Return a || b || a",), lambda a, b: cat(a, b, a)),
    ("a, b", TWO, (r"c \gets a || b", r"\Return (b || c) + (c || b)"), lambda a, b: cat(b, a, b) + cat(a, b, b)),
    ("a, b", TWO, (r"\Return 2 a || \tanh(b)",), lambda a, b: cat(2 * a, b.tanh())),
    ("a, b", TWO, (r"\Return a || \{1\}^2 || b",), lambda a, b: cat(a, torch.ones(2), b)),
    ("a, b", TWO, (r"\Return \{3\}^1 || a || b || \{5\}^1",), lambda a, b: cat(torch.tensor([3.0]), a, b, torch.tensor([5.0]))),
    ("a, b", TWO, (r"\Return \softmax(a || b)",), lambda a, b: cat(a, b).softmax(0)),
    ("a, b", TWO, (r"c \gets a || b", r"\Return \sum_i c_i^2"), lambda a, b: (cat(a, b) ** 2).sum()),
    (
        "a, b",
        TWO,
        (r"c \gets a || b", r"h_0 \gets 0", r"h_t \gets h_{t-1} / 2 + c[t-1] \quad (t = 1, \dots, m + n)", r"\Return h_{m+n}"),
        lambda a, b: sum((value * 0.5**k for k, value in enumerate(cat(a, b).flip(0))), torch.tensor(0.0)),
    ),
    ("a, b", SAME, (r"\Return a || b",), cat),
    ("a, b", SAME, (r"\Return a || (a + b) || b",), lambda a, b: cat(a, a + b, b)),
    ("a, b", ROWS, (r"\Return a || b",), cat),
    ("a, b", ROWS, (r"\Return \begin{bmatrix} a \\ b \end{bmatrix}",), cat),
    ("a, b", ROWS, (r"c \gets b || a", r"\Return \softmax(c c^\top) c"), lambda a, b: (cat(b, a) @ cat(b, a).T).softmax(-1) @ cat(b, a)),
]


@pytest.mark.parametrize("lengths", [[(3, 3), (2, 2), (1, 1)], [(3, 3), (0, 0), (1, 1)]], ids=str)
@pytest.mark.parametrize(("header", "where", "rows", "expected"), JOINS)
def test_each_example_is_joined_at_its_own_lengths(
    header: str, where: str, rows: tuple[str, ...], expected: Join, lengths: list[tuple[int, int]]
) -> None:
    text = program(header + " ; ", *rows, where=where)
    made = compiled(text).load().M().double()
    if where != SAME:
        lengths = [(own, 3 - own) for own, _ in lengths]  # that of `b` is another one
    shape = (3, 3, 2) if where == ROWS else (3, 3)
    a, b = (torch.full(shape, torch.nan, dtype=torch.float64) for _ in "ab")
    for k, (m, n) in enumerate(lengths):
        a[k, :m], b[k, :n] = torch.randn(m, *shape[2:]), torch.randn(n, *shape[2:])
    a.requires_grad_()
    b.requires_grad_()
    given = torch.tensor(lengths)
    found = made(a, b, lengths={"n": given[:, 1]} if where == SAME else {"m": given[:, 0], "n": given[:, 1]})
    found.pow(2).sum().backward()
    for k, (m, n) in enumerate(lengths):
        own_a, own_b = (value[k, :own].detach().requires_grad_() for value, own in ((a, m), (b, n)))
        wanted = expected(own_a, own_b).double()
        torch.testing.assert_close(found[k][: len(wanted)] if wanted.dim() else found[k], wanted)
        assert not wanted.dim() or not found[k][len(wanted) :].any()
        wanted.pow(2).sum().backward()
        for value, own in ((a, own_a), (b, own_b)):
            assert value.grad is not None
            assert own.grad is not None
            torch.testing.assert_close(value.grad[k, : len(own)], own.grad)
            assert not value.grad[k, len(own) :].any()


@pytest.mark.parametrize(("header", "where", "rows", "expected"), JOINS)
def test_without_lengths_a_join_is_that_of_the_whole_parts(header: str, where: str, rows: tuple[str, ...], expected: Join) -> None:
    made = compiled(program(header + " ; ", *rows, where=where)).load().M().double()
    for m, n in ((3, 2), (0, 2), (2, 0), (0, 0)) if where != SAME else ((2, 2), (0, 0)):
        shape = (2,) if where == ROWS else ()
        a, b = (torch.randn(own, *shape, dtype=torch.float64) for own in (m, n))
        torch.testing.assert_close(made(a, b), expected(a, b).double())


@pytest.mark.parametrize(("header", "where", "rows"), [case[:3] for case in JOINS])
def test_joins_keep_the_laws_of_batches(header: str, where: str, rows: tuple[str, ...]) -> None:
    assert check_text(program(header + " ; ", *rows, where=where)) == 1


RELATIVES = [
    ("a, b, c ; ", TWO + r"c \in \mathbb{R}^k & \\", (r"u \gets a || b", r"\Return (c || u) + ((c || a) || b)"), {"m", "n", "k"}),
    (
        "a, b ; E",
        r"a \in \{1, \dots, V\}^m \\ b \in \{1, \dots, V\}^n \\ E \in \mathbb{R}^{V \times 3}",
        (r"\Return \{ E[k] ; k \in a || b \}",),
        {"m", "n"},
    ),
    ("a, b ; ", TWO, (r"\Return (a > 0) || (b > 0)",), {"m", "n"}),
    ("a, b ; f", ROWS + r"f \in \mathrm{Linear}(2, 3)", (r"\Return f(a || b)",), {"m", "n"}),
    ("a, b ; w", TWO + r"w \in \mathbb{R}", (r"c \gets a || b", r"\Return \sum_i \log(1 + w c_i^2) / (1 + c_i^2)"), {"m", "n"}),
    ("a, b ; ", TWO, (r"\Return (1 / a) || \sqrt{b}",), {"m", "n"}),
    ("a, b ; ", r"a \in \mathbb{R}^n & \\ b \in \mathbb{R}^3 & \\", (r"\Return a || b || a",), {"n"}),
    (
        "a, b, u, v ; ",
        r"a \in \mathbb{R}^{S \times p} & \\ b \in \mathbb{R}^{S \times q} & \\ u \in \mathbb{R}^p & \\ v \in \mathbb{R}^q & \\",
        (r"\Return \{ (a_t + u) || (b_t \odot v) ; t \in \{1, \dots, S\} \}",),
        {"S", "p", "q"},
    ),
]


@pytest.mark.parametrize(("header", "where", "rows", "sizes"), RELATIVES)
def test_lengths_of_all_parts_are_taken(header: str, where: str, rows: tuple[str, ...], sizes: set[str]) -> None:
    text = program(header, *rows, where=where)
    assert set(given_lengths(run_passes(equations(text)).module("M"))) == sizes
    assert check_text(text) == 1


def test_free_lengths_fires_where_the_lengths_of_parts_differ() -> None:
    text = compiled(program("a, b ; ", r"\Return a || b", where=TWO), emit="ir", stop_after="free_lengths").source
    assert "joined[k_1] = a[k_1] if k_1 <= m-1 else b[k_1-m]    for k_1 in 0..n_joined-1" in text, text


@pytest.mark.parametrize(
    ("where", "formula"),
    [
        (r"a \in \mathbb{R}^3 & \\ b \in \mathbb{R}^n & \\", r"a || b"),
        (r"a \in \mathbb{R}^3 & \\ b \in \mathbb{R}^2 & \\", r"a || b"),
        (r"a \in \mathbb{R}^m \text{ shared} & \\ b \in \mathbb{R}^n & \\", r"a || b"),
    ],
)
def test_free_lengths_declines_where_the_parts_have_their_places(where: str, formula: str) -> None:
    before, after = (
        compiled(program("a, b ; ", rf"\Return {formula}", where=where), emit="ir", stop_after=stage).source
        for stage in ("hoist_invariants", "free_lengths")
    )
    assert before == after


@pytest.mark.parametrize("given", ["m", "n"])
def test_the_lengths_of_one_part_alone_leave_the_other_whole(given: str) -> None:
    made = compiled(program("a, b ; ", r"\Return (a || b) + (b || a)", where=TWO)).load().M()
    a, b, own = torch.randn(3, 3), torch.randn(3, 2), torch.tensor([2, 1, 0])
    found = made(a, b, lengths={given: own})
    for k, length in enumerate(own):
        parts = (a[k, :length], b[k]) if given == "m" else (a[k], b[k, :length])
        wanted = cat(*parts) + cat(*reversed(parts))
        torch.testing.assert_close(found[k], torch.nn.functional.pad(wanted, (0, 5 - len(wanted))))


OPTIONAL = program(r"x, c = [] ; ", r"\Return c || x", where=r"x \in \mathbb{R}^n & \\ c \in \mathbb{R}^m & \\")


def test_the_length_of_a_part_that_may_be_left_out_is_not_given() -> None:
    made, x, c = compiled(OPTIONAL).load().M(), torch.randn(2, 3), torch.randn(2, 2)
    assert "All examples of a batch have the same m." in made.__doc__
    torch.testing.assert_close(made(x, c), torch.cat([c, x], 1))
    torch.testing.assert_close(made(x), x)
    with pytest.raises(ValueError, match="lengths: expected the sizes n, got 'm'"):
        made(x, c, lengths={"m": torch.tensor([1, 2]), "n": torch.tensor([3, 3])})


def test_the_lengths_of_a_part_that_is_given_each_time() -> None:
    """What the refusal of the lengths of an optional part leaves: the part as an input, with no elements where there are none."""
    made, x, c = compiled(OPTIONAL.replace("c = []", "c")).load().M(), torch.randn(2, 3), torch.randn(2, 2)
    found = made(x, c, lengths={"m": torch.tensor([1, 0]), "n": torch.tensor([2, 3])})
    torch.testing.assert_close(found[0], torch.cat([c[0, :1], x[0, :2], torch.zeros(2)]))
    torch.testing.assert_close(found[1], torch.cat([x[1], torch.zeros(2)]))
    torch.testing.assert_close(made(x, c[:, :0]), x)


CALLED = (
    r"\Module{A}{a, b ; w \in \mathbb{R}} c \gets a || b \\ h_0 \gets 0 \\"
    r" h_t \gets \tanh(w c_t + h_{t-1}) \quad (t = 1, \dots, m + n) \\ \Return h_{m+n} \\ \EndModule"
    r" \begin{where} a \in \mathbb{R}^m & \\ b \in \mathbb{R}^n & \\ c_t \in \mathbb{R}, t = 1, \dots, m + n & \\ \end{where}"
    r" \Module{M}{a, b ; f \in \mathrm{A}()^2} \Return f^0(a, b) + f^1(b, b) \\ \EndModule"
    r" \begin{where} a \in \mathbb{R}^m & \\ b \in \mathbb{R}^n & \\ \end{where}"
)


def test_free_lengths_declines_in_a_module_that_another_one_calls() -> None:
    """Its sizes are those that the call gives."""
    module = compiled(CALLED).load().M().double()
    with torch.no_grad():
        module.f[0].w.fill_(0.5)
        module.f[1].w.fill_(-0.7)

    def expected(a: Tensor, b: Tensor) -> Tensor:
        total = torch.zeros((), dtype=torch.float64)
        for w, parts in ((0.5, (a, b)), (-0.7, (b, b))):
            h = torch.zeros((), dtype=torch.float64)
            for value in torch.cat(parts):
                h = torch.tanh(w * value + h)
            total = total + h
        return total

    a, b = (torch.randn((3, size), dtype=torch.float64, requires_grad=True) for size in (2, 4))
    alone = torch.stack([expected(*pair) for pair in zip(a, b, strict=True)])
    together = module(a, b)
    torch.testing.assert_close(together, alone)
    for found, wanted in zip(torch.autograd.grad(together.sum(), (a, b)), torch.autograd.grad(alone.sum(), (a, b)), strict=True):
        torch.testing.assert_close(found, wanted)
