"""The meaning of a program, computed slowly and surely: what every pass and every backend is held against."""

from mathdsl.oracle.errors import OracleError
from mathdsl.oracle.interpreter import interpret
from mathdsl.oracle.tensor_programs import interpret_tensors

__all__ = ["OracleError", "interpret", "interpret_tensors"]
