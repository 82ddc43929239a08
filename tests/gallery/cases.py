"""All cases of the gallery, an area a file."""

from __future__ import annotations

from gallery import attention, recurrent, sequences, vision

CASES = [case for area in (recurrent, attention, vision, sequences) for case in area.CASES]
