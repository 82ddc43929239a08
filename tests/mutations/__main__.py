"""Whether every token counts: `python -m tests.mutations [--seconds 600] [--examples FILE ...] [--show OUTCOME]`.

Each mutant of the examples (`mutants.py`), in an order that is the same in each run, until the seconds are over: a table of what
became of them, then each one that is read as before without a rule that allows it, and each crash. These make it fail.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mathdsl.spans import SourceFile

from .mutants import Mutant, mutants_of
from .outcomes import CRASH, DECLARED, OUTCOMES, SAME, Judge, Outcome

EXAMPLES = Path(__file__).parents[2] / "examples"
_CHANGES = ("deleted", "doubled", "swapped", "replaced", "by one", "pair deleted", "pair doubled")


def read_example(name: str) -> SourceFile:
    return SourceFile(name, (EXAMPLES / name).read_text(encoding="utf-8"))


def judged(files: Sequence[SourceFile], seed: int = 0) -> Iterator[tuple[Mutant, Outcome]]:
    """Mutants with their outcomes, the documents' mixed, in an order that the seed decides."""
    judges = {file.name: Judge(file) for file in files}
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    random.Random(seed).shuffle(mutants)
    for mutant in mutants:
        yield mutant, judges[mutant.file].outcome(mutant)


def surprises(found: Iterable[tuple[Mutant, Outcome]]) -> list[str]:
    """Each mutant that means what the document means though no rule says that it may, or otherwise without a word; each crash."""
    return [f"{m}  [{o.kind} {o.detail}]" for m, o in found if o.kind in (CRASH, DECLARED) or o.kind == SAME and not o.detail]


def table(found: Sequence[tuple[Mutant, Outcome]]) -> str:
    """A line for each change, a column for each outcome; below, how often each rule allowed the same reading."""
    counts = Counter((mutant.change, outcome.kind) for mutant, outcome in found)
    rows = [["", *OUTCOMES], *([c, *(str(counts[c, o]) for o in OUTCOMES)] for c in _CHANGES)]
    rows.append(["all", *(str(sum(counts[c, o] for c in _CHANGES)) for o in OUTCOMES)])
    lines = [" | ".join(cells) for cells in rows]
    rules = Counter(outcome.detail or "no rule" for _, outcome in found if outcome.kind == SAME)
    return "\n".join([*lines, *(f"the same reading by {rule}: {count}" for rule, count in sorted(rules.items()))])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--examples", nargs="*", default=sorted(path.name for path in EXAMPLES.glob("*.tex")))
    parser.add_argument("--show", default="", help="print the mutants whose outcome contains these words, too")
    given = parser.parse_args(arguments)
    files = [read_example(name) for name in given.examples]
    total = sum(len(mutants_of(file)) for file in files)
    found: list[tuple[Mutant, Outcome]] = []
    end = time.process_time() + given.seconds
    for mutant, outcome in judged(files):
        found.append((mutant, outcome))
        if given.show and given.show in outcome.kind:
            print(f"{mutant}  [{outcome.kind} {outcome.detail}]", flush=True)
        if time.process_time() > end:
            break
    print(f"{len(found)} of {total} mutants\n{table(found)}")
    wrong = surprises(found)
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
