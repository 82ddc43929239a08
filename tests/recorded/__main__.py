"""What a change moved: `python -m tests.recorded --against COMMIT [--diff] [--into FOLDER] [WORD ...]`.

Every program of `tests/programs`, `examples` and the published ones (MATHDSL_CONFORMANCE), or those with a word in their name, is
compiled with this tree and with COMMIT's, each in a process of its own, and run on the same numbers. Per program: same, text
moved (a diff with `--diff`), numbers moved (which), newly refused (why), newly accepted. The exit status is 1 where numbers
moved or something is newly refused. `--into` keeps the generated texts and the numbers in a folder, with or without `--against`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.recorded.compare import Change, compare
from tests.recorded.programs import ROOT, Files, programs


def snapshots(trees: Sequence[Path], listed: Mapping[str, Files]) -> list[dict[str, Any]]:
    """What each of the trees makes of the programs; the trees work side by side."""
    with tempfile.TemporaryDirectory() as folder:
        task = Path(folder) / "programs.json"
        task.write_text(json.dumps(listed), encoding="utf-8")
        targets = [Path(folder) / f"{number}.json" for number in range(len(trees))]
        running = [_start(tree, task, target) for tree, target in zip(trees, targets, strict=True)]
        for process, tree in zip(running, trees, strict=True):
            if process.wait():
                raise SystemExit(f"the programs could not be recorded with {tree}")
        return [json.loads(target.read_text(encoding="utf-8")) for target in targets]


def _start(tree: Path, task: Path, target: Path) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(tree), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", str(Path(__file__).parent / "record.py"), str(task), str(target)], env=environment
    )


@contextlib.contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A work tree of the commit, for a while."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(tree), commit], cwd=ROOT, check=True)
        try:
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=True)


def report(changes: Sequence[Change], with_diff: bool) -> int:
    """Print each program's change and a count of each kind; the exit status."""
    for change in changes:
        print(f"{change.name}: {change.kind}")
        for detail in change.details:
            print(f"    {detail}")
        if with_diff and change.diff:
            print(change.diff)
    print(", ".join(f"{count} {kind}" for kind, count in Counter(change.kind for change in changes).most_common()))
    return int(any(change.is_bad for change in changes))


def keep(snapshot: Mapping[str, Any], folder: Path) -> None:
    """The generated texts (of refused programs the errors) as files, and all numbers in one."""
    for name, entry in snapshot.items():
        path = folder / (f"{name}.txt" if entry["refused"] else f"{name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(entry["refused"]) or entry["text"], encoding="utf-8")
    numbers = {name: entry["numbers"] for name, entry in snapshot.items()}
    (folder / "numbers.json").write_text(json.dumps(numbers, indent=1), encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Record, keep, compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("words", nargs="*", metavar="WORD", help="programs whose names hold one of these; all without")
    parser.add_argument("--against", metavar="COMMIT")
    parser.add_argument("--diff", action="store_true", help="show how texts moved")
    parser.add_argument("--into", metavar="FOLDER", type=Path, help="keep texts and numbers there")
    given = parser.parse_args(arguments)
    if given.against is None and given.into is None:
        parser.error("--against COMMIT, --into FOLDER, or both")
    listed = programs(given.words)
    if not listed:
        parser.error("no program has such a name")
    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(checked_out(given.against))] if given.against else []
        *before, now = snapshots([*others, ROOT], listed)
    if given.into:
        keep(now, given.into)
    return report(compare(before[0], now), given.diff) if before else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
