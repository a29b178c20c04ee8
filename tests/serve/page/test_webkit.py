"""The page in WebKit, the engine of every browser on an iPhone, by Debian's WebKitGTK."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

DRIVER, SCREEN = shutil.which("WebKitWebDriver"), shutil.which("xvfb-run")
BROWSER = next(pathlib.Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), None)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (DRIVER and SCREEN and BROWSER), reason="webkit2gtk-driver or xvfb is not installed"
    ),
]


class WebKit:
    """A session of WebKit's own driver."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}/session"
        options = {"binary": str(BROWSER), "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        self._address += f"/{self.ask('', {'capabilities': wanted})['sessionId']}"

    def ask(self, path: str, body: object, method: str = "POST") -> Any:
        request = urllib.request.Request(
            f"{self._address}{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["value"]

    def evaluate(self, script: str) -> Any:
        return self.ask("/execute/sync", {"script": f"return {script}", "args": []})

    def until(self, script: str) -> None:
        for _ in range(300):
            if self.evaluate(script):
                return
            time.sleep(0.1)
        raise AssertionError(script)

    def press_twice(self, selector: str) -> None:
        """Two taps of a finger on the same place, quickly."""
        x, y = self.evaluate(
            f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round); })()"
        )
        tap = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        pause = [{"type": "pause", "duration": 60}]
        move = [{"type": "pointerMove", "x": x, "y": y, "duration": 0}]
        actions = [*move, *tap, *pause, *tap]
        finger = {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}}
        self.ask("/actions", {"actions": [{**finger, "actions": actions}]})


@pytest.fixture
def webkit(unused_port, tmp_path):
    # it runs in a sandbox of its own elsewhere; the tests' user may have no namespaces
    switches = {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "LIBGL_ALWAYS_SOFTWARE": "1"}
    with subprocess.Popen(
        [SCREEN, "-a", DRIVER, f"--port={unused_port}"],
        env={**os.environ, **switches, "HOME": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            yield _opened(unused_port)
        finally:
            os.killpg(process.pid, signal.SIGTERM)


def _opened(port: int) -> WebKit:
    for _ in range(100):
        try:
            return WebKit(port)
        except urllib.error.URLError:
            time.sleep(0.2)
    raise AssertionError("WebKit's driver does not answer")


@pytest.fixture
def unused_port():
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_two_quick_presses_do_not_zoom_in_webkit(webkit, origin):
    webkit.ask("/url", {"url": f"{origin}/#table=finkel-3&game=.2_A!A3.2_C!C3&at=2"})
    webkit.until("document.querySelector('main[aria-busy=false] #turns .turn') !== null")
    touched = webkit.evaluate(
        "[...new Set([...document.querySelectorAll('*')]"
        ".filter((each) => each.getClientRects().length)"
        ".map((each) => getComputedStyle(each).touchAction))]"
    )
    assert set(touched) <= {"manipulation", "pan-y pinch-zoom", "none"}
    for selector in ("#back", "#board", "#headline"):
        webkit.press_twice(selector)
        assert webkit.evaluate("visualViewport.scale") == 1
    # both presses were presses
    webkit.until("!location.hash.includes('at=')")
    webkit.ask("", None, "DELETE")
