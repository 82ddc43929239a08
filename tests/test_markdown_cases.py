"""The case files themselves: a wrong expectation fails, and --update-golden puts the right one in its place."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import markdown_cases
import pytest

FILE = """# cases

## first

```tex
a
```

## second

```tex
b
```

```text
wrong
```
"""


def _request(update: bool) -> pytest.FixtureRequest:
    return cast(pytest.FixtureRequest, SimpleNamespace(config=SimpleNamespace(getoption=lambda name: update)))


def test_golden_files_compare_and_rewrite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_cases, "CASES", tmp_path)
    (tmp_path / "letters.md").write_text(FILE, encoding="utf-8")
    first, second = markdown_cases.load_cases("letters")
    with pytest.raises(AssertionError, match="no expectation"):
        markdown_cases.check_golden(first, "A", _request(False))
    with pytest.raises(AssertionError):
        markdown_cases.check_golden(second, "B", _request(False))
    for case in (first, second):
        markdown_cases.check_golden(case, case.input.upper() + "\n```\n", _request(True))
    again = markdown_cases.load_cases("letters")
    assert [(c.title, c.input, c.expectation) for c in again] == [("first", "a", "A\n```"), ("second", "b", "B\n```")]
