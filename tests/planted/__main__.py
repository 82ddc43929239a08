"""Whether the tests notice faults: `python -m tests.planted [NAME ...]` plants each of them, or those, in a copy of this tree.

The listed tests run first without a fault, then, with `-x -q`, with each. A line for each: caught (by what), NOT CAUGHT, or does not
apply (its old text is not found once, or its tests cannot run). The exit status is 1 unless all are caught.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.planted.faults import FAULTS, Fault

ROOT = Path(__file__).parents[2]
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis", ".venv*", "*.png", "notebooks", "build", "dist")


def edited(text: str, fault: Fault) -> str | None:
    """The file with the fault in it; None where its old text does not stand there exactly once."""
    return text.replace(fault.old, fault.new) if text.count(fault.old) == 1 else None


def verdict(fault: Fault) -> str:
    """What its tests say of a fault: `caught by …`, `NOT CAUGHT`, or `does not apply: …`."""
    with tempfile.TemporaryDirectory() as folder:
        tree = _copy(Path(folder))
        path = tree / fault.file
        text = edited(path.read_text(encoding="utf-8"), fault) if path.is_file() else None
        if text is None:
            return f"does not apply: its old text is not found once in {fault.file}"
        path.write_text(text, encoding="utf-8")
        status, output = _run(tree, fault.tests)
    match status:
        case 0:
            return "NOT CAUGHT"
        case 1:
            found = _FAILED.search(output)
            return f"caught by {found[1] if found else 'its tests'}"
        case _:
            return f"does not apply: its tests end with status {status}: {(output.strip().splitlines() or [''])[-1]}"


def _copy(folder: Path) -> Path:
    return Path(shutil.copytree(ROOT, folder / "tree", ignore=_LEFT_OUT))


def _run(tree: Path, tests: Sequence[str]) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main(names: Sequence[str]) -> int:
    """Plant the named faults, or all, one after the other."""
    faults = [fault for fault in FAULTS if not names or fault.name in names]
    unknown = set(names) - {fault.name for fault in FAULTS}
    if unknown:
        print(f"no such fault: {', '.join(sorted(unknown))}; there are {', '.join(fault.name for fault in FAULTS)}")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        status, output = _run(_copy(Path(folder)), sorted({test for fault in faults for test in fault.tests}))
    if status:
        print(f"the tests fail without any fault\n{output}")
        return 2
    verdicts: list[str] = []
    for fault in faults:
        verdicts.append(verdict(fault))
        print(f"{fault.name}: {verdicts[-1]}", flush=True)
    caught = sum(found.startswith("caught") for found in verdicts)
    print(f"{caught} of {len(verdicts)} caught")
    return int(caught < len(verdicts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
