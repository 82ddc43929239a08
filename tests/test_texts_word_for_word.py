r"""Programs as published texts print them, in module and algorithm notation: values, gradients, a batch and ragged lengths."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor

import mathdsl

Meaning = Callable[..., Any]


def module(header: str, rows: str, *lines: str) -> str:
    r"""A module of that header, with a table and lines of which the last one is returned."""
    *body, last = lines
    table = "".join(f"{row} & \\\\\n" for row in rows.split("; ") if row)
    statements = "".join(f"{line} \\\\\n" for line in body)
    return f"\\Module{{M}}{{{header}}}\n{statements}\\Return {last} \\\\\n\\EndModule\n\\begin{{where}}\n{table}\\end{{where}}\n"


def algorithm(header: str, rows: str, *lines: str) -> str:
    r"""The same in algorithm notation; a line that begins with a backslash and a capital letter is a command of its own."""
    *body, last = lines
    required = "".join(f"\\Require ${row}$\n" for row in rows.split("; ") if row)
    statements = "".join(f"{line}\n" if line[1:2].isupper() else f"\\State ${line}$\n" for line in body)
    end = f"\\State \\Return ${last}$\n\\EndProcedure\n"
    return f"\\begin{{algorithmic}}\n{required}\\Procedure{{M}}{{${header}$}}\n{statements}{end}\\end{{algorithmic}}\n"


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def outputs(value: Any) -> tuple[Tensor, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def check(text: str, inputs: tuple[Tensor, ...], expected: Meaning, parameters: Mapping[str, Tensor] | None = None, **settings: Any) -> Any:
    """Each example of a batch, all of it, and the gradients of both, against plain torch; `inputs` have a batch axis. The module."""
    loaded: ModuleType = mathdsl.load(text)
    program = loaded.M(**settings).double()
    for name, value in (parameters or {}).items():
        getattr(program, name).data.copy_(value)
    leaves = tuple(x.clone().requires_grad_(x.is_floating_point()) for x in inputs)
    real = [leaf for leaf in leaves if leaf.requires_grad]
    alone = [outputs(expected(*(leaf[k] for leaf in leaves))) for k in range(len(inputs[0]))]
    wanted = tuple(torch.stack(values) for values in zip(*alone, strict=True))
    found = outputs(program(*leaves))
    single = outputs(program(*(leaf[0] for leaf in leaves)))
    for one, first, value in zip(found, single, wanted, strict=True):
        torch.testing.assert_close(one, value, check_dtype=value.is_floating_point())
        torch.testing.assert_close(first, value[0], check_dtype=value.is_floating_point())
    sums = [sum(value.sin().sum() for value in values if value.requires_grad) for values in (found, wanted)]
    if all(isinstance(one, Tensor) for one in sums):
        pairs = (torch.autograd.grad(one, real, allow_unused=True) for one in sums)
        for mine, other in zip(*pairs, strict=True):
            zero = torch.zeros(())
            torch.testing.assert_close(zero if mine is None else mine, zero if other is None else other)
    return program


NOTATIONS = pytest.mark.parametrize("written", [module, algorithm])

# ---- letters below operators ---------------------------------------------------------------------

POINTS = r"x_i \in \mathbb{R}^d, i = 1, \dots, n; \mu_k \in \mathbb{R}^d, k = 1, \dots, K"


def nearest(x: Tensor, mu: Tensor) -> Tensor:
    return (x[:, None] - mu[None]).square().sum(-1).argmin(1) + 1


def test_a_letter_is_an_index_below_an_operator_beside_a_family_of_its_name() -> None:
    x, mu = numbers(2, 5, 3), numbers(2, 4, 3, seed=1)
    line = r"k_i \gets \arg\min_k \| x_i - \mu_k \|^2"
    program = check(module(r"x, \mu ; ", POINTS, line + r" \quad (i = 1, \dots, n)", "k"), (x, mu), nearest)
    short = program(x, mu, lengths={"n": torch.tensor([5, 3]), "K": torch.tensor([2, 4])})
    assert short.tolist() == [nearest(x[0], mu[0, :2]).tolist(), [*nearest(x[1, :3], mu[1]).tolist(), 0, 0]]
    check(algorithm(r"x, \mu", POINTS, r"\For{$i = 1, \dots, n$}", line, r"\EndFor", "k"), (x, mu), nearest)


@NOTATIONS
def test_a_letter_is_an_index_below_an_operator_that_defines_it(written: Callable[..., str]) -> None:
    rows = r"x \in \mathbb{R}^d; \mu_k \in \mathbb{R}^d, k = 1, \dots, K"
    header = r"x, \mu" + (" ; " if written is module else "")
    text = written(header, rows, r"k \gets \arg\min_k \| x - \mu_k \|^2", r"(k, \mu_k)")

    def expected(x: Tensor, mu: Tensor) -> tuple[Tensor, Tensor]:
        best = (x - mu).square().sum(-1).argmin()
        return best + 1, mu[best]

    check(text, (numbers(3, 4), numbers(3, 5, 4, seed=1)), expected)


def test_a_letter_with_a_value_from_before_is_none() -> None:
    body = (r"k \gets 1", r"\For{$i = 1, \dots, n$}", r"k \gets \arg\min_k \| x_i - \mu_k \|^2", r"\EndFor", "k")
    (found,) = mathdsl.compile(algorithm(r"x, \mu", POINTS, *body)).diagnostics
    assert found.code == "E0701"
    assert "take another letter" in found.help


# ---- what is known at an index -------------------------------------------------------------------


def filtered(y: Tensor, m: Tensor, p: Tensor, a: float, c: float, q: float, r: float) -> tuple[Tensor, Tensor]:
    for one in y:
        m, p = a * m, a * a * p + q
        gain = p * c / (c * c * p + r)
        m, p = m + gain * (one - c * m), (1 - gain * c) * p
    return m, p


KALMAN = (
    r"m_{t|t-1} \gets A m_{t-1|t-1}",
    r"P_{t|t-1} \gets A^2 P_{t-1|t-1} + Q",
    r"K_t \gets P_{t|t-1} C / (C^2 P_{t|t-1} + R)",
    r"m_{t|t} \gets m_{t|t-1} + K_t (y_t - C m_{t|t-1})",
    r"P_{t|t} \gets (1 - K_t C) P_{t|t-1}",
)
OBSERVED = r"y_t \in \mathbb{R}, t = 1, \dots, T"
STARTS = r"; m_{0|0}, P_{0|0} \in \mathbb{R}"


@pytest.mark.parametrize("notation", ["module", "algorithm"])
def test_an_index_before_a_bar_has_the_range_that_a_row_gives_it(notation: str) -> None:
    constants = {"A": 0.9, "C": 1.5, "Q": 0.3, "R": 0.7}
    result = r"(m_{T|T}, P_{T|T})"
    if notation == "module":
        rows = OBSERVED + STARTS + r"; A, C, Q, R \in \mathbb{R}_{>0}"
        text = module("y, m_{0|0}, P_{0|0} ; A, C, Q, R", rows, *KALMAN, result)
        settings = constants
    else:
        given = tuple(rf"{name} \gets {value}" for name, value in constants.items())
        loop = (r"\For{$t = 1, \dots, T$}", *KALMAN, r"\EndFor")
        text, settings = algorithm("y, m_{0|0}, P_{0|0}", OBSERVED + STARTS, *given, *loop, result), {}
    y, m, p = numbers(2, 6), numbers(2, seed=1), numbers(2, seed=2).exp()
    program = check(text, (y, m, p), lambda y, m, p: filtered(y, m, p, *constants.values()), **settings)
    short = program(y, m, p, lengths=torch.tensor([6, 2]))
    torch.testing.assert_close([value[1] for value in short], [*filtered(y[1, :2], m[1], p[1], *constants.values())])


def test_an_index_before_a_bar_without_a_row_still_asks_for_its_range() -> None:
    rows = r"y \in \mathbb{R}^T; m_{0|0}, P_{0|0} \in \mathbb{R}; A, C, Q, R \in \mathbb{R}"
    result = mathdsl.compile(module("y, m_{0|0}, P_{0|0} ; A, C, Q, R", rows, *KALMAN, r"(m_{T|T}, P_{T|T})"))
    assert "nothing tells what `t` runs over" in [found.message for found in result.diagnostics]


# ---- results in braces ---------------------------------------------------------------------------


@pytest.mark.parametrize("returned", [r"\Return{$c, b$}", r"\Return{$c$, $b$}", r"\KwRet{$c, b$}", r"\Return{$(c, b)$}", r"\Return $c, b$"])
def test_braces_around_all_that_is_returned_mean_nothing(returned: str) -> None:
    text = "\\begin{algorithm}\n\\KwIn{$a, b \\in \\mathbb{R}^n$}\n$c \\gets a + 2 b$\\;\n" + returned + "\\;\n\\end{algorithm}\n"
    check(
        text.replace("algorithm}\n\\Kw", "algorithm}\n\\caption{M}\n\\Kw"),
        (numbers(2, 3), numbers(2, 3, seed=1)),
        lambda a, b: (a + 2 * b, b),
    )


def test_braces_around_a_part_of_what_is_returned_stay() -> None:
    rows = r"a, b \in \mathbb{R}^n"
    text = module("a, b ; ", rows, r"{a + b} - 2 {b}")
    check(text, (numbers(2, 3), numbers(2, 3, seed=1)), lambda a, b: a - b)


# ---- functions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (r"\frac{1}{\sqrt{s}} \exp(-u/s)", lambda u, s: (-u / s).exp() / s.sqrt()),
        (r"s u", lambda u, s: s * u),
        (r"\frac{1}{2} s \exp(-u)", lambda u, s: 0.5 * s * (-u).exp()),
        (r"\frac{1}{\sqrt{2 \pi} s} e^{-\frac{u^2}{2 s^2}}", lambda u, s: torch.distributions.Normal(0, s).log_prob(u).exp()),
    ],
)
def test_factors_of_a_function_are_numbers_where_nothing_is_declared(value: str, expected: Meaning) -> None:
    loaded = mathdsl.load(rf"f(u, s) \gets {value} \\")
    u, s = numbers(4).requires_grad_(), (numbers(4, seed=1).square() + 0.5).requires_grad_()
    torch.testing.assert_close(loaded.f(u, s), expected(u, s))
    torch.testing.assert_close(loaded.f(u[0], s[0]), expected(u[0], s[0]))
    grads = (torch.autograd.grad(f(u, s).sin().sum(), (u, s)) for f in (loaded.f, expected))
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize(("value", "kind"), [(r"w^\top x", "vectors"), (r"W x", "matrix")])
def test_factors_that_letters_or_transposes_tell_are_none(value: str, kind: str) -> None:
    names = "w, x" if kind == "vectors" else "W, x"
    loaded = mathdsl.load(rf"f({names}) \gets {value} \\")
    x, w = numbers(3), numbers(3, seed=1) if kind == "vectors" else numbers(2, 3, seed=1)
    torch.testing.assert_close(loaded.f(w, x), w @ x)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(r"\|u - s\|^2", lambda u, s: (u - s).square().sum(-1)), (r"-\frac{\|u - s\|}{2}", lambda u, s: -(u - s).norm(dim=-1) / 2)],
)
def test_norms_of_arguments_are_of_vectors(value: str, expected: Meaning) -> None:
    u, s = numbers(3, 4), numbers(3, 4, seed=1)
    torch.testing.assert_close(mathdsl.load(rf"f(u, s) \gets \exp({value}) \\").f(u, s), expected(u, s).exp())


# ---- numbers of the document ---------------------------------------------------------------------

PINBALL = r"\rho(u) \gets u (\tau - \mathbb{1}[u < 0])"
LOSS = (r"x \in \mathbb{R}^n", r"\sum_{i=1}^n \rho(x_i)")


def pinball(x: Tensor) -> Tensor:
    return torch.where(x < 0, -0.1 * x, 0.9 * x).sum()


@pytest.mark.parametrize("number", [r"\tau = 0.9", r"\tau = 1 - \frac{1}{10}", r"\tau \gets 0.9"])
@NOTATIONS
def test_a_line_of_its_own_names_a_number_for_functions(written: Callable[..., str], number: str) -> None:
    program = written("x ; " if written is module else "x", *LOSS)
    for first, second in ((number, PINBALL), (PINBALL, number)):
        text = f"{first} \\\\\n{second} \\\\\n{program}"
        check(text, (numbers(2, 5),), pinball)
        torch.testing.assert_close(mathdsl.load(text).rho(numbers(5)).sum(), pinball(numbers(5)))


@pytest.mark.parametrize("row", [r"\tau = 0.9 & the quantile \\", r"\tau \in (0, 1) = 0.9 & the quantile \\"])
def test_a_row_names_a_number_for_functions_above_and_below(row: str) -> None:
    table = "\\begin{where}\n" + row + "\n\\end{where}\n"
    program, function = module("x ; ", *LOSS), PINBALL + " \\\\\n"
    own = program.replace("\\end{where}\n", row + "\n\\end{where}\n")
    for text in (table + function + program, program + function + table, table + program + function, function + own, own + function):
        loaded = mathdsl.load(text)
        check(text, (numbers(2, 5),), pinball)
        torch.testing.assert_close(loaded.rho(numbers(5)).sum(), pinball(numbers(5)))


def test_a_number_that_a_module_takes_is_no_number_of_functions() -> None:
    table = "\\begin{where}\n\\tau = 0.9 & \\\\\n\\end{where}\n"
    text = table + PINBALL + " \\\\\n" + module("x ; ", r"x \in \mathbb{R}^n", r"\tau \sum_{i=1}^n \rho(x_i)")
    (found,) = mathdsl.compile(text).diagnostics
    assert found.code == "E0301"
    assert found.message == r"`\tau` is a setting of `M`, and this function stands outside of it"
    argument = text.replace(r"\rho(u)", r"\rho(u, \tau)").replace(r"\rho(x_i)", r"\rho(x_i, \tau)")
    check(argument, (numbers(2, 5),), lambda x: torch.where(x < 0, -0.5 * x, 0.5 * x).sum() * 0.5, tau=0.5)


def test_programs_begin_with_the_numbers_that_they_read() -> None:
    lines = "\\beta = 0.9 \\\\\nc = \\sqrt{\\beta} + 1 \\\\\n"
    x = numbers(2, 5)
    check(lines + module("x ; ", r"x \in \mathbb{R}^n", "c x"), (x,), lambda x: (0.9**0.5 + 1) * x)
    check(lines + module("x, c ; ", r"x \in \mathbb{R}^n; c \in \mathbb{R}", "c x"), (x, numbers(2)), lambda x, c: c * x)
    check(lines + module("x ; ", r"x \in \mathbb{R}^n", r"c \gets 2", "c x"), (x,), lambda x: 2 * x)


@pytest.mark.parametrize(
    ("line", "message"),
    [(r"W = A B \\", "a definition of a value"), ("c = 2 \\\\\nc = 3 \\\\", "is defined twice"), (r"c = d \\", "a definition")],
)
def test_other_lines_outside_of_programs_are_refused(line: str, message: str) -> None:
    found = mathdsl.compile(line + "\n" + module("x ; ", r"x \in \mathbb{R}^n", "2 x")).diagnostics
    assert any(message in one.message for one in found)


# ---- letters that have no value, or an unwanted one -------------------------------------------------


@pytest.mark.parametrize("name", [r"\mu_d", r"\mu_{1,d}", r"\mu_{a,d}"])
@NOTATIONS
def test_a_declared_name_is_asked_about_where_its_index_runs(written: Callable[..., str], name: str) -> None:
    rows = rf"x_d \in \mathbb{{R}}, d = 1, \dots, D; {name} \in \mathbb{{R}}"
    text = written(("x ; " if written is module else "x, ") + name, rows, rf"y \gets \sum_{{d=1}}^{{D}} {name} x_d", "y")
    assert [found.code for found in mathdsl.compile(text).diagnostics] == ["E0505"]
    whole = text.replace(rf"\sum_{{d=1}}^{{D}} {name} x_d", rf"{name} \sum_{{d=1}}^{{D}} x_d")
    assert mathdsl.compile(whole).ok


@pytest.mark.parametrize("value", [r"\softmax_j(s_{i,j})", r"\sum_{j=1}^n s_{i,j}", r"s_{i,j} + 1", r"s_{1,1} + s_{i,1}"])
@NOTATIONS
def test_an_index_without_a_value_makes_no_symbol_beside_an_array(written: Callable[..., str], value: str) -> None:
    text = written("s" + (" ; " if written is module else ""), r"s \in \mathbb{R}^{n \times n}", rf"a \gets {value}", "a")
    found = [one for one in mathdsl.compile(text).diagnostics if one.severity == "error"]
    assert [one.code for one in found] in (["E0301"], ["E0505"])
    assert "`i`" in found[0].message + " ".join(found[0].notes)


# ---- elements in parentheses ------------------------------------------------------------------------


@NOTATIONS
def test_elements_at_integers_are_written_in_parentheses(written: Callable[..., str]) -> None:
    rows = r"r \in \mathbb{R}; s, s' \in \{1, \dots, n\}; a \in \{1, \dots, m\}; Q_\phi \in \mathbb{R}^{n \times m}"
    text = written(
        r"r, s, a, s', Q_\phi" + (" ; " if written is module else ""),
        rows,
        r"y \gets r + 0.9 \max_{a'} Q_\phi(s', a')",
        r"Q_\phi(s, a) - y",
    )

    def expected(r: Tensor, s: Tensor, a: Tensor, after: Tensor, q: Tensor) -> Tensor:
        return q[s - 1, a - 1] - r - 0.9 * q[after - 1].max()

    inputs = numbers(3), torch.tensor([1, 4, 2]), torch.tensor([3, 1, 2]), torch.tensor([2, 2, 4]), numbers(3, 4, 3, seed=1)
    check(text, inputs, expected)


def test_elements_of_a_declared_array_are_assigned_in_parentheses() -> None:
    q_rows = r"Q \in \mathbb{R}^{n \times m}; r_t \in \mathbb{R}, s_t \in \{1, \dots, n\}, a_t \in \{1, \dots, m\}, t = 1, \dots, T"
    update = r"Q(s_t, a_t) \gets Q(s_t, a_t) + 0.5 (r_t + 0.9 \max_{a'} Q(s_{t+1}, a') - Q(s_t, a_t))"
    text = algorithm("Q, r, s, a", q_rows, r"\For{$t = 1, \dots, T - 1$}", update, r"\EndFor", "Q")

    def expected(q: Tensor, r: Tensor, s: Tensor, a: Tensor) -> Tensor:
        for t in range(len(r) - 1):
            at = (torch.arange(len(q))[:, None] == s[t] - 1) & (torch.arange(q.shape[1]) == a[t] - 1)
            old = q[s[t] - 1, a[t] - 1]
            q = torch.where(at, old + 0.5 * (r[t] + 0.9 * q[s[t + 1] - 1].max() - old), q)
        return q

    states, actions = torch.tensor([[1, 2, 1, 3], [3, 3, 3, 1]]), torch.tensor([[1, 2, 1, 2], [2, 2, 1, 1]])
    check(text, (numbers(2, 3, 2), numbers(2, 4, seed=1), states, actions), expected)


def test_a_parenthesis_that_holds_no_index_makes_no_element() -> None:
    text = algorithm("V, x", r"V, x \in \mathbb{R}^n", r"V(x) \gets 2 x", "V(x)")
    assert "E0303" in [found.code for found in mathdsl.compile(text).diagnostics]


def test_weights_of_a_gate_stay_names_where_their_letter_counts() -> None:
    rows = r"x_t \in \mathbb{R}^m, t = 1, \dots, T; W_t \in \mathbb{R}^{m \times m}"
    w = numbers(3, 3, seed=1)
    text = module("x ; W_t", rows, r"y_t \gets W_t x_t \quad (t = 1, \dots, T)", "y")
    check(text, (numbers(2, 4, 3),), lambda x: x @ w.T, {"W_t": w}, m=3)


# ---- products that can be misread ---------------------------------------------------------------------


@pytest.mark.parametrize("value", [r"\pi (x + 0.5)", r"2 \pi (x + 0.5)", r"2 \pi (3 x)", r"\frac{\pi (x + 0.5)}{2}"])
@NOTATIONS
def test_pi_before_a_sum_is_the_number(written: Callable[..., str], value: str) -> None:
    body = value.replace("x", "t").replace(r"\frac", "").replace("}{2}", "/2").replace("{", "").replace(r"\pi", "3.141592653589793 *")
    plain = body.replace("2 3.14", "2 * 3.14").replace("3 t", "3 * t")
    text = written("x" + (" ; " if written is module else ""), r"x \in \mathbb{R}", rf"y \gets \sin({value})", "y")
    check(text, (numbers(3),), lambda x: eval(plain, {"t": x}).sin())


def test_pi_that_can_be_applied_is_asked_about() -> None:
    for value in (r"\pi(x)", r"2 \pi(x)"):
        (found,) = mathdsl.compile(module("x ; ", r"x \in \mathbb{R}", value)).diagnostics
        assert found.code == "E0305"
    policy = module(r"x ; \pi", r"x \in \mathbb{R}^n; \pi \in \text{module}", r"\pi(x + 1)")
    loaded = mathdsl.load(policy).M(pi=torch.nn.Tanh())
    torch.testing.assert_close(loaded(numbers(2, 3)), torch.tanh(numbers(2, 3) + 1))


HARDSWISH = r"f(x) = \begin{cases} 0 & x \le -3, \\ x & x \ge +3, \\ ROW & \text{otherwise} \end{cases} \\"


def test_an_inner_product_in_a_row_beside_a_vector_is_asked_about() -> None:
    found = mathdsl.compile(HARDSWISH.replace("ROW", r"x \cdot (x + 3) / 6")).diagnostics
    assert [one.code for one in found if one.severity == "error"] == ["E0410"]
    x = numbers(5) * 3
    for row in (r"x \odot (x + 3) / 6", "x (x + 3) / 6"):
        torch.testing.assert_close(mathdsl.load(HARDSWISH.replace("ROW", row)).f(x), torch.nn.functional.hardswish(x))
    rows = r"a, b \in \mathbb{R}^n; c \in \mathbb{R}"
    text = module("a, b, c ; ", rows, r"\begin{cases} a \cdot b & c > 0 \\ 0 & \text{otherwise} \end{cases}")
    check(text, (numbers(3, 4), numbers(3, 4, seed=1), numbers(3, seed=2)), lambda a, b, c: torch.where(c > 0, a @ b, 0.0))


def test_a_mean_that_nothing_defines_is_asked_about() -> None:
    text = module("x ; ", r"x \in \mathbb{R}^n", r"\sum_{i=1}^n (x_i - \bar{x})^2")
    (found,) = mathdsl.compile(text).diagnostics
    assert found.message == r"`\bar{x}` is declared nowhere"
    check(text.replace(r"\bar{x}", r"\operatorname{mean}(x)"), (numbers(2, 4),), lambda x: x.var(correction=0) * 4)


# ---- an array before an integer in parentheses ------------------------------------------------------


def asked(text: str) -> list[tuple[str, str, str]]:
    return [(one.code, one.message, one.help or "") for one in mathdsl.compile(text).diagnostics if one.severity == "error"]


def question(array: str, index: str, element: str) -> tuple[str, str, str]:
    message = f"`{array}({index})` can be an element of `{array}`, or a product"
    return "E0409", message, f"write `{element}` for the element, or `({index}) {array}` for the product"


@NOTATIONS
@pytest.mark.parametrize(
    ("type_", "index", "meaning"),
    [
        (r"\{1, \dots, n\}", "k", lambda k: k),
        (r"\mathbb{N}", "k", lambda k: k),
        (r"\mathbb{Z}", "k + 1", lambda k: k + 1),
    ],
)
@pytest.mark.parametrize("value", ["{} + 0 k", r"\tanh(2 v + {}) k", "{}^2 + 0 k"])
def test_an_integer_in_parentheses_is_asked_about(
    written: Callable[..., str], type_: str, index: str, meaning: Callable[[Any], Any], value: str
) -> None:
    def text(part: str) -> str:
        rows = rf"v_j \in \mathbb{{R}}, j = 1, \dots, n; k \in {type_}"
        return written("v, k" + (" ; " if written is module else ""), rows, value.replace("{}", part))

    def expected(part: Callable[[Tensor, Any], Tensor]) -> Meaning:
        def of(v: Tensor, k: Tensor) -> Tensor:
            found = part(v, meaning(k))
            return torch.tanh(2 * v + found) * k if "tanh" in value else found**2 if "^" in value else found

        return of

    inputs = numbers(3, 4), torch.tensor([1, 3, 2])
    assert asked(text(f"v({index})")) == [question("v", index, f"v[{index}]")]
    check(text(f"v[{index}]"), inputs, expected(lambda v, at: v[at - 1]))
    check(text(f"(({index}) v)"), inputs, expected(lambda v, at: v * at))


@NOTATIONS
@pytest.mark.parametrize(("index", "at"), [("n", -1), ("n - 1", -2)])
def test_a_size_in_parentheses_is_asked_about(written: Callable[..., str], index: str, at: int) -> None:
    def text(part: str) -> str:
        return written("v" + (" ; " if written is module else ""), r"v_j \in \mathbb{R}, j = 1, \dots, n", part)

    assert asked(text(f"v({index})")) == [question("v", index, f"v[{index}]")]
    check(text(f"v[{index}]"), (numbers(3, 4),), lambda v: v[at])
    check(text(f"({index}) v"), (numbers(3, 4),), lambda v: v * (4 + at + 1))


@NOTATIONS
@pytest.mark.parametrize(("value", "factor"), [("v(2n)", 8), ("v(1 / n)", 1 / 4), (r"\pi (n + 1) v", 5 * math.pi)])
def test_multiples_of_a_size_in_parentheses_multiply(written: Callable[..., str], value: str, factor: float) -> None:
    text = written("v" + (" ; " if written is module else ""), r"v \in \mathbb{R}^n", value)
    check(text, (numbers(3, 4),), lambda v: factor * v)


@NOTATIONS
def test_elements_of_arrays_of_integers_in_parentheses_are_asked_about(written: Callable[..., str]) -> None:
    def text(after: str, now: str) -> str:
        line = rf"d_t \gets r_t + {after} - {now} \quad (t = 1, \dots, T - 1)"
        rows = r"V \in \mathbb{R}^K; s \in \{1, \dots, K\}^T; r_t \in \mathbb{R}, t = 1, \dots, T"
        return written("V, s, r" + (" ; " if written is module else ""), rows, line, "d")

    questions = [question("V", "s_{t + 1}", "V_{s_{t + 1}}"), question("V", "s_t", "V_{s_t}")]
    assert asked(text("V(s_{t+1})", "V(s_t)")) == questions
    given = torch.tensor([1.0, 2.0, 4.0]), torch.tensor([3, 1, 2]), torch.tensor([10.0, 20.0, 30.0])
    assert mathdsl.load(text("V_{s_{t + 1}}", "V_{s_t}")).M()(*given).tolist() == [7.0, 21.0]
    inputs = numbers(2, 3), torch.tensor([[3, 1, 2, 2], [1, 1, 3, 2]]), numbers(2, 4, seed=1)
    check(text("V_{s_{t + 1}}", "V_{s_t}"), inputs, lambda v, s, r: r[:-1] + v[s[1:] - 1] - v[s[:-1] - 1])


@NOTATIONS
@pytest.mark.parametrize(
    ("lines", "array", "index", "element", "meaning"),
    [
        (r"a_i \gets {} \quad (i = 1, \dots, K)", "b_i", "o_1", "b_i[o_1]", lambda b, c, o: b[:, o[0] - 1]),
        (r"a_i \gets {} \quad (i = 1, \dots, K)", "b_i", "o_2 - 1", "b_i[o_2 - 1]", lambda b, c, o: b[:, o[1] - 2]),
        (
            r"k \gets \arg\max_j b_{1,j}; a_i \gets {} + 0 o_1 \quad (i = 1, \dots, K)",
            "b_i",
            "k",
            "b_i[k]",
            lambda b, c, o: b[:, b[0].argmax()],
        ),
        (r"a_t \gets {} \quad (t = 1, \dots, T)", "c", "o_t", "c_{o_t}", lambda b, c, o: c[o - 1]),
    ],
)
def test_rows_before_an_integer_in_parentheses_are_asked_about(
    written: Callable[..., str], lines: str, array: str, index: str, element: str, meaning: Meaning
) -> None:
    def text(part: str) -> str:
        rows = r"b_{i,j} \in \mathbb{R}, i = 1, \dots, K, j = 1, \dots, n; o_t \in \{1, \dots, n\}, t = 1, \dots, T; "
        rows += r"c \in \mathbb{R}^{n \times d}"
        return written("b, c, o" + (" ; " if written is module else ""), rows, *lines.replace("{}", part).split("; "), "a")

    assert asked(text(f"{array}({index})")) == [question(array, index, element)]
    check(text(element), (numbers(2, 3, 4), numbers(2, 4, 2), torch.tensor([[1, 3, 2], [4, 2, 2]])), meaning)


@NOTATIONS
@pytest.mark.parametrize(
    ("type_", "value", "meaning"),
    [
        (r"\{0, 1\}", "v(1 - k)", lambda v, k: v * (1 - k)),
        (r"\{0, 1\}", "v(k)", lambda v, k: v * k),
        (r"\mathbb{R}", "v(k)", lambda v, k: v * k),
        (r"\mathbb{R}", "v(k + n)", lambda v, k: v * (k + 4)),
        (r"\mathbb{Z}", "v(k / n)", lambda v, k: v * (k / 4)),
        (r"\mathbb{Z}", "k v(1 / n)", lambda v, k: k * v / 4),
        (r"\{1, \dots, 9\}^n", r"v^\top(k)", lambda v, k: v @ k.double()),
    ],
)
def test_what_is_no_index_in_parentheses_multiplies(written: Callable[..., str], type_: str, value: str, meaning: Meaning) -> None:
    text = written("v, k" + (" ; " if written is module else ""), rf"v \in \mathbb{{R}}^n; k \in {type_}", value)
    k = torch.randint(1, 9, (2, 4)) if "^n" in type_ else numbers(2, seed=1) if "R" in type_ else torch.tensor([1, 0])
    check(text, (numbers(2, 4), k), meaning)


@NOTATIONS
def test_a_matrix_before_an_array_of_integers_in_parentheses_multiplies(written: Callable[..., str]) -> None:
    rows = r"x \in \{1, \dots, 9\}^m; W \in \mathbb{R}^{n \times m}"
    text = written("x, W" + (" ; " if written is module else ""), rows, "W(x)")
    check(text, (torch.tensor([[1, 2, 3], [2, 2, 1]]), numbers(2, 4, 3)), lambda x, w: w @ x.double())


# ---- upright letters below a name -------------------------------------------------------------------


def header(written: Callable[..., str], inputs: str, parameters: str) -> str:
    return f"{inputs} ; {parameters}" if written is module else inputs


@NOTATIONS
@pytest.mark.parametrize("label", [r"\mathrm{k}", r"\text{k}", r"\textrm{k}"])
def test_an_upright_letter_is_a_label_beside_an_index_of_that_letter(written: Callable[..., str], label: str) -> None:
    rows = rf"x_k \in \mathbb{{R}}, k = 1, \dots, n; W_{{{label},k}} \in \mathbb{{R}}, k = 1, \dots, n; b_{{{label}}} \in \mathbb{{R}}"
    lines = rf"y_k \gets W_{{{label},k}} x_k + b_{{{label}}} \quad (k = 1, \dots, n)", rf"y + \sum_{{k=1}}^n k W_{{{label},k}}"
    weights = numbers(3, seed=1)
    text = written(rf"x, W_{{{label}}}, b_{{{label}}}" + (" ; " if written is module else ""), rows, *lines)
    given = numbers(2, 3), weights.expand(2, 3), numbers(2, seed=2)
    check(text, given, lambda x, w, b: w * x + b + w @ torch.arange(1.0, 4.0, dtype=torch.float64))


@NOTATIONS
def test_an_upright_label_and_an_index_are_two_names(written: Callable[..., str]) -> None:
    rows = r"x_k \in \mathbb{R}, k = 1, \dots, n; x_{\mathrm{k}} \in \mathbb{R}"
    text = written(r"x, x_{\mathrm{k}}" + (" ; " if written is module else ""), rows, r"\sum_{k=1}^n x_k x_{\mathrm{k}}")
    check(text, (numbers(2, 3), numbers(2, seed=1)), lambda x, own: x.sum() * own)


@NOTATIONS
def test_an_index_may_be_upright(written: Callable[..., str]) -> None:
    rows = r"x_k \in \mathbb{R}, k = 1, \dots, n"
    text = written("x" + (" ; " if written is module else ""), rows, r"\sum_{\mathrm{k}=1}^n \mathrm{k} x_{\mathrm{k}}")
    check(text, (numbers(2, 3),), lambda x: x @ torch.arange(1.0, 4.0, dtype=torch.float64))


# ---- a size by two names --------------------------------------------------------------------------------


@NOTATIONS
@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        (r"\frac{1}{N} \sum_{j=1}^N x_j", lambda x, count: x[:count].mean()),
        (r"\max_{j = 1, \dots, N} x_j", lambda x, count: x[:count].max()),
    ],
)
def test_another_letter_than_the_size_is_told(written: Callable[..., str], value: str, meaning: Callable[[Tensor, int], Tensor]) -> None:
    def text(row: str, end: str) -> str:
        inputs = "x, N" if row else "x"
        rows = rf"x_j \in \mathbb{{R}}, j = 1, \dots, n; {row}" if row else r"x \in \mathbb{R}^n"
        return written(inputs + (" ; " if written is module else ""), rows, value.replace("N", end))

    (note,) = mathdsl.compile(text("", "N")).diagnostics
    assert (note.code, note.notes) == ("N0301", ("`N = n` is taken to hold: nothing else tells up to where the input is read",))
    check(text("", "N"), (numbers(2, 4),), lambda x: meaning(x, 4))
    assert not mathdsl.compile(text("", "n")).diagnostics
    check(text("", "n"), (numbers(2, 4),), lambda x: meaning(x, 4))
    check(text(r"N \in \mathbb{N}", "N"), (numbers(2, 4), torch.tensor([2, 4])), lambda x, count: meaning(x, int(count)))


@NOTATIONS
def test_a_letter_names_the_size_that_nothing_declares(written: Callable[..., str]) -> None:
    check(written("x" + (" ; " if written is module else ""), "", r"\frac{1}{N} \sum_{j=1}^N x_j"), (numbers(2, 4),), torch.mean)


# ---- elements that are declared without ranges ------------------------------------------------------


def weighted(written: Callable[..., str], element: str, type_: str) -> str:
    inputs = f"{element}, x" if written is algorithm else f"{element} {type_}, x ; "
    rows = r"x_i \in \mathbb{R}, i = 1, \dots, n" + (f"; {element} {type_}" if written is algorithm else "")
    return written(inputs, rows, rf"\sum_{{i=1}}^n \sum_{{j=1}}^n i {element} x_j")


@NOTATIONS
def test_a_declared_element_that_indices_run_over(written: Callable[..., str]) -> None:
    ((code, message, help_),) = asked(weighted(written, "w_{i, j}", r"\in \mathbb{R}"))
    assert (code, message) == ("E0505", "`w_{i, j}` is read where `i` runs, and is declared without a range for `i`")
    assert r"write `w_{i, j} \in …, i = 1, \dots, n, j = 1, \dots, n` for an array" in help_
    ramp = torch.arange(1.0, 4.0, dtype=torch.float64)
    for element in ("w_{i, j}", "w_{ij}", "w_{i j}"):
        text = weighted(written, element, r"\in \mathbb{R}, i = 1, \dots, n, j = 1, \dots, n")
        check(text, (numbers(2, 3, 3), numbers(2, 3, seed=1)), lambda w, x: ramp @ w @ x)


@NOTATIONS
def test_a_declared_word_of_indices_is_told(written: Callable[..., str]) -> None:
    text = weighted(written, "w_{ij}", r"\in \mathbb{R}")
    check(text, (numbers(2), numbers(2, 3, seed=1)), lambda w, x: 6 * w * x.sum())
    (note,) = mathdsl.compile(text).diagnostics
    assert (note.code, note.notes) == ("N0301", ("`w_{ij}` is one number: no declaration gives ranges to its letters",))
    assert not mathdsl.compile(weighted(written, "w_{uv}", r"\in \mathbb{R}")).diagnostics


# ---- rows that give values --------------------------------------------------------------------------


def test_a_row_of_several_values_is_refused() -> None:
    for rows in ("b_1, b_2 = 0.5, 0.25", "b_1, b_2 = 0.5", "b_1, b_2 = 0.5, 0.25, 1", "b_1, b_2 = 0.5, x_1"):
        assert asked(algorithm("x", rf"x \in \mathbb{{R}}^n; {rows}", "b_1 x + b_2"))


@pytest.mark.parametrize(
    "rows", [r"\mathcal{V} = \{1, \dots, n\}; x_i \in \mathbb{R}, i \in \mathcal{V}", r"x \in \mathbb{R}^n; \mathcal{V} = \{1, \dots, n\}"]
)
def test_a_required_range_has_a_name(rows: str) -> None:
    text = algorithm("x", rows, r"y_i \gets 2 x_i \quad (i \in \mathcal{V})", r"\sum_{i \in \mathcal{V}} i y_i")
    check(text, (numbers(2, 4),), lambda x: 2 * x @ torch.arange(1.0, 5.0, dtype=torch.float64))


@pytest.mark.parametrize("value", ["100", "0.5"])
def test_a_required_first_element_is_the_first_value(value: str) -> None:
    lines = r"\For{$t = 1, \dots, n$}", r"h_t \gets \frac{h_{t-1}}{2} + x_t", r"\EndFor"
    text = algorithm("x", rf"x \in \mathbb{{R}}^n; h_0 = {value}", *lines, "h_n")

    def meaning(x: Tensor) -> Tensor:
        h = torch.tensor(float(value), dtype=x.dtype)
        for item in x:
            h = h / 2 + item
        return h

    check(text, (numbers(2, 4),), meaning)


# ---- a size that has the name of the program ---------------------------------------------------------


@NOTATIONS
@pytest.mark.parametrize("value", ["M (x + 1)", "M(x) + M", r"\frac{M (x + 1)}{M} (M + 1)"])
def test_a_size_of_the_name_of_its_program_multiplies(written: Callable[..., str], value: str) -> None:
    text = written("x" + (" ; " if written is module else ""), r"x \in \mathbb{R}^M", value)
    expected = {"M (x + 1)": lambda x: 4 * (x + 1), "M(x) + M": lambda x: 4 * x + 4}.get(value, lambda x: 5 * (x + 1))
    check(text, (numbers(2, 4),), expected)


@NOTATIONS
def test_a_program_that_calls_itself_is_refused(written: Callable[..., str]) -> None:
    assert [code for code, _, _ in asked(written("x" + (" ; " if written is module else ""), r"x \in \mathbb{R}^n", "M(x)"))] == ["E0605"]


# ---- what messages offer ------------------------------------------------------------------------------


@NOTATIONS
def test_a_sum_over_a_letter_that_is_a_size(written: Callable[..., str]) -> None:
    def text(value: str) -> str:
        line = rf"y_i \gets {value} \quad (i = 1, \dots, n)"
        return written("x" + (" ; " if written is module else ""), r"x_i \in \mathbb{R}^{k}, i = 1, \dots, n", line, "y")

    offered = r"\sum_{j = 1, j \neq i}^n x_j"
    found = asked(text(r"\sum_{k=1, k \neq i}^n x_k"))
    assert found == [("E0505", r"`k` has a value here, so that `\sum` cannot run over it", f"write `{offered}` for one over all values")]
    check(text(offered), (numbers(2, 3, 2),), lambda x: x.sum(0) - x)


def test_a_set_of_elements_with_another_name() -> None:
    rows = r"\mathcal{X} = (x_1, \dots, x_n), x_i \in \mathbb{R}^d"
    found = asked(module(r"\mathcal{X} ; ", rows, r"\frac{1}{|\mathcal{X}|} \sum_{x_i \in \mathcal{X}} x_i^2"))
    assert found[0][2] == (
        r"declare the elements alone, `x_i \in …, i = 1, \dots, n`, write `x` for `\mathcal{X}`, and sum over `i`, as in `\sum_{i=1}^{n}`"
    )
    text = module("x ; ", r"x_i \in \mathbb{R}^d, i = 1, \dots, n", r"\frac{1}{|x|} \sum_{i=1}^{n} x_i^2")
    check(text, (numbers(2, 3, 2),), lambda x: x.square().mean(0))


def test_two_long_vectors_side_by_side_are_told_with_dots() -> None:
    long = r"\frac{\exp(x) \odot \tanh(x) + \sqrt{x^2 + 1} \odot \exp(-x) + \tanh(2 x)}{1 + \exp(x) \odot \tanh(x) + \sqrt{x^2 + 2}}"
    ((code, message, help_),) = asked(module(r"x \in \mathbb{R}^n ; ", "", rf"{long} x"))
    assert (code, message) == ("E0410", "`(…) x` of two vectors can be their inner product, or their elementwise product")
    assert help_ == r"write `(…) \cdot x` for the inner product, or `(…) \odot x` for the elementwise one"
