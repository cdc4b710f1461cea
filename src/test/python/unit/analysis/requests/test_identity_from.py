"""Who answered, found by a regular expression in another column: what it finds, and what is refused."""

import pytest

from switchover.analysis.requests.identity_from import IdentityFrom, parse_identity_from
from switchover.analysis.requests.store import Store
from switchover.model.errors import RunDirectoryError, UsageError

PLACES = {"timeStamp": "c0", "responseCode": "c1", "server": "c2"}
BOTH = "server:(?P<balancer>[^@']*)@?(?P<backend>.*)"


def found(text: str, server: str | None, code: str | None = "200", places: dict[str, str] = PLACES) -> object:
    fields = parse_identity_from(text).sql(places)
    assert list(fields) == ["backend", "balancer", "answered_by"]
    (one,) = Store().rows(f"SELECT {', '.join(fields.values())} FROM (SELECT ? AS c1, ? AS c2)", [code, server])
    return one


def test_a_column_may_have_a_colon_behind_it_and_more_in_its_expression() -> None:
    expected = IdentityFrom("URL", "^https?://([^/:]+)", {"backend": 1})
    assert parse_identity_from("URL:^https?://([^/:]+)") == expected
    assert parse_identity_from(BOTH).groups == {"balancer": 1, "backend": 2}


@pytest.mark.parametrize(
    ("text", "server", "who"),
    [
        ("server:(.+)-(.+)", "web1-lb1", ("web1", "", "backend")),
        ("server:(.+)", None, ("", "", "unknown")),
        (BOTH, "lb1@web1", ("web1", "lb1", "backend")),
        (BOTH, "lb1", ("", "lb1", "balancer")),
        (BOTH, "", ("", "", "unknown")),
        ("server:(?P<balancer>.+)'s", "lb1's", ("", "lb1", "balancer")),
    ],
)
def test_the_groups_are_who_answered(text: str, server: str, who: tuple[str, str, str]) -> None:
    assert found(text, server) == who


@pytest.mark.parametrize("code", ["Non HTTP response code: java.net.SocketException", "", None, "2000"])
def test_without_a_status_nobody_answered(code: str) -> None:
    assert found("server:(.+)", "web1", code) == ("", "", "none")


def test_in_a_log_without_statuses_each_was_answered() -> None:
    assert found("server:(.+)", "web1", places={"server": "c2"}) == ("web1", "", "backend")


def test_a_column_that_is_not_there_is_named_beside_those_that_are() -> None:
    with pytest.raises(RunDirectoryError) as raised:
        parse_identity_from("host:(.)").sql(dict(reversed(PLACES.items())))
    expected = "--backend-from names 'host', but the log has timeStamp, responseCode, server"
    assert str(raised.value) == expected


HOW = ": write COLUMN:REGEX, such as 'URL:^https?://([^/:]+)' or 'server:(?P<backend>.+)'"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *[(text, repr(text) + HOW) for text in ("", "x", ":(a)", "URL:")],
        ("URL:(", "'(' is no regular expression: missing ), unterminated subpattern at position 0"),
        ("URL:a", "'a' has no group: put the backend's name in parentheses"),
        (
            "URL:(?P<path>a)(?P<host>b)(?P<backend>c)",
            "'(?P<path>a)(?P<host>b)(?P<backend>c)': groups are named backend or balancer, not host",
        ),
        ("URL:(?=a)(b)", "'(?=a)(b)' cannot be used: Invalid Input Error: invalid perl operator: (?="),
    ],
)
def test_what_finds_nothing_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_identity_from(text)
    assert str(raised.value) == f"--backend-from {why}"
