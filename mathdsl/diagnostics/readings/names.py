r"""Readings that a name, its scripts and the parenthesis behind it leave open."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity

AT_ONCE_OR_IN_TURN = Ambiguity("an assignment over a range that reads other elements")
RESERVED_LETTER = Ambiguity("a reserved letter that the program has, too")
RESERVED_FAMILY = Ambiguity("a reserved letter beside a family of that letter")
CALL_OR_PRODUCT = Ambiguity("a name before a parenthesis")
ELEMENT_OR_PRODUCT = Ambiguity("an array before an index in parentheses")
PRODUCT_OF_LETTERS = Ambiguity("a word of several letters")
LETTERS_OF_A_SUBSCRIPT = Ambiguity("two letters in a subscript")
ELEMENT_OR_SYMBOL = Ambiguity("a definition of what may be an element")
POWER_OR_NAME = Ambiguity("a superscript on a left side or in a header, where the name stands without it, too")
LABEL_OR_OPERATION = Ambiguity("a sign, or what stands in parentheses, as a superscript of a value")
DIGITS_OF_A_SUBSCRIPT = Ambiguity("digits, or factors with an index, as the subscript of a matrix")
LABEL_OR_ELEMENT = Ambiguity("a letter as a subscript")
WORD_OF_INDICES = Ambiguity("a word of index variables as a subscript of what is declared as a number")
LABEL_BESIDE_INDEX = Ambiguity("a label and an index in one subscript")
HEADER_ELEMENT = Ambiguity("an input that spells an element")
ROW_OR_ARRAY = Ambiguity("what is made of a row, with one subscript more than the row")
BOUND_BELOW_A_SOFTMAX = Ambiguity("an index below a softmax")
