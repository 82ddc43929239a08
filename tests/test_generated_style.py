"""The handwriting of generated code: each rule with a program that shows it, and what the code then computes."""

from __future__ import annotations

import ast

import pytest
import torch

import mathdsl


def compiled(source: str) -> str:
    """The generated text."""
    result = mathdsl.compile(source)
    assert result.ok, [found.message for found in result.diagnostics]
    return result.source


def loop_variables(text: str) -> list[str]:
    """The variables of all loops and comprehensions of the last class's forward, in order."""
    forward = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == "forward"][-1]
    return [ast.unparse(node.target) for node in ast.walk(forward) if isinstance(node, ast.For | ast.comprehension)]


LOOPS = r"""
\Module{M}{x ; W}
\begin{where}
x_t \in \mathbb{R}^{d}, t = 1, \dots, S & the input \\
W \in \mathbb{R}^{d \times d} & a weight \\
\end{where}
h_0 = \mathbf{0}^{d} \\
h_t = \tanh(W @ h_{t-1} + x_t) \quad (t = 1, \dots, S) \\
g_0 = \mathbf{0}^{d} \\
g_t = \tanh(W @ g_{t-1} + h_t) \quad (t = 1, \dots, S) \\
\Return (g_t)_{t=1}^{S} \\
\EndModule
"""


def test_a_later_loop_uses_the_letter_again() -> None:
    assert [found for found in loop_variables(compiled(LOOPS)) if found != "k"] == ["t", "t"]


TWO_LISTS = r"""
\Module{M}{[a^1, \dots, a^n], [b^1, \dots, b^n] ; }
\begin{where}
a^i \in \mathbb{R}^{d}, i = 1, \dots, n & some \\
b^i \in \mathbb{R}^{d}, i = 1, \dots, n & others \\
\end{where}
\Return \sum_{i=1}^{n} (a^i + b^i) \\
\EndModule
"""


def test_a_list_that_gives_sizes_is_looked_at_again() -> None:
    text = compiled(TWO_LISTS)
    assert [line.strip() for line in text.splitlines() if line.startswith("            _check(")] == [
        '_check(f"a[{place}]", item, "(..., d)", None, -1)',
        '_check(f"b[{place}]", item, "(..., d)", batch, d)',
        '_check(f"a[{place}]", item, "(..., d)", batch, d)',
    ]
    module = mathdsl.load(TWO_LISTS).M(n=2)
    one, two = [torch.ones(3), torch.zeros(3)], [torch.ones(3), torch.ones(3)]
    assert module(one, two).tolist() == [3.0] * 3


INSIDE = r"""
\Module{Cell}{x ; W \in \mathbb{R}^{m \times n}}
y \gets \tanh(W x) \\
\Return y \\
\EndModule

\Module{Around}{x \in \mathbb{R}^{d} ; C \in \mathrm{Cell}(\max(d, m), d)}
z \gets C(x) \\
\Return z + z \\
\EndModule
"""


def test_what_a_submodule_gives_has_the_authors_name_only() -> None:
    text = compiled(INSIDE)
    body = text[text.index("class Around") :]
    assert "C_y" not in body
    assert "# y \\gets \\tanh(W x)\n        # z \\gets C(x)\n        z = torch.tanh(" in body
    module = mathdsl.load(INSIDE).Around(d=2, m=3)
    torch.testing.assert_close(module(torch.ones(2)), 2 * torch.tanh(module.C.W.sum(-1)))


def test_the_docstring_says_what_a_computed_size_is_and_no_name_twice() -> None:
    body = compiled(INSIDE).partition("class Around")[2]
    rows = body[body.index("name ") : body.index("The submodules")].strip().splitlines()
    assert [row.split() for row in rows[1:]] == [
        ["x", "input", "(...,", "d)"],
        ["z", "value", "(...,", "n)"],
        ["C.W", "parameter", "(n,", "d)"],
        ["n", "size", "max(d,", "m)"],
    ]


TWO_NAMES = r"""
\Module{M}{x \in \mathbb{R}^{d} ; }
y \gets x + 1 \\
z \gets y \\
\Return y + z \\
\EndModule
"""


def test_what_the_author_gives_two_names_keeps_both() -> None:
    assert "        z = y  # (..., d)\n" in compiled(TWO_NAMES)


PAIRS = r"""
\Module{Layer}{x, h_0 ; W}
\begin{where}
x_t \in \mathbb{R}^{d}, t = 1, \dots, S & the input \\
h_0 \in \mathbb{R}^{d} & the state before \\
W \in \mathbb{R}^{d \times d} & a weight \\
\end{where}
h_t = \tanh(W @ h_{t-1} + x_t) \quad (t = 1, \dots, S) \\
\Return ((h_t)_{t=1}^{S}, 2 h_S) \\
\EndModule

\Module{Stack}{x, [h_0^1, \dots, h_0^n] ; f}
\begin{where}
x_t \in \mathbb{R}^{d}, t = 1, \dots, S & the input \\
h_0^\ell \in \mathbb{R}^{d}, \ell = 1, \dots, n & the states before \\
f^\ell \in \mathrm{Layer}(d), \ell = 1, \dots, n & the layers \\
u_t^\ell \in \mathbb{R}^{d}, t = 1, \dots, S, \ell = 0, \dots, n & what a layer gives \\
r^\ell \in \mathbb{R}^{d}, \ell = 1, \dots, n & its last state, twice \\
\end{where}
u^0 = x \\
(u^\ell, r^\ell) = f^\ell(u^{\ell-1}, h_0^\ell) \quad (\ell = 1, \dots, n) \\
\Return (u^n, [r^1, \dots, r^n]) \\
\EndModule

\Module{Net}{x, [h_0^1, \dots, h_0^n] ; g}
\begin{where}
x_t \in \mathbb{R}^{d}, t = 1, \dots, S & the input \\
h_0^\ell \in \mathbb{R}^{d}, \ell = 1, \dots, n & the states before \\
g \in \mathrm{Stack}(d, n) & a stack of layers \\
r^\ell \in \mathbb{R}^{d}, \ell = 1, \dots, n & the last states, twice \\
\end{where}
(u, r) = g(x, [h_0^1, \dots, h_0^n]) \\
\Return (u, [r^1, \dots, r^n]) \\
\EndModule
"""


def test_pairs_and_lists_that_a_call_gives_stay_what_they_are() -> None:
    text = compiled(PAIRS)
    assert "            u, r_at[ell] = self.f[ell - 1](" in text
    assert "        u, r = self.g(x, h_0, lengths=S_own)\n        return u, r\n" in text
    net = mathdsl.load(PAIRS).Net(d=2, n=3)
    u, r = net(torch.ones(4, 2), [torch.zeros(2)] * 3)
    assert len(r) == 3
    torch.testing.assert_close(r[-1], 2 * u[-1])


LONG = r"""
\Module{M}{x \in \R^{d} ; A \in \R^{d_{first} \times d}, B \in \R^{d_{next} \times d}, C \in \R^{d_{last} \times d}}
\Return (A x, B x, C x) \\
\EndModule
"""


def test_a_long_list_of_sizes_stands_on_several_lines() -> None:
    shown = compiled(LONG).partition("def extra_repr")[2].partition("def forward")[0]
    assert max(map(len, shown.splitlines())) <= 88
    module = mathdsl.load(LONG).M(d=1, d_first=2, d_next=3, d_last=4)
    assert module.extra_repr() == "d=1, d_first=2, d_next=3, d_last=4"


def test_checks_stand_apart_from_the_mathematics() -> None:
    text = compiled(PAIRS)
    assert text.count("x = _fill(x, S_own, -2)\n\n") == 3


TOKENS = r"""
\Module{M}{x ; E}
\begin{where}
x_t \in \{0, \dots, V-1\}, t = 1, \dots, S & tokens \\
E \in \mathbb{R}^{V \times d} & a vector for each \\
\end{where}
\Return (E[x_t])_{t=1}^{S} \\
\EndModule
"""


def test_tokens_are_looked_at_without_their_padding_which_is_made_once() -> None:
    text = compiled(TOKENS)
    body = text[text.index("class M") :]
    assert body.count("_fill(x, S_own, -1)") == 1
    assert '_check_range("x", x, 0, self.V - 1)\n' in body
    module = mathdsl.load(TOKENS).M(V=5, d=2)
    tokens = torch.tensor([[1, 2, 99], [4, 4, 4]])
    assert module(tokens, lengths=torch.tensor([2, 3])).shape == (2, 3, 2)
    with pytest.raises(ValueError, match=r"x: expected indices in 0 .. 4, got 1 .. 99"):
        module(tokens)


NUMBERS = r"""
\Module{M}{x \in \mathbb{R}^{d}, c \in \mathbb{B} ; W \in \mathbb{R}^{d \times d}}
y \gets W x / \sqrt{d} \\
\Return \begin{cases} -10^9 & c \\ \sum_{i=0}^{d-1} y_i & \text{otherwise} \end{cases} \\
\EndModule
"""


def test_numbers_are_spelled_plainly() -> None:
    body = compiled(NUMBERS).partition("class M")[2]
    assert "float(" not in body
    assert "-1000000000.0" in body
    assert "/ math.sqrt(self.d)" in body
    module = mathdsl.load(NUMBERS).M(d=4)
    x = torch.arange(4.0)
    assert module(x, torch.tensor(True)) == -1e9
    torch.testing.assert_close(module(x, torch.tensor(False)), (module.W @ x).sum() / 2)


TWICE = r"""
\Module{M}{x \in \mathbb{R}^{d} ; W \in \mathbb{R}^{d \times d}}
\Return \tanh(W x) + \exp(W x) \\
\EndModule
"""


def test_what_a_statement_computes_twice_gets_a_name() -> None:
    body = compiled(TWICE).partition("class M")[2]
    assert "        W_x = torch.nn.functional.linear(x, self.W)\n" in body
    assert "return torch.tanh(W_x) + torch.exp(W_x)" in body
    module = mathdsl.load(TWICE).M(d=3)
    product = module.W @ torch.ones(3)
    torch.testing.assert_close(module(torch.ones(3)), torch.tanh(product) + torch.exp(product))


DROPPED = r"""
\Module{M}{x \in \mathbb{R}^{d} ; p \in [0, 1]}
\Return \Dropout(x, p) + \Dropout(x, p) \\
\EndModule
"""


def test_each_draw_of_random_numbers_stays_one() -> None:
    text = "".join(compiled(DROPPED).partition("class M")[2].split())
    assert text.count("_dropout(x,self.p,self.training,generator)") == 2
    torch.manual_seed(0)
    found = mathdsl.load(DROPPED).M(p=0.5)(torch.ones(1000))
    assert sorted(set(found.tolist())) == [0.0, 2.0, 4.0]


BRANCHES = r"""
\Module{M}{x \in \mathbb{R}^{d} ; W \in \mathbb{R}^{d \times d}, c \in \mathbb{B}}
\Return \begin{cases} \tanh(W x) + \exp(W x) & c \\ x & \text{otherwise} \end{cases} \\
\EndModule
"""


def test_nothing_leaves_a_branch_that_may_not_be_taken() -> None:
    body = compiled(BRANCHES).partition("class M")[2]
    assert body.count("torch.nn.functional.linear(x, self.W)") == 2
    assert "            if self.c\n            else x\n" in body


def test_what_the_author_speaks_of_stands_before_the_helpers() -> None:
    names = [node.name for node in ast.parse(compiled(PAIRS)).body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    assert names[:3] == ["Layer", "Stack", "Net"]
    assert names[3:] == sorted(names[3:])
    assert all(name.startswith("_") for name in names[3:])


def test_names_of_one_module_stand_on_one_import() -> None:
    assert compiled(LOOPS).count("from collections.abc import ") == 1


LAST = r"""
\Module{Layer}{x, h_0 ; W}
\begin{where}
x_t \in \mathbb{R}^{d}, t = 1, \dots, S & the input \\
h_0 \in \mathbb{R}^{d} & the state before \\
W \in \mathbb{R}^{d \times d} & a weight \\
\end{where}
h_t = \tanh(W @ h_{t-1} + x_t) \quad (t = 1, \dots, S) \\
\Return (h_t)_{t=1}^{S} \\
\EndModule

\Module{Stack}{x, [h_0^1, \dots, h_0^n] ; f}
\begin{where}
x_t \in \mathbb{R}^{d}, t = 1, \dots, S & the input \\
h_0^\ell \in \mathbb{R}^{d}, \ell = 1, \dots, n & the states before \\
f^\ell \in \mathrm{Layer}(d), \ell = 1, \dots, n & the layers \\
u_t^\ell \in \mathbb{R}^{d}, t = 1, \dots, S, \ell = 0, \dots, n & what a layer sees \\
h_t^\ell \in \mathbb{R}^{d}, t = 0, \dots, S, \ell = 1, \dots, n & what a layer gives \\
\end{where}
u^0 = x \\
h^\ell = f^\ell(u^{\ell-1}, h_0^\ell) \quad (\ell = 1, \dots, n) \\
u^\ell = 2 h^\ell \quad (\ell = 1, \dots, n) \\
\Return (u^n, [h_S^1, \dots, h_S^n]) \\
\EndModule
"""


def test_one_element_of_a_history_is_taken_without_putting_the_history_together() -> None:
    body = compiled(LAST).partition("class Stack")[2]
    assert "_own_last(h_0_at[i], h_at[i], -2, S_own) for i in range(1, self.n + 1)" in body
    stack = mathdsl.load(LAST).Stack(d=2, n=2)
    x, first = torch.randn(3, 4, 2), [torch.randn(3, 2) for _ in range(2)]
    u, last = stack(x, first)
    torch.testing.assert_close(2 * last[1], u[:, -1])
    u, last = stack(x, first, lengths=torch.tensor([4, 0, 2]))
    torch.testing.assert_close(2 * last[1], torch.stack([u[0, 3], 2 * first[1][1], u[2, 1]]))
    for found, given in zip(stack(x[:, :0], first)[1], first, strict=True):
        torch.testing.assert_close(found, given)
