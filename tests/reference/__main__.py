"""Write the parts of the reference that are made from what the compiler knows: `python -m tests.reference`."""

from __future__ import annotations

from tests.reference.making import FOLDER, made

for page in sorted(FOLDER.glob("*.md")):
    page.write_text(made(page.read_text(encoding="utf-8")), encoding="utf-8")
