"""The rows and the header that the error of undeclared names offers, put into the program that it is about."""

from __future__ import annotations

import re

from mathdsl.diagnostics import Diagnostic

OFFERED = "give each a row"


def pasted(text: str, found: Diagnostic) -> str:
    """The program with the rows in a table directly after it, and with the header that names what it owns."""
    _, *lines = found.help.split("\n")
    rows = [line.strip() for line in lines if line.endswith(r"\\")]
    headers = [line.strip() for line in lines if line.strip().startswith(r"\Module")]
    end = re.compile(r"\\EndModule|\\EndProcedure(\s*\\end\{algorithmic\})?|\\algoEndProc(\s*\\end\{align\*\})?|\\end\{algorithmic\}")
    ends = list(end.finditer(text))
    closed = next((one for one in ends if one.start() >= found.span.start), ends[-1])
    table = "\n\\begin{where}\n" + "\n".join(rows) + "\n\\end{where}\n"
    text = text[: closed.end()] + table + text[closed.end() :]
    for header in headers:
        start = text.rindex(r"\Module", 0, found.span.start)
        name = text.index("}", start) + 1
        stop, depth = name + 1, 1
        while depth:
            depth += (text[stop] == "{") - (text[stop] == "}")
            stop += 1
        text = text[:start] + header + text[stop:]
    return text
