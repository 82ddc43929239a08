"""Flattened lists, arrays that share a letter, sizes that are given as numbers or are the least of others."""

from __future__ import annotations

import re

import pytest
import torch
from differential import check_text
from torch import Tensor

from mathdsl import compile

BLOCKS = r"""
\algoProc{\mathrm{F}}\pa{x, h_0} \\
  \algoFor{t \in \set{1, \dots, S}} \\
    \algoFor{k \in \set{1, \dots, n}} \\
      h_{t,k} \algoEq \tanh\pa{W_k \cdot x_t + U_k \cdot @} \\
    \algoEndFor \\
    h_t \algoEq \fla{h_{t,1}, \dots, h_{t,n}} \\
  \algoEndFor \\
  h \algoEq \cat{h_1, \dots, h_S} \\
  \algoReturn h \\
\algoEndProc
\begin{where}
  n \in \mathbb{N} & blocks \\ d \in \mathbb{N} & cells of a block \\ m \in \mathbb{N} & inputs \\ S \in \mathbb{N} & steps \\
  x_t \in \mathbb{R}^{m}, t = 1, \dots, S & input \\ h_0 \in \mathbb{R}^{n d} & start \\
  W_k \in \mathbb{R}^{d \times m}, k = 1, \dots, n & from the input \\
  U_k \in \mathbb{R}^{d \times n d}, k = 1, \dots, n & from the state \\
\end{where}
"""


def test_the_parts_of_a_state_and_the_whole_state_are_two_arrays() -> None:
    text = BLOCKS.replace("@", "h_{t-1}")
    check_text(text)
    module = compile(text).load().F(n=3, d=2, m=4).double()
    x, state = torch.randn(5, 4, dtype=torch.float64), torch.randn(6, dtype=torch.float64)
    for row, step in zip(module(x, state), x, strict=True):
        state = torch.tanh((module.W @ step + module.U @ state).flatten())
        torch.testing.assert_close(row, state)


def test_a_state_that_needs_itself_at_one_step_is_drawn() -> None:
    found = [d for d in compile(BLOCKS.replace("@", "h_t")).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == ["E0501"]
    assert "h_t" in found[0].message
    assert "`h_{t-1}`" in found[0].help


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\fla{x_1, \dots, x_n}", lambda x: x.flatten()),
        (r"\fla{x_2, \dots, x_n}", lambda x: x[1:].flatten()),
        (r"\fla{2 x_1, \dots, 2 x_n}", lambda x: 2 * x.flatten()),
        (r"\fla{x}", lambda x: x.flatten()),
        (r"A \cdot \fla{x_1, \dots, x_n}", lambda x: 3 * x.sum(-1).sum(-1)[None].expand(2)),
    ],
)
def test_a_flattened_list_is_its_parts_in_a_row(body: str, expected: object) -> None:
    text = rf"""
    \algoProc{{\mathrm{{F}}}}\pa{{x, A}} \\
      y \algoEq {body} \\
      \algoReturn y \\
    \algoEndProc
    \begin{{where}}
      n \in \mathbb{{N}} & parts \\ d \in \mathbb{{N}} & their length \\
      x_k \in \mathbb{{R}}^{{d}}, k = 1, \dots, n & parts \\ A \in \mathbb{{R}}^{{2 \times n d}} & a map \\
    \end{{where}}
    """
    result = compile(text)
    assert result.ok, [d.message for d in result.diagnostics]
    x = torch.randn(3, 4)
    assert callable(expected)
    torch.testing.assert_close(_first(result.load().F()(x, torch.full((2, 12), 3.0))), expected(x))


def _first(result: Tensor | tuple[Tensor, ...]) -> Tensor:
    return result if isinstance(result, Tensor) else result[0]


def test_scalars_are_not_flattened() -> None:
    text = r"""
    \algoProc{\mathrm{F}}\pa{x} \\ \algoReturn \fla{x_1, \dots, x_n} \\ \algoEndProc
    \begin{where} x_k \in \mathbb{R}, k = 1, \dots, n & numbers \\ n \in \mathbb{N} & how many \\ \end{where}
    """
    assert [d.code for d in compile(text).diagnostics if d.severity == "error"] == ["E0402"]


SQUARES = r"""
\algoProc{\mathrm{Squares}}\pa{S} \\
  \algoFor{t \in \set{1, \dots, S}} \\ y_t \algoEq t^2 + a_t \\ \algoEndFor \\
  \algoReturn y \\
\algoEndProc
\begin{where} S \in \mathbb{N} & how many \\ S_{max} \in \mathbb{N} & at most \\ a \in \mathbb{R}^{S_{max}} & added \\ \end{where}
"""
CALLER = r"""
\algoProc{\mathrm{G}}\pa{x} \\
  y \algoEq \mathrm{Squares}(@) \\
  \algoReturn y \\
\algoEndProc
\begin{where} x \in \mathbb{R}^{T} & only its length counts \\
  T \in \mathbb{N} & its length \\ S_{max} \in \mathbb{N} & at most \\ \end{where}
"""


def test_a_size_may_be_given_as_a_number() -> None:
    module = compile(SQUARES).load().Squares(S_max=5)
    with torch.no_grad():
        module.a.fill_(0.5)
    assert module(3).tolist() == [1.5, 4.5, 9.5]
    assert module(torch.tensor(3)).tolist() == [1.5, 4.5, 9.5]
    assert module(0).shape == (0,)
    for wrong, error in ((-1, ValueError), (True, TypeError), (torch.tensor([2]), TypeError), (torch.tensor(2.0), TypeError)):
        with pytest.raises(error):
            module(wrong)


def test_a_call_gives_a_size_in_its_own_sizes() -> None:
    caller = compile(SQUARES + CALLER.replace("@", "T")).load().G(S_max=4)
    with torch.no_grad():
        caller.squares.a.zero_()
    assert caller(torch.zeros(2, 3)).tolist() == [[1.0, 4.0, 9.0]] * 2
    refused = compile(SQUARES + CALLER.replace("@", "x"))
    assert "E0403" in [d.code for d in refused.diagnostics]


LAST = r"""
\algoProc{\mathrm{Last}}\pa{x, c} \\
  w \algoEq c || x \\
  \algoReturn \cat{w_{\max(1, T - n + 1)}, \dots, w_T} \\
\algoEndProc
\begin{where}
  S \in \mathbb{N} & now \\ C \in \mathbb{N} & before \\ T \in \mathbb{N} & both \\ T = C + S \\ n \in \mathbb{N} & at most \\
  x_t \in \mathbb{R}, t = 1, \dots, S & now \\ c_t \in \mathbb{R} = [], t = 1, \dots, C & before \\ b \in \mathbb{R}^{n} & unused \\
\end{where}
"""


@pytest.mark.parametrize("length", [0, 2, 3, 5])
def test_the_last_of_a_sequence_as_many_as_there_are(length: int) -> None:
    result = compile(LAST)
    assert result.ok, [d.message for d in result.diagnostics]
    module = result.load().Last(n=3)
    x, c = torch.arange(2.0 * length).reshape(2, length), torch.tensor([[7.0], [8.0]])
    torch.testing.assert_close(module(x), x[:, max(0, length - 3) :])
    torch.testing.assert_close(module(x, c), torch.cat([c, x], -1)[:, max(0, length - 2) :])
    lengths = torch.tensor([length // 2, length])
    poisoned = torch.where(torch.arange(length) < lengths[:, None], x, torch.nan)
    ragged = module(poisoned, lengths=lengths)
    for row, own, count in zip(ragged, x, lengths.tolist(), strict=True):
        wanted = own[max(0, count - 3) : count]
        torch.testing.assert_close(row[: len(wanted)], wanted)
        assert not row[len(wanted) :].any()


DEFAULTS = r"""
\Module{B}{x ; W, k}
  \Return W @ x \\
\EndModule
\begin{where}
  x \in \mathbb{R}^{d} & \\ W \in \mathbb{R}^{k \times d} & \\ k \in \mathbb{N} = 3 & \\
\end{where}
\Module{M}{x ; f, g, m, n, c}
  \Return (f(x), g^1(x), \mathrm{B}(x), \sum_{j=1}^{n} c j) \\
\EndModule
\begin{where}
  x \in \mathbb{R}^{d} & \\ m \in \mathbb{N} = 4 & \\ n \in \mathbb{N} = 2 & \\ c \in \mathbb{N} = 0 & \\
  f \in \mathrm{B}(d \gets d) & \\ g \in \mathrm{B}(d \gets d, k \gets m)^{n} & \\
\end{where}
"""


def test_a_natural_number_with_a_default_is_a_size_where_it_stands_for_one() -> None:
    assert check_text(DEFAULTS) == 2
    module = compile(DEFAULTS).load().M(d=5)
    assert [value.shape for value in module(torch.ones(5))] == [(3,), (4,), (3,), ()]
    assert len(module.g) == 2
    rows = {row.python: row.kind for row in compile(DEFAULTS).symbols if row.module == "M"}
    assert [rows[name] for name in ("m", "n", "c")] == ["hyperparameter", "hyperparameter", "setting"]


@pytest.mark.parametrize(("default", "relation", "code"), [("1.5", "", "E0403"), ("3", r"k = 2 d & \\", "E0404")])
def test_the_default_of_a_size_is_a_size_of_its_own(default: str, relation: str, code: str) -> None:
    changed = DEFAULTS.replace("= 3 & \\\\", f"= {default} & \\\\ {relation}")
    assert [d.code for d in compile(changed).diagnostics if d.severity == "error"] == [code]


def test_the_least_of_sizes_is_a_size_of_its_own_in_the_author_s_symbols() -> None:
    text = r"""
\Module{M}{x ; W}
  y_t \gets W x_t \quad (t = 1, \dots, \min(S, k_{max} - 1)) \\
  \Return y \\
\EndModule
\begin{where}
  k_{max} \in \mathbb{N} & \\ d_{in} \in \mathbb{N} & \\
  x_t \in \mathbb{R}^{d_{in} d_{in}}, t = 1, \dots, S & \\
  W \in \mathbb{R}^{k_{max} \times d_{in} d_{in}} & \\
\end{where}
"""
    assert check_text(text) == 1
    rows = {row.python: row for row in compile(text).symbols}
    assert rows["n"].symbol == r"\min(S, k_{max} - 1)"
    assert rows["y"].shape == r"\min(S, k_{max} - 1) × k_{max}"
    assert rows["x"].shape == "S × d_{in}^2"


@pytest.mark.parametrize(
    ("header", "table", "wanted"),
    [
        (r"x \in \mathbb{R}^{n}; f", r"f^i \in \mathrm{Linear}(n, n), i = 1, \dots, k", "n k"),
        (r"x; f", r"f^i \in \mathrm{Linear}(n, n), i = 1, \dots, k \\ x \in \mathbb{R}^{n}", "n k"),
        (r"x; f", r"k \in \mathbb{N} \\ x \in \mathbb{R}^{n} \\ f^i \in \mathrm{Linear}(n, n), i = 1, \dots, k", "k n"),
        (r"x; f, k", r"x \in \mathbb{R}^{n} \\ k \in \mathbb{N} \\ f^i \in \mathrm{Linear}(n, n), i = 1, \dots, k", "k n"),
        (
            r"x; f, q, p \in [0, 1]",
            r"b \in [0, 1] \\ q \in [0, 1] = 0.5 \\ x \in \mathbb{R}^n \\ f^i \in \mathrm{Linear}(n, n), i = 1, \dots, k",
            "n k q p b",
        ),
    ],
)
def test_sizes_and_settings_come_in_the_order_of_the_header_then_of_the_tables(header: str, table: str, wanted: str) -> None:
    body = r"h_0 \gets x \\ h[1 \leq i \leq k] \gets f^i(h_{i-1}) \\ \Return " + ("q p b h_k" if "b" in wanted.split() else "h_k")
    result = compile(rf"\Module{{M}}{{{header}}} {body} \\ \EndModule \begin{{where}} {table} \end{{where}}")
    signature = re.search(r"def __init__\(\s*self, \*, ([^)]*)\)", result.source)
    assert signature is not None
    assert " ".join(re.findall(r"(\w+):", signature[1])) == wanted


@pytest.mark.parametrize(("header", "row"), [("; ", r"L \in \mathbb{N} = 3 & \\"), (r"; L \in \mathbb{N} = 3", "")])
def test_a_default_bounds_a_range_that_is_written_with_relations(header: str, row: str) -> None:
    text = rf"\Module{{F}}{{x {header}}} h[1 \leq l \leq L] \gets 2 h[l-1] \\ h[0] \gets x \\ \Return h[L] \\ \EndModule"
    module = compile(text + rf"\begin{{where}} x \in \mathbb{{R}} & \\ {row} \end{{where}}").load().F
    assert module()(torch.tensor(5.0)).item() == 40
    assert module(L=1)(torch.tensor(5.0)).item() == 10
