"""Under a path of a proxy: addresses, redirects, bodies from the proxy's own pages."""

from __future__ import annotations

import pytest

from tests.serve.asking import LOCAL, Asker
from ur_solver.errors import InputError
from ur_solver.serve.app import make_app
from ur_solver.serve.front import Front, RootPath

LIST = "/api/v1/tables"


@pytest.fixture(scope="module")
def under(tables):
    asker = Asker(RootPath(make_app(tables, Front(("board.example",), "/games/ur")), "/games/ur"))
    yield asker
    asker.close()


def test_addresses_are_answered_with_the_path_and_without(under, asker):
    expected = asker.get(LIST).body
    assert under.get(f"/games/ur{LIST}").body == expected
    assert under.get(LIST).body == expected
    assert under.get("/games/ur/").body == under.get("/").body
    for path in (f"/games{LIST}", f"/games/url{LIST}", f"/games/ur/games/ur{LIST}", "/games"):
        assert under.get(path).status == 404


def test_the_path_without_a_slash_is_redirected(under):
    reply = under.get("/games/ur")
    assert (reply.status, reply.headers["location"]) == (308, "/games/ur/")
    assert "content-security-policy" in reply.headers


def test_the_document_names_the_servers_path(under, asker):
    (server,) = under.get("/games/ur/api/v1/openapi.json").json["servers"]
    assert server == {"url": "/games/ur/api/v1"}
    (server,) = asker.get("/api/v1/openapi.json").json["servers"]
    assert server == {"url": "/api/v1"}


def test_a_path_may_have_a_slash_at_its_end():
    assert Front((), "/ur/").root_path == "/ur"
    assert Front((), "/").root_path == ""


@pytest.mark.parametrize("path", ["ur", "//ur", "/ur//x", "/ür", "/a b", "/..", "/a/../b", "/a?b"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(InputError, match="expected a path such as /ur"):
        Front((), path)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://board.example"}, 200),
        ({"origin": "https://board.example:8443"}, 200),
        ({"origin": "https://any.example", "sec_fetch_site": "same-origin"}, 200),
        ({"origin": "https://board.example", "sec_fetch_site": "cross-site"}, 403),
        ({"origin": "https://board.example", "sec_fetch_site": "same-site"}, 403),
        ({"origin": "https://board.example.evil"}, 403),
        ({"origin": "https://evil.example"}, 403),
    ],
)
def test_pages_of_the_proxy_may_post_though_it_changes_the_host(under, headers, status):
    """Browsers name the origin; over HTTPS they also say whether the page is of the same one."""
    reply = under.post(f"{LIST}/finkel-3/positions", {"positions": []}, host="10.0.0.7", **headers)
    assert reply.status == status


def test_an_address_of_the_root_path_alone_needs_no_host(under):
    assert under.ask("GET", "/games/ur", {}).status == 308
    assert under.ask("GET", f"/games/ur{LIST}", LOCAL | {"host": "evil.example"}).status == 400
