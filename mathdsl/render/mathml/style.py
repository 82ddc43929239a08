"""The one rule of style that formulas want from their page."""

from __future__ import annotations

MATHML_STYLE = "msub>:nth-child(2),msubsup>:nth-child(2){padding-top:.14em}"
"""Lowers indices where the reader's system has no mathematical font; with one, they are as low as its table says."""
