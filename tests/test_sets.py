r"""Sets of indices beside plain torch: `i \in \mathcal{V}`, `\sum_{j \in \mathcal{N}(i)}`, `\max_{x \in X}`.

Each program is written as a module and as an algorithm, and held against a function of one example: alone, in a batch, and in a batch
of examples of their own sizes whose padding holds anything; values and gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from mathdsl import compile
from tests.by_hand import made

NODES = r"\mathcal{V} = \{1, \dots, n\} & the nodes \\ "
AROUND = r"\mathcal{N}(i) \subseteq \mathcal{V}, i \in \mathcal{V} & the neighbours of i \\ "
FEATURES = r"h_i \in \mathbb{R}^{d}, i \in \mathcal{V} & features \\ "
VALUES = r"y_i \in \mathbb{R}, i \in \mathcal{V} & values \\ "
PAIRS = r"\mathcal{E} \subseteq \mathcal{V} \times \mathcal{V} & edges \\ "
OVER_NODES, OVER_PAIRS = r" \quad (i \in \mathcal{V})", r" \quad (i \in \mathcal{V}, j \in \mathcal{V})"
SHAPES = {
    "h": ("n", "d"),
    "y": ("n",),
    "N": ("n", "n"),
    "S": ("n",),
    "E": ("m",),
    "D": ("m",),
    "g": ("k", "d"),
    "w": ("m",),
    "X": ("n", "d"),
    "Y": ("k", "d"),
    "e": ("n", "n"),
}
NAMES = {"N": r"\mathcal{N}", "E": r"\mathcal{E}", "S": r"\mathcal{S}", "D": r"\mathcal{D}"}
SIZES = ({"n": 5, "m": 7, "k": 3}, {"n": 2, "m": 2, "k": 4}, {"n": 4, "m": 1, "k": 1}, {"n": 3, "m": 9, "k": 2})
D = 2


@dataclass(frozen=True)
class Formula:
    """A program with these inputs, and what it computes of one example; `full`: no set is empty."""

    inputs: str
    statements: tuple[str, ...]
    by_hand: Callable[..., Tensor]
    table: str
    owned: str = ""
    full: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)

    def text(self, notation: str) -> str:
        header = ", ".join(NAMES.get(name, name) for name in self.inputs)
        where = rf"\begin{{where}} {self.table} \end{{where}}"
        if notation == "module":
            body = "".join(statement + " \\\\\n" for statement in self.statements)
            return f"\\Module{{F}}{{{header} ; {self.owned}}}\n{body}\\EndModule\n{where}"
        body = "".join(f"\\State ${statement}$\n" for statement in self.statements)
        return f"\\begin{{algorithmic}}\n\\Procedure{{F}}{{${header}$}}\n{body}\\EndProcedure\n\\end{{algorithmic}}\n{where}"


def examples(formula: Formula) -> list[dict[str, Tensor]]:
    generator = torch.Generator().manual_seed(5)
    return [{name: drawn(name, sizes, formula.full, generator) for name in formula.inputs} for sizes in SIZES]


def drawn(name: str, sizes: Mapping[str, int], full: bool, generator: torch.Generator) -> Tensor:
    shape = [{**sizes, "d": D}[axis] for axis in SHAPES[name]]
    if name in "NS":
        found = torch.rand(shape, generator=generator) < 0.5
        if full:
            found[..., 0] = True
        elif name == "N":
            found[-1] = False
        return found
    if name in "ED":
        ends = [torch.randint(1, sizes[end] + 1, shape, generator=generator) for end in ("n", "n" if name == "E" else "k")]
        return torch.stack(ends)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def moved(function: Callable[..., Tensor], values: list[Tensor], parameters: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """The value and the gradients of a function."""
    leaves = [value.clone().requires_grad_() if value.is_floating_point() else value for value in values]
    result = function(*leaves)
    wanted = [leaf for leaf in (*leaves, *parameters) if leaf.requires_grad]
    if not result.requires_grad:
        return result, [torch.zeros_like(leaf) for leaf in wanted]
    found = torch.autograd.grad(torch.sin(result).sum(), wanted, allow_unused=True)
    return result.detach(), [torch.zeros_like(leaf) if one is None else one for leaf, one in zip(wanted, found, strict=True)]


def padded(values: list[Tensor], name: str) -> Tensor:
    """Examples of their own sizes in one tensor; what is no part of one holds what would be seen."""
    filled = torch.nan if values[0].is_floating_point() else True if values[0].dtype is torch.bool else 10**6
    shape = [max(value.shape[axis] for value in values) + (axis > 0 or name not in "ED") for axis in range(values[0].dim())]
    if name in "hgXY":
        shape[-1] = D
    found = torch.full((len(values), *shape), filled, dtype=values[0].dtype)
    for k, value in enumerate(values):
        found[(k, *(slice(0, extent) for extent in value.shape))] = value
    return found


def part(whole: Tensor, like: Tensor) -> Tensor:
    return whole[tuple(slice(0, extent) for extent in like.shape)]


@cache
def subject_of(text: str, sizes: tuple[tuple[str, int], ...]) -> Any:
    torch.manual_seed(0)
    return made(text, **dict(sizes)).double()


def agrees(formula: Formula, notation: str) -> None:
    subject = subject_of(formula.text(notation), tuple(formula.sizes.items()))
    parameters = [value.data.normal_(generator=torch.Generator().manual_seed(k)) for k, value in enumerate(subject.parameters())]
    parameters = list(subject.parameters())
    given = dict(subject.named_parameters())

    def by_hand(*values: Tensor) -> Tensor:
        return formula.by_hand(*values, **given)

    values = [list(example.values()) for example in examples(formula)]
    wanted = [moved(by_hand, one, parameters) for one in values]
    for one, (result, gradients) in zip(values, wanted, strict=True):
        close(moved(subject, one, parameters), (result, gradients))
        both, own = moved(subject, [torch.stack([value, value]) for value in one], parameters)
        torch.testing.assert_close(both[1], result)
        for found, gradient, leaf in zip(own, gradients, [v for v in one if v.is_floating_point()], strict=False):
            torch.testing.assert_close(found[0], gradient)
            assert found.shape[1:] == leaf.shape
    stacked = [padded(list(column), name) for column, name in zip(zip(*values, strict=True), formula.inputs, strict=True)]
    ragged = {letter for name in formula.inputs for letter in SHAPES[name]} & {"n", "m", "k"}
    lengths: Any = {letter: torch.tensor([sizes[letter] for sizes in SIZES]) for letter in ragged}
    lengths = lengths if len(lengths) > 1 else next(iter(lengths.values()))
    together, own = moved(lambda *v: subject(*v, lengths=lengths), stacked, parameters)
    for k, (result, gradients) in enumerate(wanted):
        torch.testing.assert_close(part(together[k], result), result)
        for found, gradient in zip(own, gradients[: len(own) - len(parameters)], strict=False):
            torch.testing.assert_close(part(found[k], gradient), gradient)
            part(found[k], gradient).zero_()
            assert not found[k].any()
    for at in range(len(parameters)):
        torch.testing.assert_close(own[len(own) - len(parameters) + at], sum(g[len(own) - len(parameters) + at] for _, g in wanted))


def close(ours: tuple[Tensor, list[Tensor]], theirs: tuple[Tensor, list[Tensor]]) -> None:
    torch.testing.assert_close(ours[0], theirs[0])
    for found, gradient in zip(ours[1], theirs[1], strict=True):
        torch.testing.assert_close(found, gradient)


def loops(N: Tensor) -> Tensor:
    return N | torch.eye(len(N), dtype=torch.bool)


def weights(N: Tensor, scores: Tensor) -> Tensor:
    """A softmax over neighbours; nothing where there are none."""
    found = torch.zeros_like(scores)
    for i in range(len(N)):
        if N[i].any():
            found = found.index_put((torch.tensor(i), N[i].nonzero()[:, 0]), scores[i, N[i]].softmax(0))
    return found


def mean_of(N: Tensor, h: Tensor) -> Tensor:
    return N.double() @ h / N.double().sum(1, keepdim=True)


def greatest(N: Tensor, values: Tensor, other: float | None = None) -> Tensor:
    """The elementwise maximum over neighbours of `values`, `n × n × d`."""
    return torch.stack(
        [values[i, N[i]].amax(0) if N[i].any() or other is None else torch.full_like(values[i, 0], other) for i in range(len(N))]
    )


FORMULAS = {
    "named range": Formula(
        "y", (r"\Return \frac{1}{|\mathcal{V}|} \sum_{i \in \mathcal{V}} y_i^2",), lambda y: (y**2).mean(), NODES + VALUES
    ),
    "brackets": Formula(
        "y",
        (r"\Return \sum_{i \in \mathcal{V}} i y_i",),
        lambda y: sum((k + 1) * v for k, v in enumerate(y)),
        r"\mathcal{V} = [n] \\ " + VALUES,
    ),
    "from zero": Formula(
        "y",
        (r"z_i \gets i y_i \quad (i \in \mathcal{V})", r"\Return z"),
        lambda y: torch.arange(len(y)) * y,
        r"\mathcal{V} = \{0, \dots, n - 1\} \\ " + VALUES,
    ),
    "count": Formula(
        "y",
        (r"z_i \gets \frac{y_i}{\lvert \mathcal{V} \rvert}, \quad \forall i \in \mathcal{V}", r"\Return z"),
        lambda y: y / len(y),
        r"\mathcal{V} = \{0, 1, \dots, n - 1\} \\ " + VALUES,
    ),
    "pairs of a range": Formula(
        "e",
        (r"\Return \sum_{i, j \in \mathcal{V}} e_{ij}^2",),
        lambda e: (e**2).sum(),
        NODES + r"e_{ij} \in \mathbb{R}, i, j \in \mathcal{V} \\ ",
    ),
    "gcn": Formula(
        "hN",
        (
            r"c_i \gets |\mathcal{N}(i)| + 1 \quad (i \in \mathcal{V})",
            r"g_i \gets \tanh(W \sum_{j : j \in \mathcal{N}(i) \lor j = i} \frac{h_j}{\sqrt{c_i c_j}}) \quad (i \in \mathcal{V})",
            r"\Return g",
        ),
        lambda h, N, W: torch.tanh((loops(N) / ((N.sum(1) + 1.0)[:, None] * (N.sum(1) + 1.0)).sqrt()).double() @ h @ W.T),
        NODES + AROUND + FEATURES + r"W \in \mathbb{R}^{d \times d} \\ ",
        "W",
        sizes={"d": D},
    ),
    "gat": Formula(
        "hN",
        (
            r"s_{ij} \gets \operatorname{LeakyReLU}(a^\top h_i + b^\top h_j) \quad (i \in \mathcal{V}, j \in \mathcal{V})",
            r"\alpha_{ij} \gets \operatorname{softmax}_{j \in \mathcal{N}_i}(s_{ij}) \quad (i \in \mathcal{V}, j \in \mathcal{V})",
            r"g_i \gets \sum_{j \in \mathcal{N}_i} \alpha_{ij} h_j \quad (i \in \mathcal{V})",
            r"\Return g",
        ),
        lambda h, N, a, b: weights(N, torch.nn.functional.leaky_relu((h @ a)[:, None] + h @ b)) @ h,
        NODES + r"\mathcal{N}_i \subseteq \mathcal{V}, i \in \mathcal{V} \\ " + FEATURES + r"a, b \in \mathbb{R}^{d} \\ ",
        "a, b",
        sizes={"d": D},
    ),
    "gat, written out": Formula(
        "hN",
        (
            r"\alpha_{ij} \gets \frac{\exp(40 h_i^\top h_j)}{\sum_{k \in \mathcal{N}(i)} \exp(40 h_i^\top h_k)}" + OVER_PAIRS,
            r"g_i \gets \sum_{j \in \mathcal{N}(i)} \alpha_{ij} h_j \quad (i \in \mathcal{V})",
            r"\Return g",
        ),
        lambda h, N: weights(N, 40 * h @ h.T) @ h,
        NODES + AROUND + FEATURES,
    ),
    "attention inside": Formula(
        "hN",
        (
            r"g_i \gets \sum_{j \in \mathcal{N}(i)} \operatorname{softmax}_{j \in \mathcal{N}(i)}(h_i^\top h_j) h_j" + OVER_NODES,
            r"\Return g",
        ),
        lambda h, N: weights(N, h @ h.T) @ h,
        NODES + AROUND + FEATURES,
    ),
    "gin": Formula(
        "hN",
        (r"g_i \gets W ((1 + \epsilon) h_i + \sum_{j \in \mathcal{N}(i)} h_j) \quad (i \in \mathcal{V})", r"\Return g"),
        lambda h, N, W, epsilon: ((1 + epsilon) * h + N.double() @ h) @ W.T,
        NODES + AROUND + FEATURES + r"W \in \mathbb{R}^{d \times d} \\ \epsilon \in \mathbb{R} \text{ trainable} \\ ",
        r"W, \epsilon",
        sizes={"d": D},
    ),
    "graphsage, mean": Formula(
        "hN",
        (r"g_i \gets W h_i + U \operatorname{mean}_{j \in \mathcal{N}(i)} h_j \quad (i \in \mathcal{V})", r"\Return g"),
        lambda h, N, W, U: h @ W.T + mean_of(N, h) @ U.T,
        NODES + AROUND + FEATURES + r"W, U \in \mathbb{R}^{d \times d} \\ ",
        "W, U",
        full=True,
        sizes={"d": D},
    ),
    "graphsage, max": Formula(
        "hN",
        (r"g_i \gets \max_{j \in \mathcal{N}(i)} \sigma(W h_j) \quad (i \in \mathcal{V})", r"\Return g"),
        lambda h, N, W: greatest(N, torch.sigmoid(h @ W.T).expand(len(h), -1, -1)),
        NODES + AROUND + FEATURES + r"W \in \mathbb{R}^{d \times d} \\ ",
        "W",
        full=True,
        sizes={"d": D},
    ),
    "edgeconv": Formula(
        "hN",
        (r"g_i \gets \max_{j \in \mathcal{N}(i)} (W (h_j - h_i) + U h_i) \text{ or } 0 \quad (i \in \mathcal{V})", r"\Return g"),
        lambda h, N, W, U: greatest(N, (h[None] - h[:, None]) @ W.T + (h @ U.T)[:, None], 0.0),
        NODES + AROUND + FEATURES + r"W, U \in \mathbb{R}^{d \times d} \\ ",
        "W, U",
        sizes={"d": D},
    ),
    "mean or else": Formula(
        "yN",
        (r"z_i \gets \operatorname{mean}_{j \in \mathcal{N}(i)} e^{y_j} \text{ or } y_i \quad (i \in \mathcal{V})", r"\Return z"),
        lambda y, N: torch.stack([y[N[i]].exp().mean() if N[i].any() else y[i] for i in range(len(y))]),
        NODES + AROUND + VALUES,
    ),
    "label propagation": Formula(
        "yN",
        (
            r"z_i \gets \frac{1}{2} y_i + \frac{1}{2 |\mathcal{N}(i)|} \sum_{j \in \mathcal{N}(i)} y_j \quad (i \in \mathcal{V})",
            r"\Return z",
        ),
        lambda y, N: y / 2 + (N.double() @ y) / (2 * N.sum(1)),
        NODES + AROUND + VALUES,
        full=True,
    ),
    "pagerank": Formula(
        "yN",
        (
            r"z_i \gets \frac{1 - 0.85}{|\mathcal{V}|} + 0.85 \sum_{j : i \in \mathcal{N}(j)} \frac{y_j}{|\mathcal{N}(j)|}" + OVER_NODES,
            r"\Return z",
        ),
        lambda y, N: 0.15 / len(y) + 0.85 * (N.double() / N.sum(1, keepdim=True)).T @ y,
        NODES + AROUND + VALUES,
        full=True,
    ),
    "belief sums": Formula(
        "eN",
        (
            r"m_{ij} \gets \sum_{k : k \in \mathcal{N}(i) \land k \neq j} e_{ki}^2 \quad (i \in \mathcal{V}, j \in \mathcal{V})",
            r"b_i \gets \prod_{j \in \mathcal{N}(i)} (1 + m_{ji}) \quad (i \in \mathcal{V})",
            r"\Return b",
        ),
        lambda e, N: torch.stack(
            [
                torch.stack(
                    [
                        torch.ones(()).double(),
                        *(
                            1 + sum((e[k, j] ** 2 for k in range(len(N)) if N[j, k] and k != i), torch.zeros(()).double())
                            for j in range(len(N))
                            if N[i, j]
                        ),
                    ]
                ).prod()
                for i in range(len(N))
            ]
        ),
        NODES + AROUND + r"e_{ij} \in \mathbb{R}, i \in \mathcal{V}, j \in \mathcal{V} \\ ",
    ),
    "indicator": Formula(
        "eN",
        (r"\Return \sum_{i \in \mathcal{V}} \sum_{j \in \mathcal{V}} \mathbb{1}[j \in \mathcal{N}_i] e_{ij}",),
        lambda e, N: e[N].sum(),
        NODES + AROUND + r"e_{ij} \in \mathbb{R}, i, j \in \mathcal{V} \\ ",
    ),
    "cases": Formula(
        "eN",
        (
            r"a_{ij} \gets \begin{cases} e^{e_{ij}} & j \in \mathcal{N}(i) \\ -1 & j \notin \mathcal{N}(i) \land j \neq i \\"
            r" 0 & otherwise \end{cases}" + OVER_PAIRS,
            r"\Return a",
        ),
        lambda e, N: torch.where(N, e.exp(), torch.where(torch.eye(len(N), dtype=torch.bool), 0.0, -1.0)),
        NODES + AROUND + r"e_{ij} \in \mathbb{R}, i, j \in \mathcal{V} \\ ",
    ),
    "a set alone": Formula(
        "yS",
        (r"\Return \sum_{i \in \mathcal{S}} y_i^2 + \prod_{i : i \notin \mathcal{S}} y_i - |\mathcal{S}| y_1",),
        lambda y, S: (y[S] ** 2).sum() + y[~S].prod() - S.sum() * y[0],
        NODES + r"\mathcal{S} \subseteq \mathcal{V} \\ " + VALUES,
    ),
    "greatest neighbour": Formula(
        "yN",
        (
            r"k_i \gets \operatorname*{argmax}_{j \in \mathcal{N}(i)} y_j \quad (i \in \mathcal{V})",
            r"\Return [y_{k_i}]_{i \in \mathcal{V}}",
        ),
        lambda y, N: torch.stack([y[N[i]].max() for i in range(len(y))]),
        NODES + AROUND + VALUES,
        full=True,
    ),
    "chamfer": Formula(
        "XY",
        (
            r"\Return \frac{1}{|X|} \sum_{x \in X} \min_{y \in Y} \lVert x - y \rVert_2^2"
            r" + \frac{1}{|Y|} \sum_{y \in Y} \min_{x \in X} \lVert x - y \rVert_2^2",
        ),
        lambda X, Y: ((X[:, None] - Y) ** 2).sum(-1).amin(1).mean() + ((X[:, None] - Y) ** 2).sum(-1).amin(0).mean(),
        r"X \in \mathbb{R}^{n \times d} \\ Y \in \mathbb{R}^{k \times d} \\ ",
    ),
    "hausdorff": Formula(
        "XY",
        (r"\Return \max_{x \in X} \min_{y \in Y} \lVert x - y \rVert_2",),
        lambda X, Y: torch.cdist(X, Y).amin(1).amax(),
        r"X \in \mathbb{R}^{n \times d} \\ Y \in \mathbb{R}^{k \times d} \\ ",
    ),
    "elements of a sequence": Formula(
        "X",
        (r"\Return \operatorname{mean}_{x \in X} \tanh(a^\top x) x",),
        lambda X, a: (torch.tanh(X @ a)[:, None] * X).mean(0),
        r"X \in \mathbb{R}^{n \times d} \\ a \in \mathbb{R}^{d} \\ ",
        "a",
        sizes={"d": D},
    ),
}


@pytest.mark.parametrize("notation", ["module", "algorithm"])
@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula(name: str, notation: str) -> None:
    agrees(FORMULAS[name], notation)


LOOPS = {
    "over a set": (
        [
            r"\For{$i \in \mathcal{V}$}",
            r"\State $z_i \gets 0$",
            r"\For{$j \in \mathcal{N}(i)$}",
            r"\State $z_i \gets z_i + y_j^2$",
            r"\EndFor",
            r"\EndFor",
            r"\State \Return $z$",
        ],
        "N",
        lambda y, N: N.double() @ y**2,
    ),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop(name: str) -> None:
    lines, inputs, by_hand = LOOPS[name]
    where = rf"\begin{{where}} {NODES}{AROUND}{VALUES} \end{{where}}"
    body = "\n".join(lines)
    text = f"\\begin{{algorithmic}}\n\\Procedure{{F}}{{$y, {NAMES[inputs]}$}}\n{body}\n\\EndProcedure\n\\end{{algorithmic}}\n{where}"
    formula = Formula("y" + inputs, (), by_hand, "")
    subject, values = made(text), [list(example.values()) for example in examples(formula)]
    for one in values:
        close(moved(subject, one, []), moved(by_hand, one, []))


def test_one_graph_for_all_examples() -> None:
    row = AROUND.replace(r", i \in", r" \text{ shared}, i \in")
    statements = (r"z_i \gets \sum_{j \in \mathcal{N}(i)} y_j \quad (i \in \mathcal{V})", r"\Return z")
    subject = made(Formula("yN", statements, torch.add, NODES + row + VALUES).text("module"))
    y, N = torch.randn(3, 4), torch.rand(4, 4) < 0.5
    torch.testing.assert_close(subject(y, N), y @ N.T.float())


def told(statement: str, table: str, header: str = r"y, \mathcal{N}") -> Any:
    text = rf"\Module{{F}}{{{header} ; }} {statement} \\ \EndModule \begin{{where}} {table} \end{{where}}"
    return [d for d in compile(text).diagnostics if d.severity == "error"]


UNKNOWN = [
    (r"\Return \sum_{i=1}^{n} \sum_{j \in \mathcal{N}_i} y_j", r"\mathcal{N}_i"),
    (r"\Return \sum_{i=1}^{n} \max_{j \in \mathcal{N}(i)} y_j", r"\mathcal{N}(i)"),
    (r"\Return \sum_{i=1}^{n} \sum_{j=1}^{n} \mathbb{1}[j \in \mathcal{N}_i] y_j", r"\mathcal{N}_i"),
]


@pytest.mark.parametrize(("statement", "name"), UNKNOWN)
def test_a_set_that_nothing_declares(statement: str, name: str) -> None:
    """The row that the message offers makes it right."""
    table = r"y_i \in \mathbb{R}, i = 1, \dots, n \\ "
    (found,) = told(statement, table)
    assert (found.code, found.message) == ("E0505", f"nothing tells what `{name}` holds")
    row = found.help.partition("`where` table, `")[2].removesuffix("`")
    assert row.startswith(name)
    assert not told(statement, rf"{table} {row} \\ ")


def test_a_range_that_nothing_declares() -> None:
    table = r"y_i \in \mathbb{R}, i = 1, \dots, n \\ "
    statement = r"\Return \sum_{i \in \mathcal{V}} y_i"
    (found,) = told(statement, table, "y")
    assert found.message == r"nothing tells what `\mathcal{V}` holds"
    assert not told(statement, rf"{table} \mathcal{{V}} = \{{1, \dots, n\}} \\ ", "y")
    assert r"`\mathcal{V} = \{1, \dots, n\}`" in found.help


REFUSED = [
    (r"a_{ij} \gets y_j \quad (i \in \mathcal{V}, j \in \mathcal{N}(i)) \\ \Return a", r"an array over `\mathcal{N}(i)`"),
    (r"\Return \sum_{i \in \mathcal{V}} \max\{y_j ; j \in \mathcal{N}(i)\}", r"an array over `\mathcal{N}(i)`"),
]


@pytest.mark.parametrize(("statement", "message"), REFUSED)
def test_what_is_refused(statement: str, message: str) -> None:
    (found,) = told(statement, NODES + AROUND + VALUES)
    assert found.message.startswith(message)


def test_a_set_is_an_input() -> None:
    (found,) = told(r"\Return \sum_{i, j \in \mathcal{V}} \mathbb{1}[j \in \mathcal{N}(i)] y_j", NODES + AROUND + VALUES, "y")
    assert found.code == "E0301"
    (found,) = told(
        r"\Return \sum_{i \in \mathcal{V}} \sum_{j \in \mathcal{N}(i)} y_j", NODES + r"\mathcal{N}(i) \subseteq \mathcal{V} \\ " + VALUES
    )
    assert (found.code, found.message) == ("E0505", "the range of this index is not given")


@pytest.mark.parametrize("reduction", [r"\max", r"\min", r"\operatorname{mean}", r"\operatorname*{argmax}"])
def test_nothing_to_reduce(reduction: str) -> None:
    """A node without neighbours has no greatest one; padding is no node."""
    statements = (rf"z_i \gets {reduction}_{{j \in \mathcal{{N}}(i)}} y_j \quad (i \in \mathcal{{V}})", r"\Return z")
    subject = made(Formula("yN", statements, torch.add, NODES + AROUND + VALUES).text("module"))
    y, N = torch.randn(2, 3), torch.ones(2, 3, 3, dtype=torch.bool)
    N[1, 2] = False
    with pytest.raises(ValueError, match=r"\\exists j : j \\in \\mathcal{N}\(i\)"):
        subject(y, N)
    subject(y, N, lengths=torch.tensor([3, 2]))


def test_comments_say_what_the_author_wrote() -> None:
    source = compile(FORMULAS["gcn"].text("module")).source
    assert source is not None
    assert r"\mathcal{N}(i) \lor j = i} \frac{h_j}{\sqrt{c_i c_j}}" in source
    assert r"\lvert \mathcal{N}(i) \rvert + 1" in source
