r"""Inner loops over blocks that follow each other, `c = (g - 1) D + 1, \dots, g D`, and sums that end at a product of letters."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from mathdsl import compile
from tests.algorithms_by_hand import NOTATIONS, FromOne, Meaning, check, text_of
from tests.by_hand import made

VECTOR = (r"x \in \mathbb{R}^{n}",)
ZERO = torch.zeros((), dtype=torch.float64)
PAIRS = "for g = 1..n; for c = 2 g - 1..2 g; "


def doubled(x: Any) -> Any:
    return FromOne(x[g] * c for g in range(1, len(x) + 1) for c in (2 * g - 1, 2 * g))


BLOCKS: dict[str, tuple[str, Meaning]] = {
    "pairs": (PAIRS + "y_c <- c x_g; end; end; return y", doubled),
    "read in their turn": (
        PAIRS + "y_c <- c x_g; end; z_g <- y_{2 g - 1} y_{2 g}; end; return z",
        lambda x: FromOne((2 * g - 1) * 2 * g * x[g] ** 2 for g in range(1, len(x) + 1)),
    ),
    "summed behind": (
        PAIRS + r"y_c <- c x_g; end; end; return \sum_{c=1}^{2 n} c y_c",
        lambda x: sum((c * value for c, value in enumerate(doubled(x), 1)), ZERO),
    ),
}


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_of_two(name: str, notation: str) -> None:
    lines, meaning = BLOCKS[name]
    check(text_of(notation, VECTOR, "x", lines), meaning, [((n,),) for n in (4, 0, 1, 3)], shortest=0)


GROUPS = (
    r"for g = 1..G; m_g <- \frac{1}{D} \sum_{c=(g-1) D + 1}^{g D} x_c; for c = (g-1) D + 1..g D; y_c <- x_c - w_g m_g; end; end; return y"
)


@pytest.mark.parametrize("before", ["", "y <- x; ", "for c = 1..G D; y_c <- 0; end; "])
@pytest.mark.parametrize("notation", NOTATIONS)
def test_groups_of_channels(before: str, notation: str) -> None:
    text = text_of(notation, (r"x \in \mathbb{R}^{G D}", r"w \in \mathbb{R}^{G}"), "x, w", before + GROUPS)

    def meaning(x: Any, w: Any) -> Any:
        size = len(x) // len(w)
        groups = [[x[g * size + k] for k in range(1, size + 1)] for g in range(len(w))]
        return FromOne(one - w[g + 1] * sum(group) / size for g, group in enumerate(groups) for one in group)

    for size in (1, 3):
        check(text, meaning, [((size * n,), (n,)) for n in (1, 2, 4)])


@pytest.mark.parametrize(
    "lines",
    [
        "for g = 1..n; for c = 3 g - 2..3 g - 1; y_c <- x_g; end; end; return \\sum_{c=1}^{3 n - 1} y_c",  # with gaps
        PAIRS + "y_c <- x_g; end; z_g <- y_{2 n - 2 g + 1}; end; return z",  # of later turns
        PAIRS + "if c > 1; y_c <- x_g; fi; end; end; return y",
        "for g = 2..n; for c = 2 g - 1..2 g; y_c <- x_g; end; end; return \\sum_{c=1}^{2 n} y_c",
    ],
)
def test_what_no_block_gives_is_refused(lines: str) -> None:
    result = compile(text_of("algorithmic", VECTOR, "x", lines))
    assert next(d.code for d in result.diagnostics if d.severity == "error") in ("E0502", "E0509", "E0510")


def test_what_a_branch_leaves_out_is_told_when_it_runs() -> None:
    subject = compile(text_of("algorithmic", VECTOR, "x", PAIRS + "if x_g > 0; y_c <- x_g; fi; end; end; return y")).load().F()
    torch.testing.assert_close(subject(torch.tensor([0.5, 2.0])), torch.tensor([0.5, 0.5, 2.0, 2.0]))
    with pytest.raises(ValueError, match="assigned before it is read"):
        subject(torch.tensor([0.5, -2.0]))


def products(x: Any, a: Any) -> Any:
    total = ZERO
    for i, row in enumerate(a, 1):
        for j, value in enumerate(row, 1):
            total = total + value * sum((x[c] for c in range(1, i * j + 1)), ZERO)
    return total


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_sum_to_a_product_of_letters(notation: str) -> None:
    rows = (r"x \in \mathbb{R}^{m n}", r"A \in \mathbb{R}^{m \times n}")
    lines = r"s <- 0; for i = 1..m; for j = 1..n; s <- s + A_{i,j} \sum_{c=1}^{i j} x_c; end; end; return s"
    check(text_of(notation, rows, "x, A", lines), products, [((6,), (2, 3)), ((1,), (1, 1)), ((8,), (4, 2))])


def test_a_sum_to_a_product_of_letters_in_a_module() -> None:
    header = r"x \in \mathbb{R}^{m n}, A \in \mathbb{R}^{m \times n} ; "
    body = r"y_{i,j} \gets A_{i,j} \sum_{c=1}^{i j} x_c \quad (i = 1, \dots, m, j = 1, \dots, n) \\ \Return y \\"
    subject = made(rf"\Module{{F}}{{{header}}} {body} \EndModule")
    x, a = torch.rand(2, 6, dtype=torch.float64), torch.rand(2, 2, 3, dtype=torch.float64)
    ends = x.cumsum(-1)[:, torch.tensor([[1, 2, 3], [2, 4, 6]]) - 1]
    torch.testing.assert_close(subject(x, a), a * ends)


def of_groups(lines: str) -> str:
    return text_of("algorithmic", (r"x \in \mathbb{R}^{C}", r"G \in \mathbb{N}"), "x, G", lines)


@pytest.mark.parametrize(
    "text",
    [
        of_groups(
            r"for g = 1..G; m_g <- \frac{G}{C} \sum_{c=(g-1) C/G + 1}^{g C/G} x_c; "
            "for c = (g-1) C/G + 1..g C/G; y_c <- x_c - m_g; end; end; return y"
        ),
        of_groups(
            r"D <- C / G; for g = 1..G; m_g <- \frac{1}{D} \sum_{c=(g-1) D + 1}^{g D} x_c; "
            "for c = (g-1) D + 1..g D; y_c <- x_c - m_g; end; end; return y"
        ),
        of_groups(
            r"y <- x; for g = 1..G; m <- \frac{G}{C} \sum_{c=(g-1) \frac{C}{G} + 1}^{g \frac{C}{G}} x_c; "
            r"for c = (g-1) \frac{C}{G} + 1..g \frac{C}{G}; y_c <- y_c - m; end; end; return y"
        ),
    ],
)
def test_groups_of_a_quotient_of_channels(text: str) -> None:
    subject = compile(text).load().F()

    def by_hand(x: torch.Tensor, groups: int) -> torch.Tensor:
        parts = x.unflatten(-1, (groups, -1))
        return (parts - parts.mean(-1, keepdim=True)).flatten(-2)

    for size, groups in ((6, 2), (6, 3), (4, 1), (3, 3)):
        x = torch.rand(2, size, dtype=torch.float64, requires_grad=True)
        torch.testing.assert_close(subject(x, groups), by_hand(x, groups))
        torch.testing.assert_close(subject(x[0], groups), by_hand(x[0], groups))
        slopes = [torch.autograd.grad(f(x, groups).sin().sum(), x) for f in (subject, by_hand)]
        torch.testing.assert_close(*slopes)
    with pytest.raises(ValueError, match=r"G \\mid C"):
        subject(torch.rand(5, dtype=torch.float64), 2)


def best_two(s: Any, scores: Any) -> Any:
    s = FromOne(s)
    for row in scores:
        found = [s[b] + v for b in range(1, len(s) + 1) for v in row]
        for b in range(1, len(s) + 1):
            best = max(range(len(found)), key=lambda k: found[k])
            s[b], found[best] = found[best], found[best] * 0 - 100
    return s


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("place", ["c[(b-1) V + v]", "c_{(b-1) V + v}"])
def test_a_beam_of_the_best_candidates(place: str, notation: str) -> None:
    lines = (
        rf"for t = 1..T;for b = 1..B;for v = 1..V;{place} <- s_b + \ell_{{t,v}};end;end;"
        r"for b = 1..B;i <- \arg\max_k c[k];s_b <- c[i];c[i] <- -100;end;end;return s"
    )
    text = text_of(notation, (r"s \in \mathbb{R}^{B}", r"\ell \in \mathbb{R}^{T \times V}"), r"s, \ell", lines)
    check(text, best_two, [((b,), (t, v)) for b, t, v in ((2, 3, 3), (1, 2, 1), (3, 0, 2), (2, 3, 4))])
