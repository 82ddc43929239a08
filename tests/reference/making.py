"""Parts of pages that are made from tables: operations with numbers that programs compute, layers, codes, commands, docstrings.

A part stands between `<!-- made: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import click
import torch

import mathdsl
from mathdsl.cli import main
from mathdsl.diagnostics import CATALOGUE
from mathdsl.elaborate.terms.builtin import NOT_YET
from mathdsl.ir.nodes import Element
from mathdsl.library.layers import LIBRARY
from mathdsl.notebook.options import write_help
from mathdsl.ops import ALONG, ELEMENTWISE, REDUCTIONS, AlongAxis, Elementwise, Reduction
from mathdsl.reference.gallery import Example, list_examples
from mathdsl.vocabulary import VOCABULARY

FOLDER = Path(mathdsl.__file__).parent / "reference" / "pages"
_PART = re.compile(r"(<!-- made: (\w+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)
_OPERANDS: Mapping[str, tuple[float, ...]] = {
    "clip": (0.5, -1, 0.25),
    "maximum": (0.5, -1),
    "minimum": (0.5, -1),
    **dict.fromkeys("abs sign relu gelu silu elu selu leaky_relu".split(), (-0.5,)),
    **dict.fromkeys("floor ceil hardtanh softshrink".split(), (1.5,)),
    "relu6": (7,),
}
_TAKES = {Element.REAL: "reals", Element.INTEGER: "integers", Element.BOOLEAN: "booleans"}
_AXIS = [1.0, 2.0, 4.0]


def made(text: str) -> str:
    """A page with its parts made anew."""
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n{found[4]}", text)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Rows -> a table in Markdown; bars inside of cells are escaped."""
    names = list(heads)
    lines = [names, ["---"] * len(names), *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "\n".join(("|" + "|".join(line) + "|") if line[0] == "---" else f"| {' | '.join(line)} |" for line in lines) + "\n"


def values(expressions: Sequence[str], operand: str, given: torch.Tensor) -> list[str]:
    r"""The numbers that programs compute, all of one document: `\tanh(0.5)` -> `0.4621`."""
    programs = (rf"\Module{{F{k}}}{{x \in {operand} ; }} \Return {one} \\ \EndModule" for k, one in enumerate(expressions))
    document = mathdsl.load("\n".join(programs))
    return [shown(getattr(document, f"F{k}")()(given)) for k in range(len(expressions))]


def shown(result: torch.Tensor) -> str:
    return str([round(one, 4) for one in result.tolist()]) if result.ndim else f"{round(result.item(), 4) + 0:g}"


def spelling(name: str) -> str:
    r"""The notation of a function: `tanh` -> `\tanh`, `leaky_relu` -> `\operatorname{leaky_relu}`."""
    return rf"\{name}" if rf"\{name.removesuffix('_2')}" in VOCABULARY else rf"\operatorname{{{name}}}"


def applied(name: str, operands: Iterable[object]) -> str:
    return rf"\sqrt{{{', '.join(map(str, operands))}}}" if name == "sqrt" else f"{spelling(name)}({', '.join(map(str, operands))})"


def elementwise() -> str:
    rows = [row for row in ELEMENTWISE.values() if row.notations and not row.random and row.name != "stop_gradient"]
    examples = [applied(row.notations[0], _OPERANDS.get(row.name, (0.5,))) for row in rows]
    found = values([f"{one} + 0 x" for one in examples], r"\mathbb{R}", torch.tensor(0.0))
    return table(("write", "takes", "torch", "for example"), map(_elementwise, rows, examples, found)) + "\n" + _without_numbers()


def _elementwise(row: Elementwise, example: str, found: str) -> tuple[str, ...]:
    letters = ("x", "a", "b") if row.name == "clip" else ("x", "y")[: row.signature.arity]
    names = ", ".join(f"`{applied(one, letters)}`" for one in row.notations)
    form = "made of others" if row.helper else f"`{row.torch.format(*letters)}`"
    return names, " or ".join(_TAKES[one] for one in row.signature.operands), form, f"`{example}` is {found}"


def _without_numbers() -> str:
    return table(
        ("write", "is"),
        (
            (
                r"`\Dropout(x, p)`, `\drop{x}{p}`",
                "`x`; in training mode each element is 0 with probability `p`, else `x / (1 - p)`",
            ),
            (r"`\operatorname{sg}(x)`, `\operatorname{stopgrad}(x)`", "`x`, and no gradient flows through it: `x.detach()`"),
        ),
    )


def along() -> str:
    return _of_axis(list(ALONG.values()))


def reductions() -> str:
    return _of_axis([row for row in REDUCTIONS.values() if row.notations])


def _of_axis(rows: Sequence[AlongAxis | Reduction]) -> str:
    examples = [applied(row.notations[0], ["x > 2" if row.name in ("any", "all") else "x"]) for row in rows]
    found = values(examples, r"\mathbb{R}^{n}", torch.tensor(_AXIS))
    names = (", ".join(f"`{applied(one, 'x')}`" for one in row.notations) for row in rows)
    forms = (f"`{row.torch.format('x', -1)}`" for row in rows)
    told = (f"`{example}` of {_AXIS} is {one}" for example, one in zip(examples, found, strict=True))
    return table(("write", "torch", "for example"), zip(names, forms, told, strict=True))


def layers() -> str:
    return table(("write", "torch", "computes", "owns", "settings"), map(_layer, LIBRARY))


def _layer(name: str) -> tuple[str, ...]:
    row = LIBRARY[name]
    letters = {one.name: one.latex for one in row.sizes}
    lengths = {array.name: [letters[str(axis.extent)] for axis in array.ranges] for array in row.arrays}
    owned = (f"`{one.array}` $({', '.join(lengths[one.array])})$" for one in row.parameters)
    arguments = ", ".join(f"{one.name}={one.latex}" for one in row.sizes)
    settings = ", ".join(f"`{one.name}` = {one.default:g}" for one in row.settings)
    written = rf"`\mathrm{{{name}}}({', '.join(letters.values())})`"
    return written, f"`{row.library}({arguments})`", f"{row.description}, ${row.latex}$", ", ".join(owned), settings


def missing() -> str:
    words = ", ".join(sorted((f"`{spelling(name)}`" for name in NOT_YET), key=str.lower))
    return f"Refused, with what to write instead where there is something: {words}.\n"


def codes() -> str:
    rows = ((f"[{row.code}](../../diagnostics/codes/{row.code}.md)", row.severity, row.title) for row in CATALOGUE.values())
    return table(("code", "kind", "is"), rows)


def commands() -> str:
    return "\n".join(_command(name, command) for name, command in main.commands.items())


def _command(name: str, command: click.Command) -> str:
    parent = click.Context(main, info_name="mathdsl", **main.context_settings)
    text = command.get_help(click.Context(command, parent, name, max_content_width=100))
    return f"## mathdsl {name}\n\n<!-- words: {name} -->\n\n```text\n{text}\n```\n"


def python() -> str:
    things: Mapping[str, object] = {
        "mathdsl.compile": mathdsl.compile,
        "mathdsl.load": mathdsl.load,
        "CompileResult": mathdsl.CompileResult,
        "CompileResult.load": mathdsl.CompileResult.load,
        "CompileResult.render": mathdsl.CompileResult.render,
    }
    return "\n".join(_documented(name, thing) for name, thing in things.items())


def _documented(name: str, thing: object) -> str:
    signature = "" if inspect.isclass(thing) else str(inspect.signature(thing)).replace("'", "")  # type: ignore[arg-type]
    return f"### `{name}{signature}`\n\n{inspect.getdoc(thing)}\n"


def notebook() -> str:
    return f"```text\n{write_help().strip()}\n```\n"


def gallery() -> str:
    return "\n".join(_areas())


def _areas() -> Iterator[str]:
    for area, examples in groupby(list_examples(), lambda one: one.name.rpartition("/")[0]):
        known = list(examples)
        yield f"## {area.replace('_', ' ').capitalize() or 'The five of the demo'}\n"
        stems = [one.path.stem.split("_") for one in known]
        words = dict.fromkeys([*map(" ".join, stems), *(word for stem in stems for word in stem if len(word) > 2)])
        yield f"<!-- words: {', '.join(words)} -->\n"
        yield "".join(f"- [{one.title}](../../../examples/{one.name}.tex), `{one.name}`: {_lead(one)}\n" for one in known)


def _lead(example: Example) -> str:
    """The first sentence of an example's prose."""
    return re.split(r"(?<=[.?!]) ", example.summary)[0]


PARTS: Mapping[str, Callable[[], str]] = {
    "elementwise": elementwise,
    "along": along,
    "reductions": reductions,
    "layers": layers,
    "missing": missing,
    "codes": codes,
    "commands": commands,
    "python": python,
    "notebook": notebook,
    "gallery": gallery,
}
