"""A browser for tests: Debian's Chromium, driven by Playwright, with every complaint collected."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

# The headless shell is the same browser without windows, which take a quarter of the time.
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))),
    None,
)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

# Nobody here waits for the computer.
_AT_ONCE = """
  if (location.protocol.startsWith("http")) localStorage["ur-options"] ??= '{"pace": "fast"}';
"""

# Marsaglia's xorshift of 32 bits, begun anew by every page that is loaded.
_DICE = """
  let state = 2463534242;
  crypto.getRandomValues = (numbers) => {
    for (let k = 0; k < numbers.length; k++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      numbers[k] = state >>> 0;
    }
    return numbers;
  };
"""


# For every page Chromium prepares others that nobody sees: of its address bar, and of what may be
# visited next. They take most of the time of a short test. The last two lines are Playwright's own
# choice, which ours replaces.
_UNUSED = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess",
    "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter",
    "OptimizationHints", "PaintHolding", "ThirdPartyStoragePartitioning",
)  # fmt: skip

NO_BREAK = "\N{NO-BREAK SPACE}"
"""Between a number and its sign for per cent."""

WAIT = 60_000
"""The most milliseconds to wait for what must come; a busy machine is slow."""


@contextmanager
def launched() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", f"--disable-features={','.join(_UNUSED)}"],
        )
        yield browser
        browser.close()


class Person:
    """Somebody at a page of the server; `close` fails if the page complained of anything.

    Complaints are messages on the console, among them those of the content security policy,
    errors of scripts, requests to other hosts and answers that were not expected to fail.
    """

    def __init__(self, browser: Any, origin: str, **context: Any) -> None:
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
        self.context = browser.new_context(**(options | context))
        self.context.set_default_timeout(WAIT)
        self.context.add_init_script(_AT_ONCE)
        self.context.add_init_script(_DICE)  # nothing here depends on chance
        self.page = self.context.new_page()
        self.origin = origin
        self.is_dark = context.get("color_scheme") == "dark"
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._note)

    def _note(self, request: Any) -> None:
        if not request.url.startswith("data:"):
            self.requests.append(request.url)
        if not request.url.startswith((self.origin, "blob:", "data:")):
            self.complaints.append(f"asked {request.url}")

    def close(self, expected: str = "") -> None:
        """End; complaints that hold `expected` are no fault."""
        self.context.close()
        faults = [each for each in self.complaints if not expected or expected not in each]
        assert not faults, faults

    # What a person does and sees.

    def visit(self, address: str = "") -> None:
        self.page.goto(f"{self.origin}/#{address}")
        self.shown_whole()

    def shown_whole(self) -> None:
        """Wait until the games to choose from, or the board of one, are on screen."""
        self.page.wait_for_selector("main[aria-busy='false'] :is(#board svg, #games li):visible")

    def settle(self) -> None:
        """Wait until what was done is answered and shown, on the page and in its dialogs.

        Whatever is done makes the page or a dialog busy before the press of a button ends.
        """
        self.page.wait_for_selector(
            "body:not(:has([aria-busy='true'])) main[aria-busy='false']", state="attached"
        )

    def still(self) -> None:
        """Wait until nothing moves or fades, but for what does so without end."""
        self.page.evaluate(
            """() => Promise.all(document.getAnimations()
              .filter((each) => each.effect.getComputedTiming().endTime < Infinity)
              .map((each) => each.finished.catch(() => null))).then(() => null)"""
        )

    def status(self) -> str:
        return self.page.inner_text("#status")

    def until(self, selector: str, text: str = "", state: str = "visible") -> None:
        """Wait for something to be on screen, or not. It must not have been before."""
        self.page.locator(selector, has_text=text).first.wait_for(state=state)

    def check_access(self, what: str) -> None:
        """Fail if axe finds what some people could not use; dark colours change contrasts alone."""
        from axe_playwright_python.sync_playwright import Axe

        self.still()  # colours on their way have other contrasts
        options = {"resultTypes": ["violations"]}
        if self.is_dark:
            options["runOnly"] = ["color-contrast"]
        found = Axe().run(self.page, options=options).response["violations"]
        assert not found, (what, json.dumps(found, indent=1)[:3000])

    def kept(self, shelf: str) -> list[dict[str, Any]]:
        """What this device keeps: the `games`, or the `mistakes`."""
        found: list[dict[str, Any]] = self.page.evaluate(
            "async shelf => (await import('./device.js')).device.all(shelf)", shelf
        )
        return found

    def options(self) -> list[str]:
        return self.page.locator("#options button").all_inner_texts()

    def press(self, name: str, within: str = "") -> None:
        self.page.locator(within or "body").get_by_role("button", name=name, exact=True).click()

    def tap(self, what: Any) -> None:
        """Tap something; the click that comes of it comes after the tap has ended."""
        click = self.page.evaluate_handle(
            """() => ({ came: new Promise(
              come => addEventListener('click', come, { capture: true, once: true })) })"""
        )
        what.tap()
        click.evaluate("click => click.came.then(() => null)")

    def menu(self) -> None:
        """Open the menu, if it is not open."""
        if not self.page.locator("#nav").is_visible():
            self.page.locator("#menu").click()

    def head(self, name: str) -> None:
        """Press a button of the page's head, most of which are in the menu."""
        if name != "Rules":
            self.menu()
        self.press(name, "header")

    def settings(self) -> None:
        """Open the settings."""
        self.menu()
        self.page.locator("#settings summary").click()

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def address(self) -> dict[str, str]:
        parts = urlsplit(self.page.url).fragment.split("&")
        return {key: unquote(value) for key, _, value in (part.partition("=") for part in parts)}

    def shown(self) -> dict[str, Any]:
        """All that is on screen, but not what has the focus."""
        return self.page.evaluate(
            """() => Object.fromEntries(
              ['headline', 'board', 'chances', 'dice', 'status', 'options', 'throws', 'moves',
               'turns', 'graph', 'summary', 'names', 'controls', 'editor', 'table']
              .map(id => [id, document.getElementById(id)])
              .map(([id, each]) => [id, id === 'table' ? each.value
                : each.hidden ? null : each.innerHTML.replace(/ aria-current="step"/, ' here')]))"""
        )
