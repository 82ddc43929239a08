"""What a document can be typeset as."""

from __future__ import annotations

from typing import Literal, get_args

Form = Literal["tex", "pdf", "html", "md"]
FORMS: tuple[Form, ...] = get_args(Form)
