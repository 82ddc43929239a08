"""The programs that are recorded: those of `tests/programs`, the examples, and the published ones where MATHDSL_CONFORMANCE names them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[2]
Files: TypeAlias = Sequence[tuple[str, str]]  # names and texts of the files of one document

TOGETHER = (("ElmanNetLayer", "ElmanNet"), ("MultiHeadAttnLayer", "TransEncLayer"), ("kokoyi_T", "kokoyi_LSTM"))


def programs(chosen: Sequence[str] = ()) -> dict[str, Files]:
    """The documents by name; with `chosen`, those whose names hold one of its words."""
    found: dict[str, Files] = {}
    for folder in (ROOT / "tests" / "programs", ROOT / "examples"):
        for path in sorted(folder.glob("*.tex")):
            found[f"{folder.name}/{path.stem}"] = [(path.name, path.read_text(encoding="utf-8"))]
    if os.environ.get("MATHDSL_CONFORMANCE"):
        found |= _published(Path(os.environ["MATHDSL_CONFORMANCE"]))
    return {name: files for name, files in found.items() if not chosen or any(word in name for word in chosen)}


def _published(scripts: Path) -> Mapping[str, Files]:
    """Each program alone, and those that call each other together."""
    found: dict[str, Files] = {}
    with tempfile.TemporaryDirectory() as folder:
        for script, form in (("extract_seeds.py", "naked"), ("restore_seeds.py", "restored")):
            target = Path(folder) / form
            subprocess.run([sys.executable, str(scripts / script), str(target)], check=True, capture_output=True)
            files = {path.stem: (path.name, path.read_text(encoding="utf-8")) for path in sorted(target.iterdir()) if path.is_file()}
            found |= {f"{form}/{name}": [file] for name, file in files.items()}
            found |= {f"{form}/{'+'.join(names)}": [files[name] for name in names] for names in TOGETHER if set(names) <= files.keys()}
    return found
