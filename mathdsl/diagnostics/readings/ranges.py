r"""Readings that a letter below a sum, or at the end of a range, leaves open: an index, a size, an array."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity

SIZE_OR_ARRAY = Ambiguity("a letter that is a size, and an array")
INDEX_OR_SIZE = Ambiguity("a new letter in the condition of a sum")
SIZE_OR_ANOTHER = Ambiguity("a new letter at the end of a range, where the size of the input that is read has another name")
INDEX_OR_CONDITION = Ambiguity("a symbol with a value before `=` below a sum")
UP_OR_DOWN = Ambiguity("dots between the ends of a loop of which nothing tells which is the greater")
