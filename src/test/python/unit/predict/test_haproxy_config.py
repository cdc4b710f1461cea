import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchover.model.errors import TargetError
from switchover.predict.haproxy_config import (
    Proxy,
    cut_into_words,
    global_lines,
    read_sections,
    resolve_proxies,
    time_s,
)

HERE = "haproxy.cfg:1"


def proxies(text: str) -> dict[str, Proxy]:
    return {proxy.name: proxy for proxy in resolve_proxies(read_sections([("haproxy.cfg", text)]))}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("option  httplog # a comment", ("option", "httplog")),
        (r"acl a path /a\#b\ c", ("acl", "a", "path", "/a#b c")),
        ('log-format "a # b"', ("log-format", "a # b")),
        (r'log-format "say \"hi\""', ("log-format", 'say "hi"')),
        (r"log-format 'a\b'", ("log-format", r"a\b")),
        ('server "" x', ("server", "", "x")),
        ("\t# nothing", ()),
        ("a\u00a0b", ("a\u00a0b",)),
    ],
)
def test_a_line_is_cut_as_haproxy_cuts_it(text: str, words: tuple[str, ...]) -> None:
    assert cut_into_words(text, HERE).words == words


def test_a_line_with_a_variable_is_uncertain() -> None:
    assert cut_into_words('hard-stop-after "${STOP-5s}"', HERE).is_uncertain
    assert not cut_into_words("hard-stop-after 5s", HERE).is_uncertain


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (".if 1\n a\n.else\n b\n.endif", [("a", True), ("b", True)]),
        (".if 0\n .if 1\n  a\n .endif\n.endif\n b", [("a", True), ("b", False)]),
        ('.notice "hello"\n a', [("a", False)]),
    ],
)
def test_a_line_in_a_condition_is_uncertain(condition: str, kept: list[tuple[str, bool]]) -> None:
    sections = read_sections([("haproxy.cfg", f"global\n{condition}\n")])
    assert [(line.keyword, line.is_uncertain) for line in global_lines(sections)] == kept


def test_a_proxy_inherits_from_the_defaults_that_it_names_else_from_the_last() -> None:
    text = (
        "defaults one\n option httpclose\n mode http\n"
        "defaults two from one\n no option httpclose\n"
        "frontend a\n bind :1\n"
        "frontend b from one\n bind :2\n"
        "defaults\n balance first\n"
        "frontend c\n bind :3\n"
    )
    found = proxies(text)
    assert [(name, proxy.mode, proxy.option("httpclose") is not None) for name, proxy in found.items()] == [
        ("a", "http", False),
        ("b", "http", True),
        ("c", "tcp", False),
    ]


@pytest.mark.parametrize(("text", "seconds"), [("30", 0.03), ("30s", 30), ("2m", 120), ("500us", 0.0005)])
def test_a_time_without_a_unit_is_in_milliseconds(text: str, seconds: float) -> None:
    assert time_s(cut_into_words(f"hard-stop-after {text}", HERE)) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("maxconn 5\n", "haproxy.cfg:1: 'maxconn 5' is before the first section"),
        ('global\n log "a\n', "haproxy.cfg:2: a quote that is never closed"),
        ("frontend\n bind :1\n", "haproxy.cfg:1: 'frontend' has no name"),
        ("frontend a from b\n bind :1\n", "haproxy.cfg:1: there is no 'defaults b' before it"),
        ("frontend {{ name }}\n", "haproxy.cfg:1: the file contains template braces"),
        ("global\n " + "x" * 70_000, "haproxy.cfg:2: a line of more than 65,536 characters"),
    ],
)
def test_what_has_no_meaning_is_one_line_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(TargetError) as caught:
        proxies(text)
    assert complaint in str(caught.value)


@pytest.mark.parametrize("text", ["soon", "-1s", "1m30s", "", "99999999999999999999s", "3 s"])
def test_what_is_no_time_is_said(text: str) -> None:
    with pytest.raises(TargetError, match=r"haproxy\.cfg:1: .* needs a time such as"):
        time_s(cut_into_words(f"hard-stop-after '{text}'", HERE))


WORDS = st.sampled_from(
    (
        *("global", "defaults", "frontend a", "listen b", "backend c", "from", "mode http", "option", "no option"),
        *("httpclose", "hard-stop-after", "30s", "$A", ".if", ".else", ".endif", "'", '"', "\\", "#", "\n", "\n"),
    )
)


@given(st.one_of(st.lists(WORDS, max_size=40).map(" ".join), st.text(max_size=200)))
@example('global\n a "\\')
@example("defaults from from\n")
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        proxies(text)
    except TargetError as error:
        assert "\n" not in str(error)
