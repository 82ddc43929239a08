"""The corpus that every install has: which library does a sentence of a docstring come from?

The files of four libraries are read and parsed, never imported. A sentence that occurs twice is kept once, one that
occurs in two libraries not at all, and the split is by module: no file gives sentences to both parts.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from mathdsl.demo.corpus import Corpus, Text, split_words
from mathdsl.demo.errors import Unusable

LIBRARIES = ("torch", "sympy", "jinja2", "the standard library")
LONGEST = 48  # words of a sentence that are read
SHORTEST = 12  # words that a sentence has, not counting numbers and marks: "Return a copy." could be anyone's
PER_LIBRARY = 14_000  # sentences at most: more would only take longer
HELD_OUT = 5  # one sentence in five, by whole modules
HELD_OUT_PER_LIBRARY = 1_500  # sentences at most, so that no library makes up most of the test

_NOT_THE_LIBRARY = frozenset({"site-packages", "dist-packages", "test", "tests", "testing", "idlelib", "lib2to3", "turtledemo"})
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def read_docstrings(per_library: int = PER_LIBRARY, tell: Callable[[float], object] = float) -> Corpus:
    """Sentences of the docstrings of `LIBRARIES`, the same on every run of the same install; `tell` is told which share is read."""
    found: dict[tuple[str, ...], tuple[int, bool]] = {}
    shared: set[tuple[str, ...]] = set()
    for topic, library in enumerate(LIBRARIES):
        counts = {True: 0, False: 0}
        for module in _modules(_folder(library)):
            tell((topic + min(1.0, sum(counts.values()) / per_library)) / len(LIBRARIES))
            if sum(counts.values()) >= per_library:
                break
            sentences = dict.fromkeys(_sentences(module))
            new = [words for words in sentences if words not in found]
            shared.update(words for words in sentences if words in found and found[words][0] != topic)
            held_out = HELD_OUT * (counts[True] + len(new)) <= sum(counts.values()) + len(new)
            counts[held_out] += len(new)
            found.update((words, (topic, held_out)) for words in new)
    tell(1.0)
    texts = [(Text(topic, words), held_out) for words, (topic, held_out) in found.items() if words not in shared]
    return Corpus(
        topics=LIBRARIES,
        train=tuple(text for text, held_out in texts if not held_out),
        test=_first_of_each_topic([text for text, held_out in texts if held_out], HELD_OUT_PER_LIBRARY),
    )


def _first_of_each_topic(texts: list[Text], count: int) -> tuple[Text, ...]:
    of_topic = ([text for text in texts if text.topic == topic] for topic in range(len(LIBRARIES)))
    return tuple(text for group in of_topic for text in group[:count])


def _folder(library: str) -> Path:
    if library == LIBRARIES[-1]:
        return Path(sysconfig.get_paths()["stdlib"])
    spec = find_spec(library)
    if spec is None or spec.origin is None:
        raise Unusable(f"the demo reads the docstrings of {library}, which is not installed")
    return Path(spec.origin).parent


def _modules(root: Path) -> list[Path]:
    """The library's own modules, in an order that mixes its packages and is the same on every machine."""
    names = [path.relative_to(root) for path in root.rglob("*.py")]
    own = [name.as_posix() for name in names if _NOT_THE_LIBRARY.isdisjoint(name.parts)]
    return [root / name for name in sorted(own, key=lambda name: hashlib.sha256(name.encode()).digest())]


def _sentences(path: Path) -> Iterator[tuple[str, ...]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the libraries' own invalid escapes
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return  # templates and samples of broken code
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node)):
            for paragraph in re.split(r"\n\s*\n", docstring):
                if ">>>" in paragraph:
                    continue  # a session, no prose
                for sentence in _SENTENCE_END.split(" ".join(paragraph.split())):
                    words = split_words(sentence, LONGEST)
                    if sum(word.isalpha() for word in words) >= SHORTEST:
                        yield words
