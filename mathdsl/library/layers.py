"""The library layers, a row each: their equations, and torch's names for their arguments and parameters."""

from __future__ import annotations

from collections.abc import Mapping

from mathdsl.ir.nodes import (
    Abstraction,
    Apply,
    Array,
    Axis,
    Element,
    Equation,
    Expr,
    IndexValue,
    Initialiser,
    Input,
    Interval,
    Kind,
    Literal,
    Module,
    Origin,
    Parameter,
    Range,
    Read,
    Reduce,
    Result,
    Setting,
    SettingDeclaration,
    Size,
    SizeKind,
)
from mathdsl.ir.sizes import Poly

REAL = Element.REAL


def _axis(name: str, size: str) -> Axis:
    """An axis that counts from 0, as torch does."""
    return Axis(name, Range(Poly.of(0), Poly.of(size) - 1))


def _read(array: str, *index: str) -> Read:
    return Read(array, tuple(Poly.of(name) for name in index), REAL)


def _real(op: str, *operands: Expr) -> Expr:
    return Apply(op, operands, REAL)


def _array(kind: Kind, name: str, *axes: Axis, element: Element = REAL) -> Array:
    return Array(name, kind, element, tuple(axis.range for axis in axes), name, rf"\mathrm{{{name}}}")


def _layer(
    name: str,
    sizes: Mapping[str, str],
    given: Array,
    parameters: Mapping[Array, Initialiser],
    result: tuple[Axis, Expr],
    *,
    values: tuple[Array, ...] = (),
    steps: tuple[Equation, ...] = (),
    settings: tuple[SettingDeclaration, ...] = (),
    latex: str,
    description: str,
) -> Module:
    """A module with one input and one vector as its result; `sizes` are torch's arguments with their LaTeX."""
    axis, value = result
    return Module(
        name=name,
        sizes=tuple(Size(size, SizeKind.HYPERPARAMETER, text) for size, text in sizes.items()),
        settings=settings,
        arrays=(given, *parameters, *values),
        inputs=(Input(given.name),),
        parameters=tuple(Parameter(array.name, initialiser) for array, initialiser in parameters.items()),
        submodules=(),
        steps=steps,
        results=Result("output", Abstraction((axis,), value)),
        library=f"torch.nn.{name}",
        latex=latex,
        description=description,
    )


def _linear() -> Module:
    i, j = _axis("i", "out_features"), _axis("j", "in_features")
    product = Reduce("sum", j, _real("mul", _read("weight", "i", "j"), _read("input", "j")), REAL)
    return _layer(
        "Linear",
        {"in_features": "n", "out_features": "m"},
        _array(Kind.INPUT, "input", j),
        {
            _array(Kind.PARAMETER, "weight", i, j): Initialiser("linear"),
            _array(Kind.PARAMETER, "bias", i): Initialiser("linear"),
        },
        (i, _real("add", product, _read("bias", "i"))),
        latex=r"\mathrm{weight} \cdot x + \mathrm{bias}",
        description="an affine map",
    )


def _embedding() -> Module:
    v, j = _axis("v", "num_embeddings"), _axis("j", "embedding_dim")
    token = Read("input", (), Element.INTEGER)
    return _layer(
        "Embedding",
        {"num_embeddings": "V", "embedding_dim": "d"},
        _array(Kind.INPUT, "input", element=Element.INTEGER),
        {_array(Kind.PARAMETER, "weight", v, j): Initialiser("normal", (Literal(0.0), Literal(1.0)))},
        (j, Read("weight", (token, Poly.of("j")), REAL)),
        latex=r"\mathrm{weight}[x]",
        description="a row for each token, counted from 0",
    )


def _layer_norm() -> Module:
    i, j = _axis("i", "normalized_shape"), _axis("j", "normalized_shape")
    size = _real("to_real", IndexValue(Poly.of("normalized_shape")))
    mean, variance = _array(Kind.VALUE, "mean"), _array(Kind.VALUE, "variance")
    distance = _real("sub", _read("input", "j"), _read("mean"))
    spread = _real("sqrt", _real("add", _read("variance"), Setting("eps", REAL)))
    normed = _real("div", _real("sub", _read("input", "i"), _read("mean")), spread)

    def average(target: str, body: Expr, latex: str) -> Equation:
        return Equation(target, (), (), _real("div", Reduce("sum", j, body, REAL), size), Origin(latex))

    return _layer(
        "LayerNorm",
        {"normalized_shape": "n"},
        _array(Kind.INPUT, "input", i),
        {
            _array(Kind.PARAMETER, "weight", i): Initialiser("constant", (Literal(1.0),)),
            _array(Kind.PARAMETER, "bias", i): Initialiser("zeros"),
        },
        (i, _real("add", _real("mul", normed, _read("weight", "i")), _read("bias", "i"))),
        values=(mean, variance),
        steps=(
            average("mean", _read("input", "j"), r"\mu = \frac{1}{n} \sum_j x_j"),
            average("variance", _real("mul", distance, distance), r"v = \frac{1}{n} \sum_j (x_j - \mu)^2"),
        ),
        settings=(SettingDeclaration("eps", REAL, 1e-5, r"\varepsilon", Interval(0.0)),),
        latex=r"\frac{x - \mu}{\sqrt{v + \varepsilon}} \odot \mathrm{weight} + \mathrm{bias}",
        description="a vector with mean 0 and variance 1, scaled and shifted",
    )


LIBRARY: Mapping[str, Module] = {module.name: module for module in (_linear(), _embedding(), _layer_norm())}


def find_library(name: str) -> Module | None:
    """The library layer of that name, if there is one."""
    return LIBRARY.get(name)
