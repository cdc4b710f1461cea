"""The directives of an nginx.conf and its promises, which integration/test_reload_promises.py compares with Nginx."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.examples import examples
from switchover.model.errors import TargetError
from switchover.predict.config_file import Statement
from switchover.predict.nginx_config import find_servers, parse, read_syntax, time_s
from switchover.predict.nginx_promise import promise_of
from switchover.predict.promise import LOADS, ReloadPromise


def words(text: str) -> list[tuple[str, ...]]:
    return [directive.words for directive in parse(text, "nginx.conf")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("user  www-data ; # who\npid x;", [("user", "www-data"), ("pid", "x")]),
        ("log_format a 'it\\'s; {' \"b\";", [("log_format", "a", "it\\'s; {", "b")]),
        ("set $a ${b}c;", [("set", "$a", "${b}c")]),
        ("return 200 a#b;", [("return", "200", "a#b")]),
        ("rewrite ^/a\\.b$ /c;", [("rewrite", "^/a\\.b$", "/c")]),
        ("location ~ \\.php$ { }", [("location", "~", "\\.php$")]),
        ("a\n  b\n;", [("a", "b")]),
        ('a "";', [("a", "")]),
    ],
)
def test_directives_are_cut_as_nginx_cuts_them(text: str, found: list[tuple[str, ...]]) -> None:
    assert words(text) == found


def test_a_directive_knows_its_line_behind_words_over_several_lines() -> None:
    found = parse("a 'x\ny'\nb;\nc;", "nginx.conf")
    assert [str(directive.place) for directive in found] == ["nginx.conf:1", "nginx.conf:4"]


def test_includes_are_followed_beside_the_main_file(tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "a.conf").write_text("server { include inner; }")
    (tmp_path / "inner").write_text("listen 81;")
    main = tmp_path / "nginx.conf"
    main.write_text("http {\n include conf.d/*.conf;\n include mime.types;\n}\n")
    (http,), missing = read_syntax(main)
    assert [directive.words for directive in http.block[0].block] == [("listen", "81")]
    assert [directive.text for directive in missing] == ["include mime.types"]


def test_the_includes_of_a_copy_are_looked_for_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sites-enabled").mkdir()
    (tmp_path / "sites-enabled" / "a").write_text("server { listen 81; }")
    main = tmp_path / "nginx.conf"
    main.write_text("http { include /etc/nginx/sites-enabled/*; }")
    assert [context.name for context in find_servers(read_syntax(main)[0])] == ["81"]


def test_the_innermost_setting_counts() -> None:
    servers = "server { server_name _ a; keepalive_timeout 3; } server { listen 81; }"
    found = find_servers(parse(f"http {{ keepalive_timeout 1; {servers} }}", "nginx.conf"))
    assert [(one.name, one.settings["keepalive_timeout"].value()) for one in found] == [("a", "3"), ("81", "1")]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("75", 75),
        ("75s", 75),
        ("500ms", 0.5),
        ("1m30s", 90),
        ("1h 30m", 5400),
        ("1d", 86400),
        ("1M", 2592000),
        ("0", 0),
    ],
)
def test_a_time_without_a_unit_is_in_seconds(text: str, seconds: float) -> None:
    assert time_s(Statement(("keepalive_timeout", text), "nginx.conf:1")) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["soon", "", "-1", "1.5s", "s"])
def test_what_is_no_time_is_said(text: str) -> None:
    with pytest.raises(TargetError, match=r"nginx\.conf:1: .* needs a time such as"):
        time_s(Statement(("keepalive_timeout", text), "nginx.conf:1"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("user x", ":1: 'user' has no ';' at its end"),
        ("http {\n a;\n", ":1: 'http' opens a block that is never closed"),
        ("}\n", ":1: a '}' that closes nothing"),
        ("http { a }", ":1: '}' before the ';' that ends 'a'"),
        ("a 'b;\n", ":1: a quote that is never closed"),
        (";\n", ":1: ';' without a directive before it"),
        ("include;\n", ":1: 'include' needs one file name"),
        ("a {" * 50, "more than 32 nested blocks"),
        ("content_by_lua_block {\n local t = {}\n}", ":1: 'content_by_lua_block' is not supported"),
        ("listen {{ port }};", ":1: "),
        ("include nginx.conf;", "includes more than 500 files, or itself"),
        ("a \0;", "contains binary data"),
    ],
)
def test_what_has_no_meaning_is_one_line_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    main = tmp_path / "nginx.conf"
    main.write_text(text)
    with pytest.raises(TargetError) as caught:
        read_syntax(main)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


WORDS = st.sampled_from(
    (
        *("http", "server", "stream", "location /", "listen 80", "include", "*", "keepalive_timeout", "0", "75s"),
        *("{", "}", ";", "'", '"', "\\", "#", "$", "${", "\n", " ", "x_by_lua_block", "http2 on", "../..", "/"),
    )
)


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.lists(WORDS, max_size=40).map(" ".join), st.text(max_size=200)))
@example("a \\")
@example("include /;")
@example("include ..;")
def test_any_text_is_read_or_refused_in_one_line(tmp_path: Path, text: str) -> None:
    main = tmp_path / "nginx.conf"
    main.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        list(find_servers(read_syntax(main)[0]))
    except TargetError as error:
        assert "\n" not in str(error)


UPGRADE = "proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;"
SERVER = f"server {{ listen 80; server_name web; location / {{ {UPGRADE} }} }}"


def promise(place: Path, text: str) -> ReloadPromise:
    path = place / "nginx.conf"
    path.write_text(text)
    return promise_of(path)


def texts(place: Path, main: str = "", http: str = "", server: str = SERVER) -> dict[str, str]:
    (service,) = promise(place, f"{main}\nhttp {{ {http} {server} }}").services
    return {kind: one.text for kind, one in service.promises.items()}


def test_by_default_silent_connections_may_be_lost_and_all_else_is_kept(tmp_path: Path) -> None:
    found = texts(tmp_path)
    assert list(found) == list(LOADS)
    assert [kind for kind, text in found.items() if text == "may be lost"] == ["pooled", "idle"]
    assert [kind for kind, text in found.items() if text == "not served"] == ["tcp", "h2"]


def test_worker_shutdown_timeout_cuts_what_lasts_longer(tmp_path: Path) -> None:
    found = texts(tmp_path, "worker_shutdown_timeout 10s;")
    assert [kind for kind, text in found.items() if text == "cut after 10 s"] == [
        "download",
        "upload",
        "sse",
        "websocket",
    ]
    assert texts(tmp_path, "worker_shutdown_timeout 0;")["download"] == "kept"


@pytest.mark.parametrize(
    ("http", "pooled", "idle"),
    [
        ("keepalive_timeout 0;", "kept", "kept"),
        ("keepalive_requests 1;", "kept", "kept"),
        ("keepalive_timeout 75s;", "may be lost", "may be lost"),
        ("keepalive_min_timeout 1s;", "kept", "may be lost"),
        ("keepalive_min_timeout 10s;", "kept", "kept"),
        ("keepalive_timeout 0; server { listen 81; location /a { keepalive_timeout 5; } }", "not known", "not known"),
    ],
)
def test_kept_connections(tmp_path: Path, http: str, pooled: str, idle: str) -> None:
    found = promise(tmp_path, f"http {{ {http} {'' if 'location' in http else SERVER} }}").services[0].promises
    assert (found["pooled"].text, found["idle"].text) == (pooled, idle)


def test_http_2_is_promised_where_it_is_offered(tmp_path: Path) -> None:
    assert texts(tmp_path, server="server { listen 443 ssl http2; }")["h2"] == "kept"
    assert texts(tmp_path, http="http2 on;")["h2"] == "kept"
    two = "server { listen 443 ssl http2; server_name a; } server { listen 443 ssl; server_name b; }"
    (service,) = promise(tmp_path, f"http {{ {two} }}").services
    assert service.names == ("a", "b")


@pytest.mark.parametrize(
    ("http", "location", "fate"),
    [
        ("", UPGRADE, "kept"),
        (UPGRADE, "proxy_pass http://app;", "kept"),
        ("", f"root /r; location /ws {{ {UPGRADE} }}", "kept"),
        ("", "proxy_pass http://app; proxy_http_version 1.1;", "not served"),
        ("", UPGRADE.replace("Connection upgrade", 'Connection ""'), "not served"),
        ("", UPGRADE.replace("proxy_http_version 1.1;", ""), "not known"),
    ],
)
def test_a_websocket_needs_the_header_of_an_upgrade(tmp_path: Path, http: str, location: str, fate: str) -> None:
    server = f"server {{ server_name web; location / {{ {location} }} location /s {{ root /s; }} }}"
    assert texts(tmp_path, http=http, server=server)["websocket"] == fate


def test_a_server_in_stream_passes_on_whatever_it_carries(tmp_path: Path) -> None:
    (service,) = promise(tmp_path, "worker_shutdown_timeout 5s; stream { server { listen 1; } }").services
    assert {kind: one.text for kind, one in service.promises.items() if kind != "fresh"} == dict.fromkeys(
        [kind for kind in LOADS if kind != "fresh"], "cut after 5 s"
    )


def test_an_include_without_a_file_is_noted(tmp_path: Path) -> None:
    (note,) = promise(tmp_path, f"http {{ include other.conf; {SERVER} }}").notes
    assert "'include other.conf' matches no file" in note
    with pytest.raises(TargetError, match=r"includes this file; 'include sites-enabled/\*' matches no file"):
        promise(tmp_path, "http { include mime.types; include sites-enabled/*; }")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("http { }", "has no server in http or stream"),
        (SERVER, "has no server in http or stream: give the nginx.conf"),
        (f"master_process off; http {{ {SERVER} }}", ":1: master_process off: there is no reload"),
        (f"worker_shutdown_timeout soon; http {{ {SERVER} }}", ":1: 'worker_shutdown_timeout soon' needs a time"),
    ],
)
def test_what_nginx_refuses_is_one_line_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(TargetError) as caught:
        promise(tmp_path, text)
    assert complaint in str(caught.value)
