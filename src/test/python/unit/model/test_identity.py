"""Who answered: the vectors, and what holds for whatever stands in a header."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.contract import named
from switchover.model.identity import (
    CACHE_LIMIT,
    NAME_LIMIT,
    NAMES_LIMIT,
    OTHER,
    AnsweredBy,
    IdentitySettings,
    Names,
    WhoAnswered,
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


def test_headers_may_be_a_mapping() -> None:
    identity = WhoAnswered(IdentitySettings()).identify({"x-backend": "web1", "X-Balancer": "lb1"})
    assert (identity.backend, identity.balancer) == ("web1", "lb1")


def test_same_answer_is_the_same_object() -> None:
    who = WhoAnswered(IdentitySettings())
    first = who.identify({"X-Backend": "a:1", "X-Upstream-Time": "0.001"})
    assert who.identify({"X-Backend": "a:1", "X-Upstream-Time": "0.002"}) is first


def test_names_beyond_the_limit_are_other() -> None:
    who = WhoAnswered(IdentitySettings())
    seen = {who.identify({"X-Backend": f"web{n}", "X-Balancer": "lb1"}).backend for n in range(NAMES_LIMIT + 50)}
    assert len(seen) == NAMES_LIMIT + 1
    assert OTHER in seen
    assert who.backends.overflowed
    assert not who.balancers.overflowed
    assert who.identify({"X-Backend": "web0"}).backend == "web0"


def test_names_stay_what_they_were_when_the_cache_is_full() -> None:
    who = WhoAnswered(IdentitySettings())
    for number in range(2 * CACHE_LIMIT):
        who.identify({"X-Backend": f"gone{number}, web{number % 7}"})
    assert {who.identify({"X-Backend": f"web{n}"}).backend for n in range(7)} == {f"web{n}" for n in range(7)}
    assert not who.backends.overflowed


def test_empty_name_takes_no_place() -> None:
    names = Names()
    assert names.admit(" \n") == ""
    assert [names.admit(str(n)) for n in range(NAMES_LIMIT)] == [str(n) for n in range(NAMES_LIMIT)]
    assert not names.overflowed
    assert names.admit("one more") == OTHER
    assert names.overflowed


anything = st.one_of(
    st.text(max_size=30),
    st.text(st.sampled_from("web1-:,<> \x00\r\n\x85\t."), max_size=30),
    st.lists(st.text(max_size=10), max_size=3),
    st.text(min_size=1, max_size=5).map(lambda text: text * 2000),
)
header_names = st.one_of(st.sampled_from(["X-Backend", "x-balancer", "X-UPSTREAM-TIME", "Server", ""]), st.text())


@settings(max_examples=200)
@given(st.lists(st.tuples(header_names, anything), max_size=6))
def test_whatever_stands_in_headers_the_result_is_short_and_printable(headers: list[tuple[str, Any]]) -> None:
    identity = WhoAnswered(IdentitySettings()).identify(headers)
    for name in (identity.backend, identity.balancer):
        assert len(name) <= NAME_LIMIT
        assert not any(unicodedata.category(character) == "Cc" for character in name)
    assert (identity.answered_by is AnsweredBy.BACKEND) == bool(identity.backend)
    assert identity.answered_by is not AnsweredBy.NONE
