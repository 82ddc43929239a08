"""The speed of the generated code against hand-batched code, mostly the seeds' own: `python tests/benchmarks/run.py [--json FILE]`.

Ours and theirs take turns in one process, with the same parameters and inputs; a ratio above 1 says that ours is faster.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from examples_loader import EXAMPLES
from references import elman, gru, lstm1997, lstm_topic, rhn, transformer
from references.leaves import leaves
from references.parts import Part, copy_parameters

import mathdsl

PROGRAMS = Path(__file__).parents[1] / "programs"
VOCABULARY, TOPICS = 1_000, 4
TOLERANCE = 1e-4  # in single precision, over a whole sequence


@dataclass(frozen=True)
class Row:
    """A module at one size; `run(reference, *arguments)` has one batch axis in front, as ours has."""

    label: str
    spec: Path
    module: str
    sizes: dict[str, int]
    reference: Callable[[], nn.Module]
    parts: Callable[[Any], Iterable[Part]]
    inputs: Callable[[], tuple[Tensor, ...]]
    run: Callable[..., Any] = lambda reference, *arguments: reference(*arguments)


@dataclass(frozen=True)
class Timing:
    """Medians in milliseconds."""

    label: str
    threads: int
    what: str
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.theirs / self.ours


def _elman(batch: int, length: int, width: int) -> Row:
    return Row(
        f"Elman {batch} x {length} x {width}",
        EXAMPLES / "elman.tex",
        "ElmanLayer",
        {"H_in": width, "H_out": width},
        lambda: elman.ElmanLayer(in_feat=width, out_feat=width),
        elman.layer_parts,
        lambda: (torch.randn(batch, length, width, requires_grad=True),),
    )


def _run_rhn(reference: nn.Module, x: Tensor) -> tuple[Tensor, list[Tensor]]:
    out, last = reference(x.transpose(0, 1))  # the seed puts time first
    return out.transpose(0, 1), last


def _rhn(batch: int, length: int, width: int, depth: int, layers: int) -> Row:
    return Row(
        f"RHN {batch} x {length} x {width}, D = {depth}, {layers} layers",
        EXAMPLES / "rhn.tex",
        "RHN",
        {"d_in": width, "d_hid": width, "D": depth, "n_lyr": layers},
        lambda: rhn.RHN(width, width, depth, layers),
        rhn.net_parts,
        lambda: (torch.randn(batch, length, width, requires_grad=True),),
        _run_rhn,
    )


def _lstm1997(batch: int, length: int, blocks: int, cells: int) -> Row:
    return Row(
        f"LSTM of 1997 {batch} x {length} x {blocks}*{cells}",
        EXAMPLES / "lstm1997.tex",
        "LSTM1997Layer",
        {"H_in": blocks * cells, "n_blk": blocks, "d_blk": cells},
        lambda: lstm1997.LSTM1997Layer(in_feat=blocks * cells, n_blk=blocks, d_blk=cells),
        lstm1997.layer_parts,
        lambda: (torch.randn(batch, length, blocks * cells, requires_grad=True),),
    )


def _gru(batch: int, length: int, width: int) -> Row:
    return Row(
        f"GRU {batch} x {length} x {width}",
        PROGRAMS / "gru.tex",
        "GRU",
        {"d_in": width, "d": width},
        lambda: gru.GRULayer(in_feat=width, out_feat=width),
        gru.layer_parts,
        lambda: (torch.randn(batch, length, width, requires_grad=True), torch.randn(batch, width, requires_grad=True)),
    )


def _classifier(batch: int, length: int, width: int) -> Row:
    return Row(
        f"LSTM classifier {batch} x {length} x {width}",
        EXAMPLES / "lstm_topic.tex",
        "LSTM",
        {"V": VOCABULARY, "d_x": width, "d_h": width, "C": TOPICS},
        lambda: lstm_topic.LSTM(VOCABULARY, width, width, TOPICS),
        lstm_topic.model_parts,
        lambda: (torch.randint(0, VOCABULARY, (batch, length)),),
    )


def _transformer(batch: int, length: int, width: int, heads: int) -> Row:
    sizes = {"d_model": width, "d_ff": 4 * width, "n_head": heads, "d_k": width // heads, "d_v": width // heads}
    ahead = torch.ones(length, length, dtype=torch.bool).triu(1)
    return Row(
        f"Transformer layer {batch} x {length} x {width}",
        EXAMPLES / "transformer.tex",
        "TransEncLayer",
        sizes,
        lambda: transformer.TransEncLayer(**sizes),
        transformer.layer_parts,
        lambda: (ahead.repeat(batch, 1, 1), torch.randn(batch, length, width, requires_grad=True)),
    )


ROWS = (
    _elman(32, 64, 128),
    _elman(32, 64, 512),
    _elman(8, 64, 64),
    _lstm1997(32, 64, 8, 16),
    _lstm1997(32, 64, 8, 64),
    _gru(32, 64, 128),
    _rhn(32, 64, 128, depth=3, layers=1),
    _rhn(32, 64, 128, depth=3, layers=2),
    _classifier(16, 24, 128),
    _classifier(64, 24, 128),
    _transformer(32, 64, 128, heads=8),
    _transformer(32, 64, 512, heads=8),
)


def build(row: Row) -> tuple[nn.Module, nn.Module]:
    """Ours and the reference with our parameters."""
    ours = getattr(mathdsl.load(row.spec), row.module)(**row.sizes)
    theirs = row.reference()
    copy_parameters(ours, row.parts(theirs))
    return ours, theirs


def measure(row: Row, threads: int, seconds: float) -> Iterator[Timing]:
    """Forward without gradients, then forward and backward with the inputs' gradients."""
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    ours, theirs = build(row)
    arguments = row.inputs()
    weights = [torch.randn_like(leaf) for leaf in _agreed(row, ours, theirs, arguments)]

    def forward(run: Callable[..., Any]) -> None:
        with torch.no_grad():
            run(*arguments)

    def both(run: Callable[..., Any]) -> None:
        torch.autograd.backward(leaves(run(*arguments)), weights)
        for tensor in (*ours.parameters(), *theirs.parameters(), *arguments):
            tensor.grad = None

    for what, step in (("forward", forward), ("forward and backward", both)):
        mine, other = _take_turns(lambda: step(ours), lambda: step(lambda *given: row.run(theirs, *given)), seconds)  # noqa: B023
        yield Timing(row.label, threads, what, 1e3 * mine, 1e3 * other)


def _agreed(row: Row, ours: nn.Module, theirs: nn.Module, arguments: tuple[Tensor, ...]) -> list[Tensor]:
    """The results, which must be those of the reference: a wrong answer has no speed."""
    with torch.no_grad():
        mine, other = leaves(ours(*arguments)), leaves(row.run(theirs, *arguments))
    for left, right in zip(mine, other, strict=True):
        torch.testing.assert_close(left, right, rtol=TOLERANCE, atol=TOLERANCE)
    return mine


def _take_turns(first: Callable[[], None], second: Callable[[], None], seconds: float) -> tuple[float, float]:
    """The median time of each, one run of the one after one of the other."""
    for _ in range(3):
        first()
        second()
    times: tuple[list[float], list[float]] = ([], [])
    end = time.perf_counter() + seconds
    while len(times[0]) < 10 or time.perf_counter() < end:
        for run, found in zip((first, second), times, strict=True):
            start = time.perf_counter()
            run()
            found.append(time.perf_counter() - start)
    return median(times[0]), median(times[1])


def main() -> None:
    """Print a line for each module, number of threads, and direction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="*", help="only rows whose label contains one of these words")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each line is measured")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    timings: list[Timing] = []
    print(f"{'module':<38} {'threads':>7}  {'':<20} {'ours ms':>9} {'theirs ms':>9} {'ratio':>6}")
    for row in ROWS:
        if options.labels and not any(word in row.label for word in options.labels):
            continue
        for threads in options.threads:
            for timing in measure(row, threads, options.seconds):
                timings.append(timing)
                print(
                    f"{timing.label:<38} {threads:>7}  {timing.what:<20} {timing.ours:9.3f} {timing.theirs:9.3f} {timing.ratio:6.2f}",
                    flush=True,
                )
    if options.json:
        records = [{**vars(timing), "ratio": timing.ratio} for timing in timings]
        options.json.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
