r"""Readings that shapes and types decide: powers, bars, reductions, first indices."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity

BARS_AROUND_A_VECTOR = Ambiguity("bars around a vector")
BARS_AROUND_A_MATRIX = Ambiguity("bars around a matrix")
INDEX_OR_POWER = Ambiguity("an index variable as the superscript of what nothing declares")
INDEX_OR_POWERS = Ambiguity("an index variable as the superscript of a vector")
TRANSPOSE_OR_POWER = Ambiguity("the superscript `T` beside a symbol `T`")
ELEMENT_OF_A_TRANSPOSE = Ambiguity("an element with the sign of a transpose")
ELEMENT_OF_AN_INVERSE = Ambiguity("an element with the sign of an inverse")
INDEX_IN_PARENTHESES = Ambiguity("an index variable in parentheses as the superscript of a number")
ELEMENT_OF_A_POWER = Ambiguity("a superscript before the subscripts of a matrix")
POWER_OF_A_CALLED_MATRIX = Ambiguity("a power of a function's value that is a matrix")
POWER_OF_A_MATRIX = Ambiguity("a power of an array")
INVERSE_FUNCTION = Ambiguity("a negative power of a function")
POWER_OR_LIST = Ambiguity("a power of one value in braces")
REACH_OF_AN_ARGUMENT = Ambiguity("a function without parentheses before a product")
VALUES_OR_LIST = Ambiguity("brackets behind a reduction")
REDUCTION_OF_A_MATRIX = Ambiguity("a reduction of a matrix")
FIRST_INDEX = Ambiguity("the first index of an axis")
MATRIX_BY_LETTER = Ambiguity("a product of what nothing declares")
VECTOR_BY_LETTER = Ambiguity("a lower-case factor that nothing declares")
NUMBER_BY_LETTER = Ambiguity("a Greek factor that nothing declares")
MATRIX_BY_INDICES = Ambiguity("a product of elements of what nothing declares")
ROW_LEFT_OF_A_MATRIX = Ambiguity("a vector left of a matrix")
EACH_ROW = Ambiguity("a matrix before a sequence of vectors")
LIST_OF_EQUAL_VALUES = Ambiguity("a number above one value in braces")
ROWS_OF_A_MATRIX = Ambiguity("bars around a matrix that is not square")
EXPONENTIAL_OF_A_MATRIX = Ambiguity("`e` to the power of a square matrix")
