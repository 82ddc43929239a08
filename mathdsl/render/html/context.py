"""What every writer of a block knows: where things stand, what the code shows, and the footnotes met so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup

from mathdsl.render.html.anchors import Anchors
from mathdsl.render.html.code import CodePages
from mathdsl.render.pictures import Pictures


@dataclass(frozen=True, slots=True)
class Context:
    """`code` is None where no generated text is shown, `is_unfolded` where it is seen at once; `notes` grows with each footnote.

    `pictures`: those that may be shown.
    """

    anchors: Anchors
    code: CodePages | None = None
    is_unfolded: bool = False
    notes: list[Markup] = field(default_factory=list)
    pictures: Pictures = field(default_factory=Pictures)
