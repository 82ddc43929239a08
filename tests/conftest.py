"""Options of the test run, and the folder of the Markdown cases."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("markdown_cases")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the expectations of the Markdown cases with what the tests produce"
    )
