"""Requests as they should not be: refused with one sentence, and never a failure of the server."""

from __future__ import annotations

import json
from urllib.parse import quote

import hypothesis.strategies as st
import jsonschema
import pytest
from hypothesis import given, settings

from tests.games import random_game, write_text
from tests.serve.asking import LOCAL, Asker
from tests.serve.conftest import position_path
from ur_solver.rules import named_rules
from ur_solver.serve.app import MAX_BODY, make_app
from ur_solver.serve.front import POLICY, Front
from ur_solver.serve.interface import document

pytestmark = pytest.mark.medium

START = "....__../......../....__.. L 3 3"
LIST = "/api/v1/tables"
FINKEL = f"{LIST}/finkel-3"


def test_every_answer_carries_its_guards(asker):
    for reply in (asker.get(LIST), asker.get("/nothing"), asker.get(LIST, host="evil.example")):
        assert reply.headers["content-security-policy"] == POLICY
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert not any(name.startswith("access-control") for name in reply.headers)


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8787", "", "localhost.evil.example", "127.0.0.1.evil.example",
     "localhost:99999999", "[::1", "a b", "localhost@evil", "évil"],
)  # fmt: skip
def test_strange_hosts_are_refused(asker, host):
    assert "host" in asker.get(LIST, host=host).sentence


def test_names_that_are_no_text_are_answered(asker):
    values = json.loads(write_text(random_game(named_rules("finkel:1"), 3), ".json"))
    values["metadata"] = {"Light": "\ud800", "Dark": "\u202e\0\x1b[31mBen"}
    for end in ("audit", "report", "convert"):
        body = {"text": json.dumps(values)} | ({"notation": "ur"} if end == "convert" else {})
        reply = asker.post(f"{LIST}/finkel-1/{end}", body)
        assert reply.status == 200
        text = reply.body.decode()
        assert "\N{REPLACEMENT CHARACTER}" in text
        assert end == "convert" or not {"\0", "\x1b", "\u202e"} & set(text)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_bodies_may_be_in_any_encoding_of_unicode(asker, encoding):
    body = json.dumps({"positions": [START]}).encode(encoding)
    assert asker.post(f"{FINKEL}/positions", body).json["positions"][0]["position"] == START


def test_games_that_are_not_utf_8_are_read_as_windows_1252(asker):
    body = b'{"text": "Light: Jos\xe9\\n\\nL 3 A@A2\\nend: unfinished"}'
    reply = asker.post(f"{FINKEL}/audit", body).json
    assert reply["games"][0]["names"]["light"] == "José"
    (warning,) = reply["warnings"]
    assert warning.startswith("line 1: not UTF-8; it is read as Windows-1252")
    assert "warnings" not in asker.post(f"{FINKEL}/audit", body.replace(b"\xe9", b"e")).json
    written = asker.post(f"{FINKEL}/convert", body[:-1] + b', "notation": "ur"}').body
    assert "José" in written.decode()
    assert "not JSON" in asker.post(f"{FINKEL}/positions", body).sentence


@pytest.mark.parametrize("body", [b'{"text": NaN}', b'{"text": 1e999}', b"\xff", b"\xff\xfea"])
def test_bodies_that_are_no_json_are_refused(asker, body):
    assert "not JSON" in asker.post(f"{FINKEL}/audit", body).sentence


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:1", "localhost.:80", "127.0.0.1:8787", "[::1]:8787", "10.0.0.7"],
)
def test_own_hosts_are_answered(asker, host):
    assert asker.get(LIST, host=host).status == 200


def test_hosts_by_name_and_none_at_all(tables):
    asker = Asker(make_app(tables, Front(("Board.Example",))))
    assert asker.get(LIST, host="board.example:80").status == 200
    assert asker.ask("GET", LIST, {}).status == 400
    assert asker.ask("GET", LIST, [("host", "localhost"), ("host", "evil")]).status == 400
    asker.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"origin": "http://localhost:1"},
    ],
)
def test_pages_of_other_sites_cannot_post(asker, headers):
    reply = asker.post(f"{FINKEL}/positions", {"positions": []}, **headers)
    assert reply.status == 403
    assert reply.sentence == "a page of another site may not send anything here"


def test_own_pages_can_post(asker):
    reply = asker.post(
        f"{FINKEL}/positions",
        {"positions": []},
        origin="http://localhost:8787",
        sec_fetch_site="same-origin",
    )
    assert reply.json == {"positions": []}


def test_bodies_are_limited_in_size_time_and_kind(asker):
    path = f"{FINKEL}/audit"
    assert asker.post(path, b'{"text": "' + b"x" * MAX_BODY + b'"}').status == 413
    head = LOCAL | {"content-type": "application/json"}
    endless = asker.ask("POST", path, head, [b"{"], is_endless=True)
    assert (endless.status, "seconds" in endless.sentence) == (408, True)
    flood = asker.ask("POST", path, head, [b"x" * 70_000] * 40, is_endless=True)
    assert flood.status == 413
    assert asker.ask("POST", path, LOCAL, [b"{}"]).status == 415
    assert asker.post(path, b"{" * 100_000).status == 400
    assert asker.post(path, b"\xff\xfe").status == 400
    for body in ([], {}, {"text": 1}, {"text": "", "more": 1}, None, 10**4000):
        assert asker.post(
            path, json.dumps(body).encode() if body != 10**4000 else b"9" * 9000
        ).sentence


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "x"])
def test_other_methods_are_refused(asker, method):
    assert asker.ask(method, LIST, LOCAL).status == 405


def test_an_allowed_method_is_named_where_another_is_refused(asker):
    for path, allowed in (("/api/v1/tables", {"GET", "HEAD"}), ("/", {"GET", "HEAD"}),
                          ("/api/v1/tables/finkel-3/audit", {"POST"})):  # fmt: skip
        reply = asker.ask("DELETE", path, LOCAL)
        assert (reply.status, {*reply.headers["allow"].split(", ")}) == (405, allowed)


def test_what_is_not_there(asker):
    for path in (f"{LIST}/finkel-9", "/api/v1/rules/none", "/api/v1/rules/finkel:99", "/..%2f..",
                 f"{LIST}/..%2F..%2Fetc", "/api/v1/rules/%2Fetc%2Fpasswd", "/api/v1"):  # fmt: skip
        assert asker.get(path).sentence
    assert asker.post(LIST, {}).status == 405
    assert asker.get(f"{FINKEL}/audit").status == 405


def test_parameters_are_just_those_that_are_known(asker):
    for query in ("", "?position=", f"?position={quote(START)}&x=1", "?positon=1",
                  f"?position={quote(START)}&position={quote(START)}"):  # fmt: skip
        assert asker.get(f"{FINKEL}/position{query}").sentence
    assert "unknown field `x`; expected none" in asker.get(f"{LIST}?x").sentence
    assert "expected position" in asker.get(f"{FINKEL}/position").sentence


def test_what_is_known_is_not_sent_again(asker):
    for path in (LIST, FINKEL, position_path("finkel-3", START), "/api/v1/openapi.json",
                 "/api/v1/rules", "/api/v1/rules/ben"):  # fmt: skip
        first = asker.get(path)
        again = asker.get(path, if_none_match=f'"x", {first.headers["etag"]}')
        assert (first.status, again.status, again.body) == (200, 304, b"")
    others = position_path("finkel-3", START.replace(" L ", " D "))
    assert asker.get(others).headers["etag"] != first.headers["etag"]


def test_answers_are_compressed_where_that_is_understood(asker):
    path = position_path("finkel-3", "L...__../..D...../....__.. L 2 2")
    plain, packed = asker.get(path), asker.get(path, accept_encoding="gzip")
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.body == packed.body
    assert int(packed.headers["content-length"]) < len(plain.body) / 2


def test_too_much_at_once(asker):
    many = {"positions": [START] * 10_001}
    assert "length <= 10000" in asker.post(f"{FINKEL}/positions", many).sentence
    many = {"states": [[0]] * 10_001}
    assert "length <= 10000" in asker.post(f"{FINKEL}/values", many).sentence
    passes = "rules: finkel:3\n\n" + "L 0 --\nD 0 --\n" * 11_000 + "end: unfinished"
    assert "20,000 throws" in asker.post(f"{FINKEL}/audit", {"text": passes}).sentence
    games = {"text": "rules: finkel:3\n\nend: unfinished\n" * 60}
    assert "50 games" in asker.post(f"{FINKEL}/audit", games).sentence


# Fuzzing.

NOTATION = st.text(alphabet="LDld.()_/ 0123456789p-+%&=?#\0é\n", max_size=60)


@given(st.text(max_size=80) | NOTATION, st.sampled_from(["finkel-3", "birds-2", "bell-stakes-1"]))
@settings(max_examples=150)
def test_no_position_makes_it_fail(asker, text, name):
    reply = asker.get(position_path(name, text.encode("utf-8", "replace").decode()))
    assert reply.status == 200 or reply.sentence


@given(st.text(alphabet=st.characters(max_codepoint=255), max_size=60))
@settings(max_examples=100)
def test_no_address_makes_it_fail(asker, text):
    for path in (
        f"/{text}",
        f"{LIST}/{text}",
        f"{FINKEL}/position?{text}",
        f"/api/v1/rules/{text}",
    ):
        reply = asker.ask("GET", path, LOCAL)
        assert reply.status == 200 or reply.sentence


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
)


STATES = st.lists(st.lists(st.integers(0, 9) | st.integers(), min_size=22, max_size=22), max_size=4)


@given(JSON, st.lists(JSON, max_size=4), STATES)
@settings(max_examples=80)
def test_no_body_makes_it_fail(asker, values, several, states):
    for end in ("positions", "values", "audit", "report", "convert", "dice"):
        for sent in (values, {"positions": several}, {"states": several}, {"states": states},
                     {"text": values}, {"text": str(values), "notation": str(several)},
                     {"light": values, "dark": {}}):  # fmt: skip
            reply = asker.post(f"{FINKEL}/{end}", sent)
            assert reply.status == 200 or reply.sentence


@given(st.data())
@settings(max_examples=60)
def test_no_record_makes_it_fail(asker, data):
    game = random_game(named_rules("finkel:3"), 2, max_plies=12)
    text = write_text(game, data.draw(st.sampled_from([".ur", ".rgn", ".json"])))
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, len(text)))
    text = text[:begin] + data.draw(st.text(max_size=8)) + text[end:]
    for kind in ("audit", "report"):
        reply = asker.post(f"{FINKEL}/{kind}", {"text": text})
        assert reply.status == 200 or reply.sentence


# The document.


def resolved(schema, document):
    return {**schema, "components": document["components"]}


@pytest.mark.parametrize("path", document()["paths"])
def test_every_example_of_the_document_is_answered_as_it_says(asker, path):
    whole = asker.get("/api/v1/openapi.json").json
    for method, operation in whole["paths"][path].items():
        address, queries = path, [""]
        for parameter in operation["parameters"]:
            name = parameter["name"]
            if parameter["in"] == "path":
                address = address.replace(f"{{{name}}}", parameter["example"])
            else:
                given = [
                    f"{name}={quote(each['value'])}" for each in parameter["examples"].values()
                ]
                queries = [f"{query or '?'}{each}&" for query in queries for each in given]
        for query in queries:
            url = f"/api/v1{address}{query.rstrip('&')}"
            if method == "get":
                reply = asker.get(url)
            else:
                body = operation["requestBody"]["content"]["application/json"]
                jsonschema.validate(body["example"], resolved(body["schema"], whole))
                reply = asker.post(url, body["example"])
            assert reply.status == 200, reply.body
            ((kind, content),) = operation["responses"]["200"]["content"].items()
            assert reply.headers["content-type"].partition(";")[0] == kind
            if kind == "application/json":
                jsonschema.validate(reply.json, resolved(content["schema"], whole))


@pytest.mark.parametrize("name", ["birds-2", "bell-stakes-1", "skiriuk-1", "casual-roll-again-1"])
def test_answers_of_all_kinds_have_the_documented_shape(asker, tables, name):
    whole = document()
    schemas = whole["components"]["schemas"]

    def check(values, kind):
        jsonschema.validate(values, resolved(schemas[kind], whole))

    rules = tables[name].rules
    check(asker.get(f"{LIST}/{name}").json, "WholeTable")
    check(asker.get(f"{LIST}/{name}/data").json, "RulesData")
    check(asker.get(f"/api/v1/rules/{rules.word}/data").json, "RulesData")
    answer = asker.get(position_path(name, rules.start().notation)).json
    check(answer, "Position")
    states = tables[name].encode([rules.start()]).tolist()
    check(asker.post(f"{LIST}/{name}/values", {"states": states}).json, "Values")
    for _ in range(3):
        first = next(each for each in answer["throws"] if each["moves"])
        answer = asker.get(position_path(name, first["moves"][0]["position"])).json
        check(answer, "Position")
    text = write_text(random_game(rules, 4), ".ur")
    check(asker.post(f"{LIST}/{name}/audit", {"text": text}).json, "Audits")


@pytest.mark.parametrize("name", ["finkel-3", "birds-2", "bell-stakes-1", "skiriuk-1", "ben-1"])
def test_inputs_have_the_documented_form(tables, name):
    """All positions of a game; and not just any text."""
    schemas = document()["components"]["schemas"]
    schema = schemas["PositionAsked"]["properties"]["position"]
    table = tables[name]
    ranks = range(0, table.space.n_positions, 1 + table.space.n_positions // 300)
    for rank in ranks:
        jsonschema.validate(table.space.unrank(rank).notation, schema)
    text = schemas["GamesAsked"]["properties"]["text"]
    for wrong, kind in (("", schema), ("x/y/z", schema), ("....__ L 3 3", schema), ("", text)):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, kind)


def test_the_interface_keeps_what_programs_use(asker):
    """Drawings, rounds, lines and exercises were for the page alone."""
    paths = {*asker.get("/api/v1/openapi.json").json["paths"]}
    of_both = ("data", "prose", "position", "convert", "dice")
    of_tables = ("values", "positions", "audit", "report", *of_both)
    assert paths == {
        *("/openapi.json", "/tables", "/tables/{table}", "/rules", "/rules/{rules}"),
        *(f"/tables/{{table}}/{end}" for end in of_tables),
        *(f"/rules/{{rules}}/{end}" for end in of_both),
    }
