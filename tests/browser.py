"""Headless Chromium, driven through a pair of pipes: pages are opened, measured and photographed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)

_QUIET = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --no-default-browser-check --hide-scrollbars
--disable-background-networking --disable-component-update --disable-default-apps --disable-sync --disable-dev-shm-usage
--remote-debugging-pipe""".split()
_WAIT = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"""


class BrowserError(Exception):
    """What the browser refused to do."""


@dataclass
class Browser:
    """Commands go out on one pipe, answers and events come in on another, ended by a zero byte each."""

    commands: int
    answers: int
    last: int = 0
    rest: bytes = b""
    events: list[dict[str, Any]] = field(default_factory=list)

    def call(self, method: str, session: str = "", **parameters: object) -> dict[str, Any]:
        """Send a command and wait for its answer; events that come before it are kept."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != self.last:
            self.events.append(answer)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return dict(answer["result"])

    def wait_for(self, method: str, session: str) -> None:
        """Read events until one of that name came."""
        while not any(event.get("method") == method and event.get("sessionId") == session for event in self.events):
            self.events.append(self._read())

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            chunk = os.read(self.answers, 1 << 16)
            if not chunk:
                raise BrowserError("the browser ended")
            self.rest += chunk
        message, _, self.rest = self.rest.partition(b"\0")
        return dict(json.loads(message))

    @contextmanager
    def page(self, file: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> Iterator[Page]:
        """A file, opened in a window of that size."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable", session)
        scheme = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.call("Emulation.setEmulatedMedia", session, features=scheme)
        self.call("Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=False)
        page = Page(self, session)
        page.go(file.resolve().as_uri())
        try:
            yield page
        finally:
            self.call("Target.closeTarget", targetId=target)


@dataclass
class Page:
    """A tab of the browser."""

    browser: Browser
    session: str

    def go(self, address: str) -> None:
        """Load an address and wait until it is drawn; only what happens from here on is kept."""
        self.browser.events = []
        self.browser.call("Page.navigate", self.session, url=address)
        self.browser.wait_for("Page.loadEventFired", self.session)
        self.evaluate(_WAIT)

    def evaluate(self, script: str) -> Any:
        """The value of an expression."""
        answer = self.browser.call("Runtime.evaluate", self.session, expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def requests(self) -> list[str]:
        """The addresses that were asked for since the page was opened."""
        return [str(event["params"]["request"]["url"]) for event in self._events("Network.requestWillBeSent")]

    def complaints(self) -> list[str]:
        """What the page wrote to the console, and what the browser said about it."""
        logged = [str(event["params"]["entry"]["text"]) for event in self._events("Log.entryAdded")]
        printed = [json.dumps(event["params"]["args"]) for event in self._events("Runtime.consoleAPICalled")]
        thrown = [str(event["params"]["exceptionDetails"]["text"]) for event in self._events("Runtime.exceptionThrown")]
        return logged + printed + thrown

    def picture(self, *, whole: bool = False) -> bytes:
        """The window, or the whole page, as PNG."""
        answer = self.browser.call("Page.captureScreenshot", self.session, format="png", captureBeyondViewport=whole)
        return base64.b64decode(answer["data"])

    def print(self) -> bytes:
        """The page on paper, as PDF."""
        paper = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True, "printBackground": False}
        return base64.b64decode(self.browser.call("Page.printToPDF", self.session, **paper)["data"])

    def _events(self, method: str) -> Iterator[dict[str, Any]]:
        return (event for event in self.browser.events if event.get("method") == method and event.get("sessionId") == self.session)


@contextmanager
def start_browser() -> Iterator[Browser]:
    """A browser with a profile of its own, ended and cleared away afterwards; `CHROMIUM` must be there."""
    assert CHROMIUM is not None
    ours_in, its_out = os.pipe()
    its_in, ours_out = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        script = f'exec "$@" 3<&{its_in} 4>&{its_out}'
        process = subprocess.Popen(
            ["bash", "-c", script, "browser", CHROMIUM, *_QUIET, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(its_in, its_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(its_in)
        os.close(its_out)
        browser = Browser(ours_out, ours_in)
        try:
            yield browser
            browser.call("Browser.close")
        finally:
            process.terminate()
            process.wait()
            os.close(ours_in)
            os.close(ours_out)
