"""Reads that no proof covers are checked at run time, in the author's notation."""

from __future__ import annotations

import pytest
import torch

import mathdsl
from mathdsl.api import compile_files
from mathdsl.spans import SourceFile

LAST = r"""
\Module{Last}{x ; a \in \mathbb{R}}
y_t \gets a x_t \quad (t = 1, \dots, S) \\
\Return BODY \\
\EndModule
\begin{where}
x_t \in \mathbb{R}, t = 1, \dots, S & the input \\
\end{where}
"""
WINDOW = r"""
\Module{Window}{x \in \mathbb{R}^{S} ; w \in \mathbb{R}^{K}}
\Return \sum_{k=0}^{K-1} w_k x_k \\
\EndModule
"""


def checks(text: str) -> str:
    result = compile_files([SourceFile("-", text)], emit="ir", stop_after="check_domains")
    assert result.ok
    return result.source


def test_check_domains_fires() -> None:
    assert "y[S] is inside 1 .. S" in checks(LAST.replace("BODY", "y_S"))
    last = mathdsl.compile(LAST.replace("BODY", "y_S")).load().Last()
    assert last(torch.ones(2, 3)).shape == (2,)
    with pytest.raises(ValueError, match=r"y\[S\] is inside 1 \.\. S"):
        last(torch.ones(2, 0))
    with pytest.raises(ValueError, match=r"y\[S\] is inside 1 \.\. S"):
        last(torch.ones(2, 3), lengths=torch.tensor([3, 0]))


def test_check_domains_fires_for_a_size_of_the_constructor() -> None:
    window = mathdsl.compile(WINDOW).load().Window(K=3)
    assert window(torch.ones(5)).shape == ()
    with pytest.raises(ValueError, match=r"x\[k\] is inside 0 \.\. S - 1"):
        window(torch.ones(2))


def test_check_domains_declines_where_all_is_proved() -> None:
    assert "is inside" not in checks(LAST.replace("BODY", "y"))


def test_check_domains_fires_for_both_ends_and_for_each_empty_range_once() -> None:
    text = r"\Module{At}{x \in \mathbb{R}^{S} ; a \in \mathbb{N}, b \in \mathbb{N}} \Return BODY \\ \EndModule"
    kind = mathdsl.compile(text.replace("BODY", "x[a - b]")).load().At
    for a, b in ((1, 2), (9, 2)):
        with pytest.raises(ValueError, match=r"x\[a - b\] is inside 0 \.\. S - 1"):
            kind(a=a, b=b)(torch.ones(5))
    grid = checks(text.replace("BODY", r"\sum_{i=0}^{a-2} \sum_{j=0}^{a-2} x_i x_j"))
    assert "assert a-2 < 0 or 0 <= S-a+1" in grid


def test_check_domains_fires_for_an_element_of_a_stack() -> None:
    text = r"""
\Module{A}{x \in \mathbb{R}^{n} ; W \in \mathbb{R}^{n \times n}} \Return W @ x \\ \EndModule
\Module{M}{x ; f}
h^0 \gets x \\
h^{\ell} \gets f^{\ell}(h^{\ell-1}) \quad (\ell = 1, \dots, n) \\
\Return h^n \\
\EndModule
\begin{where}
n \in \mathbb{N} \\ d \in \mathbb{N} \\ x \in \mathbb{R}^{d} \\ f^{\ell} \in \mathrm{A}(d), \ell = 2 - m, \dots, m \\ m \in \mathbb{N} \\
\end{where}
"""
    kind = mathdsl.compile(text).load().M
    assert kind(n=2, d=3, m=2)(torch.ones(3)).shape == (3,)
    with pytest.raises(ValueError, match=r"f\^{\\ell} is inside -m \+ 2 \.\. m"):
        kind(n=2, d=3, m=1)(torch.ones(3))
    assert "is inside" not in checks(text.replace(r"\ell = 2 - m, \dots, m", r"\ell = 1, \dots, n"))


HEAD = r"""
\Module{Head}{x, z ; K \in \mathbb{N}}
y_i \gets \begin{cases} x_i & i < K \\ z_i & \text{otherwise} \end{cases} \quad (i = 0, \dots, n - 1) \\
\Return y \\
\EndModule
\begin{where}
x \in \mathbb{R}^{m} & \\ z \in \mathbb{R}^{n} & \\
\end{where}
"""


def test_a_read_in_a_branch_is_checked_where_the_branch_is_taken() -> None:
    head = mathdsl.compile(HEAD).load().Head(K=3)
    z = torch.arange(5.0)
    assert head(torch.full((3,), 9.0), z).tolist() == [9, 9, 9, 3, 4]
    assert head(torch.full((2,), 9.0), z[:2]).tolist() == [9, 9]
    message = r"x\[i\] is inside 0 \.\. m - 1"
    with pytest.raises(ValueError, match=message):
        head(torch.full((2,), 9.0), z)
    lengths = {"m": torch.tensor([3, 2]), "n": torch.tensor([5, 2])}
    assert head(torch.full((2, 3), 9.0), torch.stack([z, z]), lengths=lengths)[1].tolist() == [9, 9, 0, 0, 0]
    with pytest.raises(ValueError, match=message):
        head(torch.full((2, 3), 9.0), torch.stack([z, z]), lengths={**lengths, "n": torch.tensor([5, 3])})


BESIDE = r"""
\Module{Beside}{A, c ; K \in \mathbb{N}}
y_i \gets \mathbb{1}[c > 0 \land A_{i,i+1} > 0] \quad (i = 1, \dots, K) \\
\Return y \\
\EndModule
\begin{where}
A_{i,j} \in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, m & \\ c \in \mathbb{R} & \\
\end{where}
"""


def test_every_index_of_a_read_in_a_branch_is_checked() -> None:
    beside = mathdsl.compile(BESIDE).load().Beside(K=3)
    assert beside(torch.ones(3, 4), torch.tensor(1.0)).tolist() == [1, 1, 1]
    assert beside(torch.ones(3, 3), torch.tensor(-1.0)).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"A\[i \+ 1\] is inside 1 \.\. m"):
        beside(torch.ones(3, 3), torch.tensor(1.0))


PAIRS = r"""
\Module{Pairs}{x ; }
y_i \gets \begin{cases} x_{i+1} & CONDITION \\ -x_{i-1} & \text{otherwise} \end{cases} \quad (i = 0, \dots, SIZE - 1) \\
\Return y \\
\EndModule
\begin{where}
x \in \mathbb{R}^{SIZE} & \\
\end{where}
"""


@pytest.mark.parametrize("condition", [r"i \text{ is even}", r"2 \mid i", r"\lnot (i \text{ is odd})", r"i \bmod 2 = 0"])
def test_what_is_even_below_an_even_size_has_a_neighbour(condition: str) -> None:
    text = PAIRS.replace("CONDITION", condition).replace("SIZE", "2m")
    assert "inside" not in checks(text)
    assert mathdsl.compile(text).load().Pairs()(torch.arange(4.0)).tolist() == [1, 0, 3, -2]


def test_a_size_that_may_be_odd_is_checked() -> None:
    pairs = mathdsl.compile(PAIRS.replace("CONDITION", r"i \text{ is even}").replace("SIZE", "n")).load().Pairs()
    assert pairs(torch.arange(2.0)).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"x\[1 \+ i\] is inside 0 \.\. n - 1|x\[i \+ 1\] is inside 0 \.\. n - 1"):
        pairs(torch.arange(3.0))


@pytest.mark.parametrize(
    ("condition", "size"),
    [(r"i \text{ is odd}", 4), (r"i \bmod 3 = 0", 4), (r"i = 0 \lor i = 2 m - 1", 4), (r"i \neq 3 \land i \neq 0", 6)],
)
def test_a_condition_that_lets_an_index_out_is_no_excuse(condition: str, size: int) -> None:
    result = mathdsl.compile(PAIRS.replace("CONDITION", condition).replace("SIZE", "2m"))
    errors = [d.code for d in result.diagnostics if d.severity == "error"]
    if errors:
        assert set(errors) == {"E0502"}
    else:
        with pytest.raises(ValueError, match="inside"):
            result.load().Pairs()(torch.arange(float(size)))
