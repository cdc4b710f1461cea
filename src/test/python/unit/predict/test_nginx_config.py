from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.examples import examples
from switchover.model.errors import TargetError
from switchover.predict.config_file import Statement
from switchover.predict.nginx_config import find_servers, parse, read_syntax, time_s


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
