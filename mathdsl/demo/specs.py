"""The specs that the demo trains, a row each: what to compile, how large to build it, how to train it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from mathdsl.dataclass import dataclass
from mathdsl.demo.docstrings import LONGEST
from mathdsl.demo.errors import UnknownSpec


class Goal(Enum):
    """What a model learns to say about a text."""

    TOPIC = "the topic"
    NEXT_WORD = "at each position the word that comes next"


@dataclass(frozen=True, slots=True)
class Spec:
    """A document with the module that is trained; the document's `loss` says what its scores cost."""

    name: str
    document: str
    module: str
    goal: Goal
    scores: int | None  # the place of the scores among the module's results; None where they are the only one
    sizes: Mapping[str, float]  # the constructor's arguments, without those that the texts give
    vocabulary: int  # words at most
    steps: int
    batch: int  # texts
    learning_rate: float
    forgotten_words: float = 0.0  # share of the words that a training step replaces by the unknown word


DEFAULT = "lstm_topic"

_WIDER = {"init_lower": -0.2, "init_upper": 0.2}  # the documents' own 0.1 is slow to learn from where one matrix reads and scores words

_ROWS = (
    Spec(
        name="elman",
        document="elman.tex",
        module="ElmanNet",
        goal=Goal.NEXT_WORD,
        scores=0,
        sizes={"d_emb": 96, "d_hid": 96, "n_lyr": 1, **_WIDER},
        vocabulary=4000,
        steps=600,
        batch=32,
        learning_rate=1e-2,
    ),
    Spec(
        name="lstm1997",
        document="lstm1997.tex",
        module="LSTM1997",
        goal=Goal.NEXT_WORD,
        scores=0,
        sizes={"d_emb": 96, "n_blk": 24, "d_blk": 4, "n_lyr": 1, **_WIDER},
        vocabulary=4000,
        steps=550,
        batch=32,
        learning_rate=1e-2,
    ),
    Spec(
        name="rhn",
        document="rhn.tex",
        module="RHNLM",
        goal=Goal.NEXT_WORD,
        scores=0,
        sizes={"d_emb": 64, "d_hid": 96, "D": 2, "n_lyr": 1},
        vocabulary=4000,
        steps=600,
        batch=32,
        learning_rate=1e-2,
    ),
    Spec(
        name="transformer",
        document="transformer.tex",
        module="TransEnc",
        goal=Goal.NEXT_WORD,
        scores=0,
        sizes={"d_model": 96, "d_ff": 192, "n_head": 4, "d_k": 24, "d_v": 24, "n_lyr": 1, "S_max": LONGEST, **_WIDER},
        vocabulary=4000,
        steps=1200,
        batch=16,
        learning_rate=5e-3,
    ),
    Spec(
        name="lstm_topic",
        document="lstm_topic.tex",
        module="LSTM",
        goal=Goal.TOPIC,
        scores=None,
        sizes={"d_x": 64, "d_h": 96},
        vocabulary=20_000,
        steps=2000,
        batch=128,
        learning_rate=8e-3,
        forgotten_words=0.4,
    ),
)

SPECS: Mapping[str, Spec] = {row.name: row for row in _ROWS}


def load_spec(name: str) -> Spec:
    """The row of a spec; `UnknownSpec` lists the names where there is none."""
    if name not in SPECS:
        raise UnknownSpec(f"there is no spec {name!r}; the specs are {', '.join(SPECS)}")
    return SPECS[name]
