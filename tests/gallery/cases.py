"""All cases of the gallery, an area a file."""

from __future__ import annotations

from gallery import attention, recurrent

CASES = [case for area in (recurrent, attention) for case in area.CASES]
