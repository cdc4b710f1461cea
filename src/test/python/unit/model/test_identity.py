"""Who answered: the vectors, and what holds for whatever stands in a header."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.contract import named
from support.examples import examples
from switchover.model.identity import (
    HEADER_LIMIT,
    NAME_LIMIT,
    NAMES_LIMIT,
    OTHER,
    AnsweredBy,
    IdentitySettings,
    WhoAnswered,
    clean,
    hash_session,
    join_header,
)


def header_value(raw: Any) -> Any:
    if isinstance(raw, dict):
        return raw["repeat"] * raw["times"] + raw.get("then", "")
    return raw


@pytest.mark.parametrize("case", named("identity.json", "cases"))
def test_identity_is_read_as_agreed(case: dict[str, Any]) -> None:
    who = WhoAnswered(IdentitySettings(**case.get("settings", {})))
    identity = who.identify([(name, header_value(value)) for name, value in case["headers"]])
    assert (identity.backend, identity.balancer, identity.answered_by) == (
        case["backend"],
        case["balancer"],
        case["answered_by"],
    )


def test_names_beyond_the_limit_are_other() -> None:
    who = WhoAnswered(IdentitySettings())
    seen = {who.identify({"X-Backend": f"web{n}", "X-Balancer": "lb1"}).backend for n in range(NAMES_LIMIT + 50)}
    assert len(seen) == NAMES_LIMIT + 1
    assert OTHER in seen
    assert who.backends.overflowed
    assert not who.balancers.overflowed
    assert who.identify({"X-Backend": "web0"}).backend == "web0"


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (" web1  ", "web1"),
        ("we\x00b\x851\n", "web1"),
        ("\u2003web1\u2003", "\u2003web1\u2003"),
        ("x" * NAME_LIMIT + "y", "x" * NAME_LIMIT),
        ("x" * (NAME_LIMIT - 1) + " y", "x" * (NAME_LIMIT - 1)),
        ("x" * (NAME_LIMIT - 2) + " \u2003y", "x" * (NAME_LIMIT - 2) + " \u2003"),
        (" " * HEADER_LIMIT + "web1", ""),
        (" " * (HEADER_LIMIT - 1) + "web1", "w"),
        ("XwebX", "XwebX"),
        ("x" * (NAME_LIMIT - 1) + "X", "x" * (NAME_LIMIT - 1) + "X"),
    ],
)
def test_a_name_is_printable_short_and_without_blanks_around_it(raw: str, name: str) -> None:
    assert clean(raw) == name


@pytest.mark.parametrize(
    ("before", "value", "joined"),
    [
        ("", "a", "a"),
        ("a", "b", "a, b"),
        ("a", ["b", "c"], "a, b, c"),
        ("", "x" * HEADER_LIMIT + "web1", "x" * (HEADER_LIMIT - 4) + "web1"),
        ("a", "x" * HEADER_LIMIT, "x" * HEADER_LIMIT),
        ("", ["x" * HEADER_LIMIT, "web1"], "x" * (HEADER_LIMIT - 6) + ", web1"),
        ("", ["lost"] + ["y"] * NAMES_LIMIT, ", ".join(["y"] * NAMES_LIMIT)),
    ],
)
def test_of_a_header_and_its_repetitions_the_end_is_kept(before: str, value: Any, joined: str) -> None:
    assert join_header(before, value) == joined


@pytest.mark.parametrize(
    ("headers", "backend", "answered_by"),
    [
        ([("", "x"), ("X-Backend", "web1")], "web1", AnsweredBy.BACKEND),
        ([("X-Backend", "<web1"), ("X-Balancer", "lb1")], "<web1", AnsweredBy.BACKEND),
        ([("X-Backend", "web1>"), ("X-Balancer", "lb1")], "web1>", AnsweredBy.BACKEND),
        ([("X-Backend", "a:1"), ("X-Upstream-Time", "0.002, - \t")], "", AnsweredBy.BALANCER),
        ([("X-Backend", "a:1"), ("X-Upstream-Time", "- , 0.002")], "a:1", AnsweredBy.BACKEND),
        ([("X-Backend", "shop"), ("X-Upstream-Time", "0.002")], "", AnsweredBy.BALANCER),
        ([("X-Backend", "shop")], "shop", AnsweredBy.BACKEND),
        ([("X-Backend", "shop"), ("X-Upstream-Time", "0.002"), ("X-Upstream-Time", "")], "", AnsweredBy.BALANCER),
        ([("X-Backend", "a:1"), ("X-Upstream-Time", "-\x0b")], "a:1", AnsweredBy.BACKEND),
        ([("X-Backend", "a:1"), ("X-Upstream-Time", "-X")], "a:1", AnsweredBy.BACKEND),
    ],
)
def test_a_backend_is_named_where_one_answered(
    headers: list[tuple[str, Any]], backend: str, answered_by: AnsweredBy
) -> None:
    identity = WhoAnswered(IdentitySettings()).identify(headers)
    assert (identity.backend, identity.answered_by) == (backend, answered_by)


def test_a_session_is_compared_and_not_kept() -> None:
    assert hash_session("") == ""
    assert len(hash_session("s3cret")) == 16 and "s3cret" not in hash_session("s3cret")
    assert hash_session("\udc80") == hash_session("?")


anything = st.one_of(
    st.text(max_size=30),
    st.text(st.sampled_from("web1-:,<> \x00\r\n\x85\t."), max_size=30),
    st.lists(st.text(max_size=10), max_size=3),
    st.text(min_size=1, max_size=5).map(lambda text: text * 2000),
)
header_names = st.one_of(st.sampled_from(["X-Backend", "x-balancer", "X-UPSTREAM-TIME", "Server", ""]), st.text())


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(header_names, anything), max_size=6))
def test_whatever_stands_in_headers_the_result_is_short_and_printable(headers: list[tuple[str, Any]]) -> None:
    identity = WhoAnswered(IdentitySettings()).identify(headers)
    for name in (identity.backend, identity.balancer):
        assert len(name) <= NAME_LIMIT
        assert not any(unicodedata.category(character) == "Cc" for character in name)
    assert (identity.answered_by is AnsweredBy.BACKEND) == bool(identity.backend)
    assert identity.answered_by is not AnsweredBy.NONE
