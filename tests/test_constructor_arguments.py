r"""Names and the order of a constructor's and a call's arguments: those of the header, whatever the order of statements."""

from __future__ import annotations

import inspect
from itertools import permutations

import pytest
import torch

from mathdsl.api import compile_files
from mathdsl.result import CompileResult
from mathdsl.spans import SourceFile


def program(header: str, *rows: str, where: str = "", name: str = "M") -> str:
    lines = "".join(rf"{row} \\" + "\n" for row in rows)
    table = f"\\begin{{where}}\n{where}\n\\end{{where}}\n" if where else ""
    return f"\\Module{{{name}}}{{{header}}}\n{lines}\\EndModule\n{table}"


def compiled(text: str) -> CompileResult:
    result = compile_files([SourceFile("-", text)])
    assert result.ok, [d.message for d in result.diagnostics]
    return result


def arguments(text: str) -> tuple[list[str], list[str], list[str]]:
    """The arguments of the constructor and of `forward`, and the names and shapes of what is owned, for sizes of their own."""
    kind = compiled(text).load().M
    made = list(inspect.signature(kind).parameters)
    owned = kind(**{name: 3 + k for k, name in enumerate(made)}).state_dict()
    return (
        made,
        list(inspect.signature(kind.forward).parameters)[1:],
        sorted(f"{key}: {tuple(value.shape)}" for key, value in owned.items()),
    )


CHAIN = (r"a \gets W x", r"b \gets U a", r"c \gets V b")
SUM = (r"a \gets W x", r"b \gets U y", r"c \gets V (a + b)")
BIAS = (r"a \gets \tanh(W x + p)", r"b \gets U x", r"c \gets a \odot b")
STATES = (
    r"h_t \gets \tanh(W h_{t-1} + U x_t) \quad (t = 1, \dots, S)",
    r"h_0 \gets \mathbf{0}",
    r"c_k \gets \sum_t h_t \quad (k = 1, \dots, K)",
)
LAYERS = (r"a \gets \LayerNorm(x)", r"b \gets W a", r"c \gets \operatorname{Linear}(b)")
ACCENTS = (r"a_{hat} \gets W x", r"\hat{a} \gets 2 a_{hat}", r"c \gets U \hat{a}")


@pytest.mark.parametrize(
    ("header", "rows", "made", "given"),
    [
        ("x ; W, U, V", CHAIN, ["d_x", "d_a", "d_b", "d_c"], ["x"]),
        ("x ; V, U, W", CHAIN, None, ["x"]),
        ("x, y ; W, U, V", SUM, ["d_x", "d_y", "d_a", "d_c"], ["x", "y"]),
        ("y, x ; V, W, U", SUM, None, ["y", "x"]),
        ("x ; W, U, p", BIAS, ["d_x", "d_c"], ["x"]),
        ("x ; W, U", STATES, ["K", "d_x", "d_c"], ["x", "lengths"]),
        ("x ; W", LAYERS, None, ["x"]),
        ("x ; W, U", ACCENTS, None, ["x"]),
        ("(x, y) ; W, U, V", SUM, ["d_x", "d_y", "d_a", "d_c"], ["x_y"]),
    ],
)
def test_the_order_of_statements_changes_no_argument(header: str, rows: tuple[str, ...], made: list[str] | None, given: list[str]) -> None:
    found = [arguments(program(header, *order, r"\Return c")) for order in permutations(rows)]
    assert all(one == found[0] for one in found)
    assert found[0][1] == given
    assert made is None or found[0][0] == made


WEIGHT = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    "name",
    ["R", "N", "Z", "E", "e", "I", "torch", "math", "Mapping", "ValueError", "range", "super", "self", "forward", "None"],
)
def test_a_module_of_any_name_computes_the_same(name: str) -> None:
    where = r"x_t \in \mathbb{R}^d, t = 1, \dots, S \\ R \in \mathbb{R}^{d \times d} \\"
    rows = (r"h_t \gets \tanh(R x_t / \sqrt{d}) \quad (t = 1, \dots, S)", r"\Return h")
    loaded = compiled(program("x ; R", *rows, where=where, name=name)).load()
    (kind,) = [value for value in vars(loaded).values() if inspect.isclass(value) and value.__module__ == loaded.__name__]
    made, x = kind(d=2), torch.randn(2, 3, 2)
    made.load_state_dict({"R": WEIGHT})
    wanted = torch.tanh(x @ WEIGHT.T / 2**0.5)
    torch.testing.assert_close(made(x), wanted)
    wanted[1, 1:] = 0
    torch.testing.assert_close(made(x, lengths=torch.tensor([3, 1])), wanted)


@pytest.mark.parametrize("word", ["torch", "math", "self", "lengths", "batch", "generator", "super", "len", "int", "training", "shape"])
def test_an_input_and_a_size_of_any_name_mean_the_same(word: str) -> None:
    name = rf"\mathrm{{{word}}}"
    given = program(f"{name} ; W", rf"\Return W {name}", where=rf"{name} \in \mathbb{{R}}^2 \\ W \in \mathbb{{R}}^{{2 \times 2}} \\")
    sized = program("x ; W", r"\Return W x", where=rf"x \in \mathbb{{R}}^{{{name}}} \\ W \in \mathbb{{R}}^{{2 \times {name}}} \\")
    for text in (given, sized):
        kind, x = compiled(text).load().M, torch.randn(3, 2)
        made = kind(*(), **dict.fromkeys(inspect.signature(kind).parameters, 2))
        made.load_state_dict({"W": WEIGHT})
        torch.testing.assert_close(made(x), x @ WEIGHT.T)


TUPLE = r"x, y \in \mathbb{R}^2 \\ z, w \in \mathbb{R} \\ W \in \mathbb{R}^{2 \times 2} \\"


@pytest.mark.parametrize("header", ["(x, (y, z)), w ; W", "x, ((y, z), w) ; W", "((x, y), (z, w)) ; W", "(x, y, (z, w)) ; W"])
def test_a_tuple_inside_a_tuple_of_inputs_is_refused(header: str) -> None:
    text = program(header, r"\Return W x + y + z w", where=TUPLE)
    found = [d for d in compile_files([SourceFile("-", text)]).diagnostics if d.severity == "error"]
    assert [d.code for d in found] == ["E0701"]
    assert text[found[0].span.start : found[0].span.end].startswith("(")
    assert "beside" in found[0].help


def test_the_tuples_that_the_message_offers_are_arguments() -> None:
    x, y = torch.randn(2), torch.randn(2)
    z, w = torch.tensor(3.0), torch.tensor(5.0)
    for header, given in (
        ("(x, y, z), w ; W", ((x, y, z), w)),
        ("x, (y, z), w ; W", (x, (y, z), w)),
        ("(x, y), (z, w) ; W", ((x, y), (z, w))),
    ):
        made = compiled(program(header, r"\Return W x + y + z w", where=TUPLE)).load().M()
        made.load_state_dict({"W": WEIGHT})
        torch.testing.assert_close(made(*given), WEIGHT @ x + y + 15)


@pytest.mark.parametrize(
    ("type_", "inside", "outside"),
    [
        ("[0, 1]", (0.0, 0.5, 1.0), (-0.1, 1.1)),
        ("(0, 1]", (0.5, 1.0), (0.0, 1.1)),
        ("[0, 1)", (0.0, 0.5), (-0.1, 1.0)),
        ("(0, 1)", (0.5,), (0.0, 1.0)),
        (r"\mathbb{R}_{>0}", (0.5,), (0.0, -1.0)),
        (r"\mathbb{R}_{\geq 0}", (0.0,), (-1.0,)),
        (r"\mathbb{R}_{>3}", (3.5,), (3.0, 0.5)),
        (r"\mathbb{R}_{\leq -1}", (-1.0, -2.0), (0.0,)),
        (r"\{1, \dots, 5\}", (1, 5), (0, 6)),
        (r"\mathbb{N}", (0, 7), (-1,)),
    ],
)
def test_a_setting_lies_in_its_type(type_: str, inside: tuple[float, ...], outside: tuple[float, ...]) -> None:
    loaded = compiled(program(rf"x \in \mathbb{{R}} ; p \in {type_} = {inside[0]}", r"\Return p x")).load()
    x = torch.tensor(2.0, dtype=torch.float64)
    for value in inside:
        assert loaded.M(p=value).double()(x) == 2 * value
    for value in outside:
        with pytest.raises(ValueError, match="p: expected a value in "):
            loaded.M(p=value)
        found = compile_files([SourceFile("-", program(rf"x \in \mathbb{{R}} ; p \in {type_} = {value}", r"\Return p x"))])
        assert [d.code for d in found.diagnostics] == ["E0406"], value


def test_a_setting_of_an_index_type_counts_from_its_first_value() -> None:
    rows = r"E \in \mathbb{R}^{V \times d} & \\ x \in \mathbb{R} & \\"
    module = compiled(program(r"x ; E, k \in \{1, \dots, V\}", r"\Return E_k x", where=rows)).load().M(V=3, d=2, k=3)
    assert torch.equal(module(torch.tensor(2.0)), 2 * module.E[2])
