"""All cases of the gallery, an area a file."""

from __future__ import annotations

from gallery import attention, recurrent, vision

CASES = [case for area in (recurrent, attention, vision) for case in area.CASES]
