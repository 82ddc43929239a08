r"""Readings of products, which shapes decide, or nothing: two vectors, two matrices, what is multiplied over an index."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity

TWO_VECTORS = Ambiguity("two vectors side by side")
TWO_MATRICES = Ambiguity("two arrays of one shape side by side")
MATRICES_BEFORE_A_VECTOR = Ambiguity("a product over an index, whose body is a matrix with a vector")
FACTOR_BEHIND_A_PRODUCT = Ambiguity("a factor behind the elements of a product")
INNER_PRODUCT_IN_A_SUM = Ambiguity("an inner product added to a vector")
OUTER_PRODUCT_BESIDE_A_NUMBER = Ambiguity("rows of two matrices and a number")
