"""Idioms of papers as building blocks of drawn programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .trees import Binary, Binder, Dot, Expr, Index, MatVec, Name, NothingFits, Number, Range, Reduce, Ref, Softmax, SoftmaxAt, Unary

if TYPE_CHECKING:
    from .drawing import Array, Draw


def at(array: Array, *letters: str, rank: int = 0, form: int = 1) -> Ref:
    """An element, or a row, of an array."""
    return Ref(array.name, tuple(Index(letter) for letter in letters), rank, form)


def size_of(draw: Draw, axis: Range) -> Expr:
    """The size of an axis `1 .. n` as a number."""
    from .trees import IndexValue

    return IndexValue(axis.high)


def letters_of(draw: Draw, count: int) -> list[str]:
    if len(draw.letters) < count:
        raise NothingFits
    return draw.rng.sample(draw.letters, count)


def binary(draw: Draw, op: str, left: Expr, right: Expr) -> Expr:
    return Binary(op, left, right, draw.form())


def unary(draw: Draw, op: str, argument: Expr) -> Expr:
    return Unary(op, argument, draw.form())


def total(draw: Draw, op: str, letter: str, axis: Range, body: Expr, bare: bool = False) -> Expr:
    return Reduce(op, letter, axis, body, bare, None, draw.form())


def attention(draw: Draw) -> None:
    """Shares of values by inner products of queries and keys."""
    draw.mark("attention")
    queries, keys, width = draw.range(), draw.range(), draw.range()
    i, j, t = letters_of(draw, 3)
    q, k, v = (draw.declare(draw.fresh(2), axes, True, "vectors") for axes in ((queries, width), (keys, width), (keys, width)))
    scale = unary(draw, "sqrt", size_of(draw, width))
    score = binary(draw, "div", Dot(at(q, i, rank=1), at(k, j, rank=1), draw.form()), scale)
    if draw.chance(0.5):
        e = draw.add_family(draw.fresh(2, True), (Binder(i, queries), Binder(j, keys)), score)
        below = total(draw, "sum", t, keys, unary(draw, "exp", at(e, i, t)))
        a = draw.add_family(
            draw.fresh(2, True), e_binders(i, queries, j, keys), binary(draw, "div", unary(draw, "exp", at(e, i, j)), below)
        )
        weight: Expr = at(a, i, j)
    else:
        e = draw.add_family(draw.fresh(2, True), (Binder(i, queries), Binder(j, keys)), score)
        if draw.notation == "module":  # where the axis of a softmax counts from 0
            share = SoftmaxAt(j, keys, at(e, i, j), draw.form())
            a = draw.add_family(draw.fresh(2), (Binder(i, queries), Binder(j, keys)), share)
        else:
            a = draw.add_family(draw.fresh(2), (Binder(i, queries),), Softmax(at(e, i, rank=1), draw.form()), (keys,))
            a = type(a)(a.name, a.axes, (False, False))
        weight = at(a, i, j)
    if draw.chance(0.5):
        draw.add_family(
            draw.fresh(2), (Binder(i, queries),), total(draw, "sum", j, keys, binary(draw, "mul", weight, at(v, j, rank=1))), (width,)
        )
    else:
        v = draw.declare(draw.fresh(1), (keys,), True, "ranged")
        draw.add_family(draw.fresh(1), (Binder(i, queries),), total(draw, "sum", j, keys, binary(draw, "mul", weight, at(v, j))))


def e_binders(i: str, queries: Range, j: str, keys: Range) -> tuple[Binder, ...]:
    return (Binder(i, queries), Binder(j, keys))


def layer_norm(draw: Draw) -> None:
    """Each element less the mean, over the deviation."""
    draw.mark("layer norm")
    width = draw.range()
    i, j = letters_of(draw, 2)
    x = draw.declare(draw.fresh(1), (width,), True, "ranged")
    gain = draw.declare(draw.fresh(1, True), (width,), False, "ranged")
    one_over = binary(draw, "div", Number("1", 1.0), size_of(draw, width))
    mean = scalar(draw, binary(draw, "mul", one_over, total(draw, "sum", i, width, at(x, i), draw.chance(0.3))))
    off = binary(draw, "sub", at(x, j), at(mean))
    variance = scalar(draw, binary(draw, "mul", one_over, total(draw, "sum", j, width, unary(draw, "square", off), draw.chance(0.3))))
    root = unary(draw, "sqrt", binary(draw, "add", at(variance), Number("0.01", 0.01)))
    body = binary(draw, "div", binary(draw, "sub", at(x, i), at(mean)), root)
    draw.add_family(draw.fresh(1), (Binder(i, width),), binary(draw, "mul", at(gain, i), body))


def scalar(draw: Draw, body: Expr) -> Array:
    """A definition of a number."""
    return draw.add_family(draw.fresh(0), (), body)


def mixture(draw: Draw) -> None:
    """The log likelihood of numbers under a mixture of normal distributions, weights and deviations of reserved letters."""
    if {r"\pi", r"\sigma"} & draw.used:
        return
    draw.mark("mixture log likelihood")
    draw.used |= {r"\pi", r"\sigma"}
    draw.mark("families of reserved letters", "pi as a number")
    items, parts = draw.range(), draw.range()
    i, k = letters_of(draw, 2)
    x = draw.declare(draw.fresh(1), (items,), True, "ranged")
    weights = draw.declare(Name(r"\pi"), (parts,), False, draw.rng.choice(("ranged", "ranged", "plain")))
    means = draw.declare(draw.fresh(1), (parts,), False, "ranged")
    deviations = draw.declare(Name(r"\sigma"), (parts,), False, "ranged")
    positive = binary(draw, "add", Number("1", 1.0), unary(draw, "square", at(deviations, k)))
    off = binary(draw, "sub", at(x, i), at(means, k))
    power = unary(draw, "neg", binary(draw, "div", unary(draw, "square", off), positive))
    density = binary(
        draw, "div", unary(draw, "exp", power), unary(draw, "sqrt", binary(draw, "mul", Number(r"2 \pi", 6.283185307179586), positive))
    )
    weight = unary(draw, draw.rng.choice(("exp", "sigmoid")), at(weights, k))
    inside = total(draw, "sum", k, parts, binary(draw, "mul", weight, density), draw.chance(0.2))
    body = total(draw, "sum", i, items, unary(draw, "log", inside))
    scalar(draw, body)


def gated_update(draw: Draw) -> None:
    """`h_t = (1 - z_t) h_{t-1} + z_t c_t` of vectors."""
    free = [base for base in ("h", "h", "u", "v", "g") if base not in draw.used]
    if not free:
        return
    draw.mark("gated update", "recurrences", "labels in scripts", "matrix times vector")
    own = draw.rng.choice(free)
    draw.used.add(own)
    steps, width, inner = draw.range(), draw.range(), draw.range()
    (t,) = letters_of(draw, 1)
    x = draw.declare(draw.fresh(2), (steps, width), True, "vectors")
    base = draw.rng.choice([b for b in ("W", "U", "V") if b not in draw.used] or ["R"])
    draw.used.add(base)
    first, second = draw.rng.sample(["z", "c", "in", "x"], 2)
    wz, wc = (draw.declare(Name(base, label), (inner, width), False, "plain") for label in (first, second))
    from .trees import Declaration

    start, h = Name(own, "0"), Name(own)
    draw.declarations.append(Declaration(start, (inner,), "plain", (), True, (h, (Index(None, 0),))))
    back = Ref(h, (Index(t, -1),), 1, draw.form())
    x_t = at(x, t, rank=1)
    z = unary(draw, "sigmoid", MatVec(at(wz, rank=2), x_t, draw.form()))
    c = unary(draw, "tanh", binary(draw, "add", MatVec(at(wc, rank=2), x_t, draw.form()), back))
    gate = draw.add_family(draw.fresh(1), (Binder(t, steps),), z, (inner,))
    keep = binary(draw, "mul", binary(draw, "sub", Number("1", 1.0), at(gate, t, rank=1)), back)
    body = binary(draw, "add", keep, binary(draw, "mul", at(gate, t, rank=1), c))
    draw.add_family(h, (Binder(t, steps),), body, (inner,), seeds=(((Index(None, 0),), start),))


def softmax_written_out(draw: Draw) -> None:
    """`exp(a_i) / sum exp(a_j)`, with a temperature."""
    draw.mark("softmax")
    axis = draw.range()
    i, j = letters_of(draw, 2)
    a = draw.declare(draw.fresh(1), (axis,), True, "ranged")
    temperature = draw.declare(draw.fresh(0), (), draw.chance(0.5), "plain")
    warm = binary(draw, "add", Number("1", 1.0), unary(draw, "square", at(temperature)))
    top = unary(draw, "exp", binary(draw, "div", at(a, i), warm))
    below = total(draw, "sum", j, axis, unary(draw, "exp", binary(draw, "div", at(a, j), warm)), draw.chance(0.3))
    draw.add_family(draw.fresh(1, True), (Binder(i, axis),), binary(draw, "div", top, below))


def running_mean(draw: Draw) -> None:
    """`m_t = m_{t-1} + (x_t - m_{t-1}) / t`."""
    draw.mark("running mean", "recurrences", "an index as a number")
    from .trees import Cases, Compare, IndexValue

    axis = draw.range()
    (t,) = letters_of(draw, 1)
    x = draw.declare(draw.fresh(1), (axis,), True, draw.rng.choice(("ranged", "none")))
    name = draw.fresh(1, True)
    back = Ref(name, (Index(t, -1),), 0, draw.form())
    step = binary(draw, "add", back, binary(draw, "div", binary(draw, "sub", at(x, t), back), IndexValue(Index(t))))
    first = Compare("=", IndexValue(Index(t)), Number("1", 1.0), draw.form())
    draw.add_family(name, (Binder(t, axis),), Cases(((first, at(x, t)),), step, draw.form()))


def pairwise(draw: Draw) -> None:
    """What each element is told by all others: `sum_{j != i} w_ij x_j`."""
    draw.mark("norms")
    from .trees import Compare, IndexValue

    axis = draw.range()
    i, j = letters_of(draw, 2)
    x = draw.declare(draw.fresh(1), (axis,), True, "ranged")
    w = draw.declare(draw.fresh(2), (axis, axis), True, "ranged")
    body = binary(draw, "mul", at(w, i, j, form=draw.form()), binary(draw, "sub", at(x, j), at(x, i)))
    condition = Compare(draw.rng.choice(("!=", "<")), IndexValue(Index(j)), IndexValue(Index(i)), draw.form())
    bare = condition.op == "<" or draw.chance(0.85)
    draw.add_family(draw.fresh(1, True), (Binder(i, axis),), Reduce("sum", j, axis, body, bare, condition, draw.form()))


def shifted_cell(draw: Draw) -> None:
    """`h_t = tanh(W x_{t-1} + b)` of an input that nothing declares: its reads say that it begins at 0."""
    draw.mark("undeclared inputs with shifted domains", "matrix times vector")
    from .drawing import extent

    size = draw.rng.choice(draw.sizes)
    width, inner = draw.range(), draw.range()
    (t,) = letters_of(draw, 1)
    shift = draw.rng.choice((-1, -1, 0))
    x = draw.declare(draw.fresh(1), (extent(size, 1 + shift), width), True, "none")
    x = type(x)(x.name, x.axes, (False, True))
    draw.arrays[-1] = x
    base = draw.rng.choice([b for b in ("W", "U", "V", "A", "B") if b not in draw.used] or ["R"])
    draw.used.add(base)
    matrix = draw.declare(Name(base), (inner, width), False, "plain")
    bias = draw.declare(draw.fresh(1), (inner,), False, "plain")
    read = Ref(x.name, (Index(t, shift),), 1, draw.form())
    body = unary(draw, "tanh", binary(draw, "add", MatVec(at(matrix, rank=2), read, draw.form()), at(bias, rank=1)))
    draw.add_family(draw.fresh(1), (Binder(t, extent(size)),), body, (inner,))


IDIOMS: tuple[Callable[[Draw], None], ...] = (
    attention,
    layer_norm,
    layer_norm,
    mixture,
    mixture,
    attention,
    gated_update,
    gated_update,
    gated_update,
    softmax_written_out,
    running_mean,
    running_mean,
    running_mean,
    pairwise,
    pairwise,
    shifted_cell,
    shifted_cell,
)
