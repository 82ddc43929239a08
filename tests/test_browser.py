"""The pages in a browser: the mathematics and the tables are seen, nothing is asked for, nothing is wider than the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser, Page, start_browser
from examples_loader import EXAMPLES, SPECS

import mathdsl
from mathdsl.render.write.html.page import html_fragment
from mathdsl.result import CompileResult

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: the program `chromium` was not found")

SIZES = "Array.from(document.querySelectorAll('{}'), one => one.getBoundingClientRect()).map(box => [box.width, box.height])"
STICKS_OUT = """Array.from(document.querySelectorAll('body *')).filter(one => {
  const inside = one.closest('.wide, .it, .src, .verbatim, .skip, thead, .display');
  return !inside && one.getBoundingClientRect().right > innerWidth + 1;
}).map(one => one.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with start_browser() as started:
        yield started


@pytest.fixture(scope="module")
def results() -> dict[str, CompileResult]:
    return {spec: mathdsl.compile(EXAMPLES / f"{spec}.tex") for spec in SPECS}


@pytest.fixture(scope="module")
def pages(results: dict[str, CompileResult], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for spec, result in results.items():
        (folder / f"{spec}.html").write_bytes(result.render("html"))
    return {spec: folder / f"{spec}.html" for spec in SPECS}


def sizes(page: Page, selector: str) -> list[tuple[float, float]]:
    return [(width, height) for width, height in page.evaluate(SIZES.format(selector))]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("spec", SPECS)
def test_a_page_is_seen(spec: str, width: int, browser: Browser, pages: dict[str, Path]) -> None:
    with browser.page(pages[spec], width=width) as page:
        for selector, least in (("main math", 100), ("table.symbols", 4), ("ol.lines li", 5)):
            found = sizes(page, selector)
            assert len(found) >= least
            assert all(size[0] > 2 and size[1] > 2 for size in found), f"some {selector} has no size"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(STICKS_OUT) == []
        assert page.requests() == [pages[spec].as_uri()]
        assert page.complaints() == []


def test_a_long_line_of_a_program_ends_before_its_signs_on_a_phone(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.page(pages["transformer"], width=390) as page:
        cut = "Array.from(document.querySelectorAll('.lines .it')).filter(one => one.scrollWidth > one.clientWidth + 1).length"
        assert page.evaluate(cut) == 0


def test_code_stands_beside_the_text_on_a_wide_screen(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.page(pages["elman"], width=1280) as page:
        text, code = (
            page.evaluate(f"document.querySelector('.row {name}').getBoundingClientRect().toJSON()") for name in (".text", ".src")
        )
        assert code["left"] > text["right"]
        assert code["height"] > 300
        is_seen = "document.querySelector('.row .doc pre').checkVisibility()"
        assert not page.evaluate(is_seen), "the docstring of a class says again what stands beside it"
        page.evaluate("document.querySelector('.row .doc summary').click()")
        assert page.evaluate(is_seen)


def test_code_is_folded_on_a_phone_until_it_is_wanted(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.page(pages["elman"], width=390) as page:
        assert {height for _, height in sizes(page, ".src")} == {0}
        page.evaluate("document.querySelector('summary').click()")
        assert sum(height > 0 for _, height in sizes(page, ".src")) == 1
        page.evaluate("location.hash = document.querySelectorAll('.row')[1].querySelector('.to a').hash")
        assert sum(height > 0 for _, height in sizes(page, ".src")) == 2
        [(_, height)] = sizes(page, ".q:target")
        assert height > 0


def test_a_link_from_an_equation_marks_its_lines_in_view(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.page(pages["transformer"], width=1280) as page:
        page.evaluate("document.querySelectorAll('.to a')[5].click()")
        box, ground = page.evaluate(
            "(one => [one.getBoundingClientRect().toJSON(), getComputedStyle(one).backgroundColor])(document.querySelector('.q:target'))"
        )
        assert 0 <= box["top"] < 900
        assert ground != page.evaluate("getComputedStyle(document.querySelector('.q:not(:target)')).backgroundColor")


def test_the_pointer_on_an_equation_marks_its_lines(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.page(pages["transformer"], width=1280) as page:
        grounds = "Array.from(document.querySelectorAll('.q'), one => getComputedStyle(one).backgroundColor)"
        assert len(set(page.evaluate(grounds))) == 1
        page.evaluate("document.querySelector('.to').closest('li').scrollIntoView({block: 'center'})")
        box = page.evaluate("document.querySelector('.to').closest('li').getBoundingClientRect().toJSON()")
        page.browser.call("Input.dispatchMouseEvent", page.session, type="mouseMoved", x=box["x"] + 5, y=box["y"] + 5)
        assert len(set(page.evaluate(grounds))) == 2


def test_a_page_is_dark_where_the_reader_wants_it(browser: Browser, pages: dict[str, Path]) -> None:
    grounds = []
    for dark in (False, True):
        with browser.page(pages["rhn"], dark=dark) as page:
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(253, 252, 250)", "rgb(23, 24, 27)"]


def test_a_page_is_printed_with_its_code(browser: Browser, pages: dict[str, Path]) -> None:
    with browser.page(pages["elman"], dark=True) as page:
        assert page.print().startswith(b"%PDF")
        page.browser.call("Emulation.setEmulatedMedia", page.session, media="print")
        assert all(height > 0 for _, height in sizes(page, ".src"))
        code, notes = (page.evaluate(f"document.querySelector('{name}').getBoundingClientRect().top") for name in (".src", "footer"))
        last = page.evaluate("Math.max(...Array.from(document.querySelectorAll('.text'), one => one.getBoundingClientRect().bottom))")
        assert last <= code < notes


def test_a_fragment_leaves_its_surroundings_alone(browser: Browser, results: dict[str, CompileResult], tmp_path: Path) -> None:
    """Text beside a fragment looks as it does without one, and the fragment takes the ink of the notebook."""
    looks = []
    for number in range(2):
        fragment = html_fragment(results["elman"].typeset()[0][0], scope="m1") if number else ""
        file = tmp_path / f"{number}.html"
        around = "<table><tr><td id=t>t</table><pre id=p>p</pre><a href=# id=a>a</a>"
        file.write_text(f"<!DOCTYPE html><body style='color: rgb(200, 210, 220)'>{around}{fragment}", encoding="utf-8")
        with browser.page(file, width=700) as page:
            looks.append([page.evaluate(f"JSON.stringify({{...getComputedStyle(document.getElementById('{name}'))}})") for name in "tpa"])
            if number:
                assert page.evaluate("getComputedStyle(document.querySelector('.m1 table')).color") == "rgb(200, 210, 220)"
                assert all(width > 2 and height > 2 for width, height in sizes(page, ".m1 math"))
    assert looks[0] == looks[1]
