"""A site whose host answers wrongly, whose browser keeps nothing, and that is published anew."""

from __future__ import annotations

import os
import random
import re

import pytest

from tests.publish.lying import FAULTS, LyingServer
from tests.publish.test_site import index_of
from tests.serve.browser import Person, needs_browser
from tests.serve.page.playing import by_list, play
from ur_solver.publish.folder import SiteFolder
from ur_solver.publish.site import publish
from ur_solver.rules import named_rules

pytestmark = [needs_browser, pytest.mark.slow]

PATH = "/games/ur"
WHOLE = re.compile(r"^Ready to play offline \(.* MB\)\.$")
"""What is said where everything is kept."""

TRIED = (
    *(r"/main\.js$", r"/dom\.js$", r"engine/values\.js$", r"style\.css$", r"data/index\.json$"),
    *(r"rules/finkel-1\.json$", r"head\.bin$", r"/0\.bin$", r"skiriuk-7\.bin$", r"rules/skiriuk"),
)
"""Modules, a style sheet, the index, rules, the head and the piece of a table, an estimator."""

PAUSED = (r"engine/values\.js$", r"head\.bin$")
SAID = "integrity' attribute|integrity checks|Failed to load resource|Failed to fetch|MIME type"
"""What a browser says of answers that are no part of the page."""


@pytest.fixture(scope="module")
def host(site):
    server = LyingServer(site.folder.parents[1])
    yield server
    server.stop()


def arrive(browser, host, address="", **context):
    person = Person(browser, host.origin + PATH, **context)
    person.visit(address)
    return person


def played(person):
    """Play a turn by exact values, and one by estimates."""
    person.shown_whole()
    for name in ("finkel-1", "skiriuk-7"):
        person.page.evaluate("name => { location.hash = `table=${name}` }", name)
        person.until("#source", name.replace("-", ":"))
        play(person, random.Random(name), (by_list,), 1)
        assert "%" in person.page.inner_text("#throws") + person.page.inner_text("#chances")


def forgiven(person):
    """Leave; that wrong answers came is what the browser says."""
    person.complaints = [each for each in person.complaints if not re.search(SAID, each)]
    person.close("by Playwright")


SPOILED = """async () => {
  const [name] = await caches.keys();
  const cache = await caches.open(name);
  const keys = await cache.keys();
  const headers = { "Content-Type": "text/html" };
  for (const key of keys) await cache.put(key, new Response("<!DOCTYPE html>", { headers }));
  return keys.length;
}"""


@pytest.mark.parametrize("how", FAULTS)
def test_one_wrong_answer_for_each_file_is_forgiven_without_a_worker(browser, host, how):
    host.lie(how, *(PAUSED if how == "pause" else TRIED))
    person = arrive(browser, host, service_workers="block")
    played(person)
    assert len(host.lied) == len(host.faults)
    forgiven(person)


def test_a_cache_of_wrong_bytes_heals_though_the_host_lies_once_more(browser, host):
    host.lie("429", *TRIED)
    person = arrive(browser, host)
    played(person)
    for how in ("HTML", "empty", "cut at a value's border", "404"):
        person.until("#offline", "Ready")
        assert person.page.evaluate(SPOILED) > 30
        person.page.goto("about:blank")
        host.lie(how, *TRIED)
        person.visit()
        played(person)
    forgiven(person)


def test_a_cache_of_wrong_bytes_is_used_no_more_without_a_network(browser, site):
    host = LyingServer(site.folder.parents[1])
    person = arrive(browser, host, "table=finkel-1")
    person.until("#offline", "Ready")
    host.stop()
    person.context.set_offline(True)
    person.page.reload()
    person.shown_whole()
    assert person.page.evaluate(SPOILED) > 30
    person.page.evaluate("location.hash = 'table=skiriuk-7'")
    person.until("#error", "A file of this site cannot be loaded; is there a network?")
    assert person.page.locator("#error button").inner_text() == "Try again"
    forgiven(person)


@pytest.mark.parametrize(
    ("how", "name", "words"),
    [
        ("404", "skiriuk-7", "The site answered 404 in place of a file."),
        ("HTML", "ben-7", "damaged"),
    ],
)
def test_what_does_not_come_is_named_and_may_be_asked_for_again(browser, host, how, name, words):
    person = arrive(browser, host, service_workers="block")
    host.lie(how, rf"{name}\.bin$", is_steady=True)
    person.page.evaluate("name => { location.hash = `table=${name}` }", name)
    person.until("#error", words)
    host.lie(how)
    person.press("Try again", "#error")
    person.until("#source", name.replace("-", ":"))
    assert person.page.locator("#error").is_hidden()
    forgiven(person)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_module_that_does_not_come_gets_a_sentence(browser, host, scheme):
    host.lie("HTML", r"/play\.js$", r"practise\.js$", is_steady=True)
    person = Person(browser, host.origin + PATH, color_scheme=scheme, bypass_csp=True)
    person.page.goto(f"{person.origin}/")
    person.until("#error", "A part of this page did not come, or came damaged. Try again")
    assert person.page.locator("nav").is_hidden()
    person.check_access("a module is missing")
    host.lie("HTML", r"practise\.js$", is_steady=True)
    person.press("Try again", "#error")
    person.shown_whole()
    person.page.locator("#start-practise").click()
    person.until("#error", "A part of this page did not come, or came damaged. Try again")
    host.lie("HTML")
    person.press("Try again", "#error")
    person.shown_whole()
    person.page.locator("#start-practise").click()
    person.until("#practise-dialog")
    forgiven(person)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_javascript_the_page_says_so(browser, host, scheme):
    person = Person(browser, host.origin + PATH, java_script_enabled=False)
    person.page.goto(f"{person.origin}/")
    person.until("noscript p", "needs JavaScript")
    for selector in ("nav", "#waiting", "#opponents", "#games"):
        assert person.page.locator(selector).is_hidden(), selector
    person.close()


# Storage.


QUOTA = "Storage.overrideQuotaForOrigin"


@pytest.mark.parametrize("more", [None, 300_000])
def test_full_storage_never_stops_play(browser, host, more):
    """From the start, and 300 kB above what the page takes."""
    person = Person(browser, host.origin + PATH)
    person.page.goto(f"{host.origin}/games/ur/icon.svg")
    control = person.context.new_cdp_session(person.page)
    if more is None:
        control.send(QUOTA, {"origin": host.origin, "quotaSize": 1})  # 0 stands for no quota
    person.visit()
    if more is not None:
        person.until("#offline", "Ready")
        usage = person.page.evaluate("navigator.storage.estimate().then(({ usage }) => usage)")
        control.send(QUOTA, {"origin": host.origin, "quotaSize": usage + more})
    played(person)
    person.page.reload()
    played(person)
    if more is not None:
        person.page.locator("#offline button").click()
    person.until("#offline", "Not kept for offline: no room. Try again")
    person.check_access("storage is full")
    control.send(QUOTA, {"origin": host.origin})
    person.press("Try again", "#offline")
    person.until("#offline", "Ready")
    person.close()


REFUSED = """
  const refuse = () => { throw new DOMException("no", "SecurityError"); };
  for (const name of ["localStorage", "sessionStorage", "caches", "indexedDB"]) {
    Object.defineProperty(window, name, { get: refuse });
  }
  ServiceWorkerContainer.prototype.register = async () => refuse();
"""


def test_refused_storage_never_stops_play(browser, host):
    person = Person(browser, host.origin + PATH)
    person.context.add_init_script(REFUSED)
    person.visit()
    played(person)
    person.until("#offline", "Not kept for offline: this browser keeps no files here.")
    person.close("no")


# What is loaded, and kept.


def test_a_visit_takes_what_it_uses(browser, host, site):
    host.asked.clear()
    person = arrive(browser, host, "table=finkel-1")
    person.until("#offline", "Ready")
    data = sorted(path for path in host.asked if "/data/" in path)
    assert [path.rsplit("/")[-1] for path in data] == [
        "index.json", "finkel-1.json", "0.bin", "head.bin",
    ]  # fmt: skip
    assert len(host.asked) == len(set(host.asked)), "a file was loaded twice"
    host.asked.clear()
    person.page.locator("#offline button").click()
    person.until("#offline", WHOLE)
    assert not {*data} & {*host.asked}
    own = {f"{PATH}/{name}" for name in index_of(site.folder)["sums"] if name.startswith("data/")}
    assert {*data, *host.asked} == {*own, f"{PATH}/data/index.json"}
    person.close()


INSTALLED = """
  const { matchMedia } = window;
  window.matchMedia = (words) =>
    (words.includes("standalone") ? { matches: true } : matchMedia(words));
  Object.defineProperty(navigator, "connection", { value: { saveData: %s } });
"""


@pytest.mark.parametrize(("saves", "count"), [("false", 0), ("true", 1)])
def test_an_installed_page_keeps_everything_unless_data_are_to_be_saved(
    browser, host, saves, count
):
    person = Person(browser, host.origin + PATH)
    person.context.add_init_script(INSTALLED % saves)
    person.visit()
    person.until("#offline", "Ready")
    assert person.page.locator("#offline button").count() == count
    person.close()


def test_a_host_that_has_much_to_do_is_asked_again_after_a_while(browser, host):
    """What came is kept; the rest comes after the pause that the host wants."""
    person = arrive(browser, host)
    person.until("#offline", "Ready")
    host.lie("429", r"/data/estimators/")
    host.asked.clear()
    person.page.locator("#offline button").click()
    person.until("#offline", WHOLE)
    assert max(map(host.asked.count, host.asked)) == 2
    forgiven(person)


# Versions.


@pytest.fixture
def own(tmp_path):
    """A site of one game, to be published anew within the same second, and its server."""
    folder = tmp_path / "games" / "ur"
    publish(folder, [], [named_rules("finkel:1")])
    server = LyingServer(tmp_path)
    yield server, folder
    server.stop()


def replace(folder, words=("finkel:1", "aseb:1")):
    """Publish anew, with the times of the files before: hosts tell them by the second."""
    times = {each: each.stat().st_mtime_ns for each in folder.rglob("*")}
    publish(folder, [], [named_rules(word) for word in words])
    for each, time in times.items():
        if each.exists():
            os.utime(each, ns=(time, time))


@pytest.mark.parametrize("workers", ["allow", "block"])
def test_a_new_version_is_offered_and_shown_when_it_is_wanted(browser, own, workers):
    """With the page open, on the return to its tab; never in the middle of a turn."""
    host, folder = own
    person = Person(browser, host.origin + PATH, service_workers=workers)
    person.visit("rules=finkel:1")
    if workers == "allow":
        person.until("#offline", "Ready")
    replace(folder)
    person.press("Throw", "#hand")
    person.settle()
    assert person.page.locator("#board .movable").count()
    person.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    person.page.wait_for_selector("#news button", state="attached")
    assert person.page.locator("#news").is_hidden()
    by_list(person, random.Random(1))
    person.until("#news", "There is a new version of this page.")
    person.check_access("a new version")
    address = person.page.url
    person.press("New version: reload", "#news")
    person.until("#table option", "aseb", state="attached")
    person.shown_whole()
    assert person.page.url == address
    person.close("by Playwright")


BEFORE = {
    "index.html": "<!DOCTYPE html><title>Before</title><script type=module src=main.js></script>",
    "main.js": "navigator.serviceWorker.register('sw.js')",
    "sw.js": """
const OWN = `ur-solver ${self.registration.scope} 0123456789abcdef`;
self.addEventListener("install", (event) => event.waitUntil(
  caches.open(OWN).then((cache) => cache.addAll(["./", "main.js", "data/index.json"]))));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => event.respondWith(caches.open(OWN)
  .then((cache) => cache.match(event.request)).then((own) => own ?? fetch(event.request))));
""",
    "data/index.json": "<!DOCTYPE html>",
}
"""A site of a version that checked nothing, whose browsers keep wrong bytes."""


def test_a_site_of_the_version_before_heals_when_it_is_published_anew(browser, tmp_path):
    folder = SiteFolder(tmp_path / "games" / "ur")
    folder.begin([*BEFORE])
    for name, text in BEFORE.items():
        folder.write(name, text.encode())
        os.utime(folder.path / name, (1e9, 1e9))
    folder.finish()
    host = LyingServer(tmp_path)
    person = Person(browser, host.origin + PATH)
    person.page.goto(f"{person.origin}/")
    person.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    publish(folder.path, [], [named_rules("finkel:1"), named_rules("aseb:1")])
    person.page.reload()  # by which the browser finds the new worker
    person.page.evaluate(
        """async () => {
          const registration = await navigator.serviceWorker.getRegistration();
          await registration.update();
          const { installing, waiting, active } = registration;
          const next = installing ?? waiting ?? active;
          while (next.state !== "activated") {
            await new Promise((come) => { next.onstatechange = come; });
          }
        }"""
    )
    person.page.reload()
    person.shown_whole()
    person.until("#offline", "Ready")
    assert person.page.evaluate("caches.keys().then((all) => all.length)") == 1
    person.close()
    host.stop()
