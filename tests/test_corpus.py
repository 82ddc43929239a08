"""The corpus of documents: none is taken out, and the stored outcomes are those of this tree."""

from __future__ import annotations

from tests.corpus.__main__ import kind_of, stored
from tests.corpus.outcomes import outcome
from tests.corpus.store import key_of, read_documents

FROZEN = 10_859  # documents, all that the tests of commit ac6ea35 compiled
EVERY = 40  # one in so many is compiled here


def test_no_document_is_taken_out_or_changed() -> None:
    documents = read_documents()
    assert len({document.key for document in documents}) == len(documents) >= FROZEN
    assert [document.key for document in documents if key_of(document.texts) != document.key] == []
    assert stored(None).keys() == {document.key for document in documents}


def test_the_stored_outcomes_are_those_of_this_tree() -> None:
    """`python -m tests.corpus --store` writes them; what moves is named in the commit that moves it."""
    before = stored(None)
    moved = {document.key: now for document in read_documents()[::EVERY] if (now := outcome(document)) != before[document.key]}
    assert moved == {}


def test_nothing_crashes() -> None:
    assert [key for key, found in stored(None).items() if found.startswith("crash")] == []


def test_a_change_has_a_kind() -> None:
    changes = {
        ("ir 12 N0301@1:1", "ir 12 N0301@1:1"): "same",
        ("ir 12", "ir 13"): "equations moved",
        ("ir 12", "ir 12 N0301@1:1"): "notes moved",
        ("ir 12", "E0301@1:2 E0301@3:4"): "newly refused: E0301",
        ("E0301@1:2", "ir 12"): "newly accepted: E0301",
        ("E0301@1:2", "E0301@2:2"): "places moved",
        ("E0301@1:2", "E0405@1:2"): "refused otherwise: E0301 -> E0405",
        ("ir 12", "crash KeyError"): "crash: KeyError",
    }
    assert {change: kind_of(*change) for change in changes} == changes
