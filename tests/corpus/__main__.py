"""Comparison of what every document of the corpus becomes: `python -m tests.corpus [--against REV] [--list KIND] [--show KEY] [--store]`.

The documents are all that the tests compiled at a commit; they are never taken out. Beside them lie the outcomes of the tree that
is checked out, which `--store` writes: `--against REV` reads those of REV, and counts by kind what has moved since. `--list` names
the documents of a kind (`--list "newly refused: E0301"`), `--show` prints one with its outcome.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from mathdsl.api import compile_files
from mathdsl.diagnostics.drawing import draw_all
from tests.corpus.outcomes import files_of, outcomes
from tests.corpus.store import DOCUMENTS, OUTCOMES, Document, read_documents, read_lines, write_lines

ROOT = Path(__file__).parent.parent.parent


def kind_of(before: str, now: str) -> str:
    """The kind of a change of outcomes: `ir 12ab` -> `E0301@2:4` is `newly refused: E0301`."""
    if before == now:
        return "same"
    if now.startswith("crash"):
        return f"crash: {now.removeprefix('crash ')}"
    was, own = before.startswith("ir "), now.startswith("ir ")
    if was and own:
        return "notes moved" if before.split()[1] == now.split()[1] else "equations moved"
    if was:
        return f"newly refused: {', '.join(errors(now))}"
    if own:
        return f"newly accepted: {', '.join(errors(before))}"
    return (
        "places moved" if errors(before) == errors(now) else f"refused otherwise: {', '.join(errors(before))} -> {', '.join(errors(now))}"
    )


def errors(outcome: str) -> list[str]:
    return sorted(set(re.findall(r"E\d{4}", outcome))) or [outcome]


def stored(revision: str | None) -> dict[str, str]:
    """The outcomes that lie in a revision, or in the working tree, by the keys of the documents."""
    if revision is None:
        packed = OUTCOMES.read_bytes()
    else:
        path = OUTCOMES.relative_to(ROOT).as_posix()
        packed = subprocess.run(["git", "show", f"{revision}:{path}"], cwd=ROOT, check=True, capture_output=True).stdout
    return {entry["key"]: entry["outcome"] for entry in read_lines(packed)}


def report(documents: Sequence[Document], before: Mapping[str, str], now: Mapping[str, str], listed: str | None) -> None:
    """Print how many documents there are of each kind, the most first, and those of one kind."""
    kinds: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if document.key in before:
            kinds[kind_of(before[document.key], now[document.key])].append(document)
    for kind, own in sorted(kinds.items(), key=lambda item: -len(item[1])):
        print(f"{len(own):6}  {kind}")
    for document in kinds.get(listed or "", ()):
        print(f"{document.key}  {document.test}  {before[document.key]} -> {now[document.key]}")


def show(document: Document) -> None:
    result = compile_files(files_of(document), emit="ir")
    print("\n".join(text for _, text in document.texts))
    print(f"---- {document.test}")
    print(draw_all(result.diagnostics, result.files, color=False) + result.source)


def freeze(folder: Path) -> None:
    """Add the documents of a harvest to the corpus."""
    known = {document.key: document for document in read_documents()} if DOCUMENTS.exists() else {}
    harvested = [Document.from_json(entry) for path in sorted(folder.glob("*.jsonl")) for entry in read_lines(path.read_bytes())]
    for document in sorted(harvested, key=lambda document: (document.test, document.key)):
        known.setdefault(document.key, document)
    write_lines(DOCUMENTS, (document.as_json() for document in known.values()))
    print(f"{len(known)} documents")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--against", metavar="REV", help="the outcomes that are stored in REV; without it, those in the working tree")
    parser.add_argument("--list", metavar="KIND", help="name the documents of a kind")
    parser.add_argument("--show", metavar="KEY", help="print a document and its outcome")
    parser.add_argument("--store", action="store_true", help="write the outcomes of this tree")
    parser.add_argument("--freeze", metavar="FOLDER", type=Path, help="add the documents of a harvest")
    given = parser.parse_args(arguments)
    if given.freeze:
        freeze(given.freeze)
        return
    documents = read_documents()
    if given.show:
        for document in documents:
            if document.key.startswith(given.show):
                show(document)
        return
    now = {document.key: found for document, found in zip(documents, outcomes(documents), strict=True)}
    if OUTCOMES.exists() or given.against:
        report(documents, stored(given.against), now, given.list)
    if given.store:
        write_lines(OUTCOMES, ({"key": key, "outcome": found} for key, found in now.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
