"""The net cast for long: many seeds, in one process or several, with counts by feature."""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from .law import Verdict, hold
from .sampling import draw_program
from .shrinking import shrink


@dataclass(frozen=True)
class Outcome:
    """What became of a seed."""

    seed: int
    verdict: Verdict
    features: frozenset[str]
    sizes: str
    small: Verdict | None = None


def try_seed(task: tuple[int, float, bool]) -> Outcome | None:
    """The outcome of a seed, None after the end of the time."""
    seed, end, shrinks = task
    if time.time() > end:
        return None
    torch.set_num_threads(1)
    program, sizes = draw_program(seed)
    verdict = hold(program, sizes)
    small = None
    if verdict.kind == "wrong" and shrinks:
        _, small = shrink(program, sizes, verdict, min(30.0, max(1.0, end - time.time())))
    return Outcome(seed, verdict, program.features, str(sizes), small)


def outcomes(tasks: Sequence[tuple[int, float, bool]], jobs: int) -> Iterator[Outcome | None]:
    """The outcomes of seeds, from this process or several."""
    if jobs == 1:
        yield from map(try_seed, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(try_seed, tasks, chunksize=4)


def main() -> int:
    """What the command line asks for; 1 where a program is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.nets", description="random programs against their own meaning")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600.0, help="no new program is begun after this time")
    parser.add_argument("--failures", type=Path, help="where the wrong programs are written, made small")
    chosen = parser.parse_args()
    end = time.time() + chosen.seconds
    kinds: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    drawn: Counter[str] = Counter()
    accepted: Counter[str] = Counter()
    tasks = [(seed, end, chosen.failures is not None) for seed in range(chosen.seed, chosen.seed + chosen.runs)]
    for outcome in outcomes(tasks, chosen.jobs):
        if outcome is None:
            continue
        kinds[outcome.verdict.kind] += 1
        drawn.update(outcome.features)
        if outcome.verdict.kind == "accepted":
            accepted.update(outcome.features)
        elif outcome.verdict.kind == "refused":
            refusals[outcome.verdict.said.split()[0]] += 1
        else:
            print(f"wrong: seed {outcome.seed}: {outcome.verdict.said.splitlines()[0][:160]}", flush=True)
            if chosen.failures is not None:
                with chosen.failures.open("a") as file:
                    small = outcome.small or outcome.verdict
                    file.write(f"==== seed {outcome.seed}, sizes {outcome.sizes}\n{small.text}\n{small.said}\n\n")
    total = sum(kinds.values())
    print(f"{total} programs: {kinds['accepted']} accepted, {kinds['refused']} refused, {kinds['wrong']} wrong")
    print("refused: " + ", ".join(f"{code} {count}" for code, count in refusals.most_common()))
    for feature, count in sorted(drawn.items(), key=lambda item: -item[1]):
        share = 100 * accepted[feature] / max(kinds["accepted"], 1)
        print(f"{feature:32} drawn {count:5}  accepted {accepted[feature]:5}  {share:5.1f} % of the accepted")
    return 1 if kinds["wrong"] else 0
