r"""Whole axes in an index, `X_{\cdot,k}`, `X[:, k]`: what they read and define, against torch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from differential import check_text
from torch import Tensor

from mathdsl import compile

ROWS = {
    "X": r"\mathbb{R}^{S \times d}",
    "k": r"\{1, \dots, d\}",
    "W_Q": r"\mathbb{R}^{S \times d}",
}


def errors(text: str) -> list[tuple[str, str]]:
    return [(d.code, d.message) for d in compile(text).diagnostics if d.severity == "error"]


def module(body: str, header: str = "X, k ; ") -> str:
    rows = " ".join(rf"{name} \in {kind} & \\" for name, kind in ROWS.items() if name in header)
    return rf"\Module{{F}}{{{header}}} {body} \\ \EndModule \begin{{where}} {rows} \end{{where}}"


@pytest.mark.parametrize("mark", [r"X_{\cdot,k}", "X_{*,k}", "X_{:,k}", "X[:, k]", r"X[\cdot, k]", "X[*, k]"])
def test_a_column_is_read_whole(mark: str) -> None:
    text = module(rf"\Return 2 {mark} + X_{{\cdot,1}}")
    assert check_text(text) == 1
    x = torch.randn(3, 4)
    torch.testing.assert_close(compile(text).load().F()(x, torch.tensor(3)), 2 * x[:, 2] + x[:, 0])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"y_j \gets \max(X[\cdot, j]) \quad (j = 1, \dots, d - 1) \\ \Return y", lambda x: x[:, 1:].max(0).values),
        (r"y_j \gets \max(X_{\cdot,j}) \quad (j = 1, \dots, d) \\ \Return y", lambda x: x.max(0).values),
        (r"y_j \gets \softmax(X_{j,\cdot}) \quad (j = 0, \dots, S - 1) \\ \Return y", lambda x: x.softmax(1)),
        (r"P_{\cdot,j} \gets 2 X_{\cdot,j} \quad (j = 0, \dots, d - 1) \\ \Return P", lambda x: 2 * x),
        (r"\Return X[1:2, \cdot]^\top", lambda x: x[1:3].T),
        (r"\Return X_{\cdot,\cdot}", lambda x: x),
        (r"\Return X[:][1]", lambda x: x[1]),
        (r"\Return X_{0,\cdot}[1]", lambda x: x[0, 1]),
        (r"\Return X[:, 1][2]", lambda x: x[2, 1]),
    ],
)
def test_beside_an_index_variable(body: str, expected: Callable[[Tensor], Tensor]) -> None:
    text = module(body, "X ; ")
    x = torch.randn(4, 5)
    torch.testing.assert_close(compile(text).load().F()(x), expected(x))


def test_the_longest_name_of_an_array_is_its_name() -> None:
    text = module(r"\Return X_{\cdot,k} + W_{Q,\cdot,k}", "X, k ; W_Q")
    made = compile(text).load().F(S=3, d=4)
    x = torch.randn(3, 4)
    torch.testing.assert_close(made(x, torch.tensor(2)), x[:, 1] + made.W_Q[:, 1])


@pytest.mark.parametrize(
    "definition", [r"W_{Q,t} \gets 2 X_t \quad (t = 0, \dots, S - 1)", r"W_Q[0 \leq t < S] \gets 2 X[t]", r"W_Q \gets 2 X"]
)
def test_the_name_of_an_array_however_it_is_defined(definition: str) -> None:
    x = torch.randn(3, 4)
    text = module(rf"{definition} \\ \Return W_{{Q,\cdot,0}}", "X ; ")
    torch.testing.assert_close(compile(text).load().F()(x), 2 * x[:, 0])


def test_versions_of_an_array_in_an_algorithm() -> None:
    text = r"""
    \algoProc{\mathrm{F}}\pa{X, Q} \\
      Y \algoEq 2 X \\
      Y_Z \algoEq X \\
      Y_Z \algoEq 3 Y_Z \\
      \algoFor{k \in \set{1, \dots, n}} \\
        Y \algoEq Y + Q_{\cdot,k} \cdot Y_{k,\cdot}^\top \\
        z_k \algoEq W_{\cdot,k}^\top Q_{\cdot,1} \\
      \algoEndFor \\
      \algoReturn (Y_{\cdot,n} + Y_{1,\cdot} + Y_{Z,\cdot,1}, z) \\
    \algoEndProc
    \begin{where} X, Q, W \in \mathbb{R}^{n \times n} & square \\ \end{where}
    """
    assert check_text(text) == 1
    made = compile(text).load().F(n=4).double()
    x, q = torch.randn(2, 4, 4, dtype=torch.float64)
    y = 2 * x
    for k in range(4):
        y = y + torch.outer(q[:, k], y[k])
    found, z = made(x, q)
    torch.testing.assert_close(found, y[:, 3] + y[0] + 3 * x[:, 0])
    torch.testing.assert_close(z, made.W.T @ q[:, 0])


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (r"\Return X_{\cdot,\cdot,k}", "E0402", "`X` has 2 axes, and 3 are indexed"),
        (r"\Return y_{\cdot,k}", "E0301", "`y` is declared nowhere"),
        (r"\Return X[0:1][0]", "E0701", "an index on a slice is not supported yet"),
        (r"\Return X_{:k}", "E0701", "a slice with an open end or a computed bound is not supported yet"),
        (
            r"y_j \gets \max(X_{\cdot,j}) \quad (j = 0, \dots, d) \\ \Return y",
            "E0502",
            r"`X_{\cdot,d}` is read, and `X` runs over 0 .. d-1",
        ),
        (r"\Return X_{1:2,\cdot}^\top", "E0502", "the first index of `X` can be 1, or 0"),
    ],
)
def test_what_is_refused(body: str, code: str, message: str) -> None:
    assert errors(module(body, "X, k ; " if "k" in body else "X ; ")) == [(code, message)]


def test_a_column_of_an_array_is_updated() -> None:
    text = r"""
    \algoProc{\mathrm{F}}\pa{X} \\
      P \algoEq 2 X \\
      P_{\cdot,1} \algoEq X_{\cdot,2} \\
      \algoReturn P \\
    \algoEndProc
    \begin{where} X \in \mathbb{R}^{S \times d} & a matrix \\ \end{where}
    """
    X = torch.randn(4, 3, dtype=torch.float64)
    torch.testing.assert_close(compile(text).load().F()(X), torch.cat([X[:, 1:2], 2 * X[:, 1:]], 1))


@pytest.mark.parametrize("domain", [r"t = S, \dots, 1", r"t = S - 1, \dots, 0", r"S \leq t \leq 1"])
def test_a_range_that_goes_down_is_not_an_empty_one(domain: str) -> None:
    rows = r"\begin{where} x_t \in \mathbb{R}, t = 0, \dots, S + 1 & \\ \end{where}"
    module = f"\\Module{{F}}{{x ; }} h_t \\gets 2 x_t \\quad ({domain}) \\\\ \\Return h \\\\ \\EndModule {rows}"
    whole, found = torch.arange(7.0), compile(module)
    if r"\leq" in domain:
        assert [d.code for d in found.diagnostics if d.severity == "error"] == ["E0505"]
    else:
        torch.testing.assert_close(found.load().F()(whole), 2 * (whole[:5] if "0" in domain else whole[1:6]))
    loop = domain.replace("S \\leq t \\leq 1", r"t \in \{S, \dots, 1\}")
    algorithm = (
        f"\\begin{{algorithmic}} \\Procedure{{F}}{{$x$}} \\State $h_0 \\gets 0$ \\For{{${loop}$}} \\State $h_t \\gets 2 x_t$ \\EndFor"
    )
    algorithm += f" \\State \\Return $h$ \\EndProcedure \\end{{algorithmic}} {rows}"
    upwards = algorithm.replace(r"S, \dots, 1", r"1, \dots, S").replace(r"S - 1, \dots, 0", r"0, \dots, S - 1")
    x = torch.randn(5)
    torch.testing.assert_close(compile(algorithm).load().F()(x), compile(upwards).load().F()(x))
