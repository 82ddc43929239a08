r"""Short algorithms in the notations that have loops, held against the same statements in Python on lists that count from 1.

`for k = 1..n; …; end`, `for v in x; …`, `down k = n..1; …; end`, `if c; …; else; …; fi`, `while c most n; …; ew`, `break`, `return y`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from mathdsl import compile

Meaning = Callable[..., Any]

ALGORITHMIC = (
    (r"for (\w+) = (.*?)\.\.(.*)", r"\\For{$\1 = \2, \\dots, \3$}"),
    (r"for (.*) in (.*)", r"\\ForAll{$\1 \\in \2$}"),
    (r"down (\w+) = (.*?)\.\.(.*)", r"\\For{$\1 = \2, \2 - 1, \\dots, \3$}"),
    (r"while (.*) most (.*)", r"\\While{$\1$}[\2]"),
    (r"if (.*)", r"\\If{$\1$}"),
    (r"elif (.*)", r"\\ElsIf{$\1$}"),
    ("else", r"\\Else"),
    ("end", r"\\EndFor"),
    ("ew", r"\\EndWhile"),
    ("fi", r"\\EndIf"),
    (r"return (.*)", r"\\State \\Return $\1$"),
    ("(break|continue)", r"\\State \\textbf{\1}"),
    (r"(.*)", r"\\State $\1$"),
)
DOCSTRING = (
    (r"for (\w+) = (.*?)\.\.(.*)", r"\\algoFor{\1 \\in \\set{\2, \\dots, \3}}"),
    (r"for (.*) in (.*)", r"\\algoFor{\1 \\in \2}"),
    (r"down (\w+) = (.*?)\.\.(.*)", r"\\algoFor{\1 \\in \\set{\2, \2 - 1, \\dots, \3}}"),
    (r"while (.*) most (.*)", r"\\algoWhile{\1}[\2]"),
    (r"if (.*)", r"\\algoIf{\1}"),
    (r"elif (.*)", r"\\algoElseIf{\1}"),
    ("else", r"\\algoElse"),
    ("end", r"\\algoEndFor"),
    ("ew", r"\\algoEndWhile"),
    ("fi", r"\\algoEndIf"),
    (r"return (.*)", r"\\algoReturn \1"),
    ("(break|continue)", r"\\algo\1"),
    (r"(.*)", r"\1"),
)
NOTATIONS = ("algorithmic", "docstring")


class FromOne(list[Any]):
    """A list that counts from 1."""

    def __getitem__(self, index: Any) -> Any:
        assert 1 <= int(index) <= len(self)
        return list.__getitem__(self, int(index) - 1)

    def __setitem__(self, index: Any, value: Any) -> None:
        assert 1 <= int(index) <= len(self)
        list.__setitem__(self, int(index) - 1, value)


def _line(line: str, rows: Sequence[tuple[str, str]], gets: str) -> str:
    pattern, latex = next((p, t) for p, t in rows if re.fullmatch(p, line))
    return re.sub(f"^{pattern}$", latex, line).replace("<-", gets)


def text_of(notation: str, rows: Sequence[str], header: str, lines: str) -> str:
    """The text of a procedure `F`; algoBreak and its kin are as the notation writes them."""
    parts = [line.strip() for line in lines.strip().split(";")]
    if notation == "algorithmic":
        required = "".join(f"\\Require ${row}$\n" for row in rows)
        body = "\n".join(_line(part, ALGORITHMIC, r"\gets") for part in parts)
        return f"{required}\\Procedure{{F}}{{${header}$}}\n{body}\n\\EndProcedure\n"
    body = "\n".join(r"& \indent{1} " + _line(part, DOCSTRING, r"\algoEq") + r" \\" for part in parts)
    body = body.replace(r"\algobreak", r"\algoBreak").replace(r"\algocontinue", r"\algoContinue")
    table = " ".join(rf"{row} & \\" for row in rows)
    return f"\\algoProc{{\\F}}\\pa{{{header}}} \\\\\n{body}\n\\algoEndProc\n\\begin{{where}} {table} \\end{{where}}\n"


def _lists(tensor: Tensor) -> Any:
    return FromOne(_lists(row) for row in tensor) if tensor.dim() else tensor


def _stacked(value: Any) -> Tensor:
    if not isinstance(value, list):
        return torch.as_tensor(value, dtype=torch.float64)
    return torch.stack([_stacked(part) for part in value]) if value else torch.zeros(0, dtype=torch.float64)


def executed(meaning: Meaning, inputs: Sequence[Tensor]) -> Tensor:
    """What the statements in Python give."""
    return _stacked(meaning(*map(_lists, inputs)))


def same(found: Tensor, wanted: Tensor) -> None:
    torch.testing.assert_close(found.double(), wanted, rtol=1e-9, atol=1e-9)


def check(
    text: str, meaning: Meaning, shapes: Sequence[tuple[tuple[int, ...], ...]], *, shortest: int | None = None, **settings: Any
) -> None:
    """Values, slopes and batches at all shapes; with `shortest`, also batches of vectors of lengths from that on, padded with NaN."""
    result = compile(text)
    assert result.ok, [(d.code, d.message) for d in result.diagnostics]
    subject = result.load().F(**settings).double()
    source = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> Tensor:
        return torch.rand(shape, dtype=torch.float64, generator=source) - 0.2

    for each in shapes:
        inputs = [drawn(*shape).requires_grad_() for shape in each]
        found, wanted = subject(*inputs), executed(meaning, inputs)
        same(found, wanted)
        slopes = [
            torch.autograd.grad(value.double().sin().sum(), inputs, allow_unused=True) if value.requires_grad else [None] * len(inputs)
            for value in (found, wanted)
        ]
        for ours, right, given in zip(*slopes, inputs, strict=True):
            same(*(torch.zeros_like(given) if slope is None else slope for slope in (ours, right)))
        batch = [drawn(3, *shape) for shape in each]
        examples = [[given[k] for given in batch] for k in range(3)]
        same(subject(*batch), torch.stack([executed(meaning, example) for example in examples]))
        if shortest is None or each[0][0] < shortest:
            continue
        lengths = [each[0][0], max(each[0][0] - 2, shortest), max(each[0][0] - 1, shortest)]
        own = [[given[:length] for given in example] for example, length in zip(examples, lengths, strict=True)]
        wanted_own = [executed(meaning, example) for example in own]
        for given in batch:
            for k, length in enumerate(lengths):
                given[k, length:] = torch.nan
        ragged = subject(*batch, lengths=torch.tensor(lengths))
        for k, right in enumerate(wanted_own):
            same(ragged[k] if right.dim() == 0 else ragged[k][: len(right)], right)
