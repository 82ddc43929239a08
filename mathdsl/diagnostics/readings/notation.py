r"""Readings that scripts, brackets, bars and the order of operators leave open before anything is known about names."""

from __future__ import annotations

from mathdsl.diagnostics.readings.row import Ambiguity

WORD_BELOW_A_SOFTMAX = Ambiguity("a word below a softmax")
COMMA_IN_A_NUMBER = Ambiguity("a comma in a number")
SCRIPT_OF_SEVERAL = Ambiguity("a script of several characters")
ACCENT_OF_SEVERAL = Ambiguity("an accent on several letters")
ARGUMENT_OF_SEVERAL = Ambiguity("an argument of several characters")
ROOT_OF_SEVERAL = Ambiguity("where a root sign ends")
HIDDEN_BRACES = Ambiguity("braces around a sum")
SPACE_BEFORE_BRACKET = Ambiguity("a bracket behind a symbol and a space")
PARTED_BY_SPACES = Ambiguity("items in brackets with a space between them")
PRODUCT_BEHIND_SLASH = Ambiguity("a product directly behind a slash")
REMAINDER_BEHIND_A_SUM = Ambiguity("a remainder behind a sum, or a minus sign")
BARS_IN_A_ROW = Ambiguity("several bars in a row")
EQUATION_BEHIND_SPACE = Ambiguity("an equation behind a value")
ONE_ITEM_IN_BRACKETS = Ambiguity("brackets around one item")
DOUBLE_BARS = Ambiguity("double bars")
BODY_OF_A_SUM = Ambiguity("where the body of a sum ends")
POWER_OF_A_CALL = Ambiguity("a power of a built-in function")
POWER_OF_A_FUNCTION = Ambiguity("a power behind the name of a function or a module of the program")
MINUS_BEFORE_A_POWER = Ambiguity("a minus sign before a power")
STAR = Ambiguity("a star between two vectors")
SLASH_BEHIND_AN_ARGUMENT = Ambiguity("a slash behind a function without parentheses")
TWO_NUMBERS_OF_A_RANGE = Ambiguity("two numbers for an index")
FACTORIAL_BEHIND_A_POWER = Ambiguity("a factorial behind a power")
FACTORIAL_BEHIND_A_CALL = Ambiguity("a factorial behind a call")
MARK_BEFORE_EQUALS = Ambiguity("a mark before a sign `=`")
