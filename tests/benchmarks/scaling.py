"""How the time to compile grows with the length of a program: `python tests/benchmarks/scaling.py [--json FILE] [COUNT …]`."""

from __future__ import annotations

import argparse
import json
import math
import string
import time
from pathlib import Path

import mathdsl

COUNTS = (1_000, 2_000, 5_000, 10_000)
TOKENS = 40  # of each statement


def write_program(statements: int) -> str:
    """A module of that many statements; each reads the input, the parameters and the two statements before it."""
    lines = [r"\Module{Long}{x ; W, U, b}"]
    before = "x", "x"
    for number in range(statements):
        name = _name(number)
        one, two = before
        lines.append(
            rf"{name} \gets \tanh(W @ {one} + U @ {two} + b) \odot \sigma(W @ {one} + b) + (1 - \sigma(U @ {two} + b)) \odot {one} \\"
        )
        before = name, one
    lines += [rf"\Return {before[0]} \\", r"\EndModule", r"\begin{where}"]
    lines += [r"x, b \in \mathbb{R}^{d} & a vector \\", r"W, U \in \mathbb{R}^{d \times d} & a matrix \\", r"\end{where}"]
    return "\n".join(lines) + "\n"


def _name(number: int) -> str:
    letters = ""
    for _ in range(4):
        number, letter = divmod(number, 26)
        letters = string.ascii_lowercase[letter] + letters
    return rf"\mathrm{{v{letters}}}"


def measure(statements: int) -> float:
    """Seconds of processor time for compiling the program."""
    text = write_program(statements)
    start = time.process_time()
    result = mathdsl.compile(text)
    seconds = time.process_time() - start
    assert result.ok, [d.message for d in result.diagnostics][:3]
    return seconds


def fit_exponent(seconds: dict[int, float]) -> float:
    """The slope of the line through the logarithms, by least squares."""
    points = [(math.log(count), math.log(time)) for count, time in seconds.items()]
    mean_x, mean_y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def main() -> None:
    """Print a line for each count, then the exponent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("counts", nargs="*", type=int, default=COUNTS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    measure(50)  # imports and tables
    seconds = {}
    for count in options.counts:
        seconds[count] = measure(count)
        print(f"{count:>6} statements of {TOKENS} tokens: {seconds[count]:7.2f} s", flush=True)
    report: dict[str, object] = {"seconds": seconds}
    if len(seconds) > 1:
        report["exponent"] = fit_exponent(seconds)
        print(f"fitted exponent {report['exponent']:.3f}")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
