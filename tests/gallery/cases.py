"""All cases of the gallery, an area a file."""

from __future__ import annotations

from gallery import recurrent

CASES = [case for area in (recurrent,) for case in area.CASES]
