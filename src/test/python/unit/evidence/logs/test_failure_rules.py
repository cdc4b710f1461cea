"""Why a request failed, by its code and message: in SQL as in Python."""

import duckdb
import pytest

from switchover.evidence.logs.failure_rules import TYPES, WORDS, failure_sql, kind_of_failure

THROWN = "Non HTTP response code: "
CASES = [
    ("400", "", "status"),
    ("599", "Connection refused", "status"),
    ("399", "", "assertion"),
    ("200", "Connection reset", "assertion"),
    ("600", "", ""),
    ("", "", ""),
    ("", "Test failed: text expected to contain /ok/", ""),
    ("", "dial tcp 10.0.0.1:80: connect: Connection Refused", "refused"),
    ("ConnectionRefusedError", "", "refused"),
    ("", "dial tcp 10.0.0.1:80: connect: can't assign requested address", "generator"),
    ("", "dial tcp: lookup vip: no such host", "dns"),
    ("", "dial tcp 10.0.0.1:80: i/o timeout", "read_timeout"),
    ("", "dial: i/o timeout", "connect_timeout"),
    ("", "read tcp 10.0.0.9:5->10.0.0.1:80: i/o timeout", "read_timeout"),
    ("", "Get http://vip/: unexpected EOF", "truncated"),
    ("", "x509: certificate has expired", "tls"),
    (f"{THROWN}org.apache.http.conn.HttpHostConnectException", "Connect failed: Connection refused", "refused"),
    (f"{THROWN}org.apache.http.conn.HttpHostConnectException", "Connect failed: Timed out", "connect_timeout"),
    (f"{THROWN}org.apache.http.conn.HttpHostConnectException", "Connect to vip failed", "unreachable"),
    (f"{THROWN}java.net.SocketException", "Operation Timed Out", "read_timeout"),
    (f"{THROWN}java.net.SocketException", "Timed Out", "read_timeout"),
    (f"{THROWN}java.net.SocketException", "", "reset"),
    (f"{THROWN}java.lang.Outer$EOFException", "", "truncated"),
    (f"{THROWN}EOFException", "", "truncated"),
    (f"{THROWN}java.lang.Odd", "", "protocol"),
    (THROWN, "", ""),
    (f"a sampler said: {THROWN}java.net.SocketException", "", ""),
]  # fmt: skip


def kinds_by_sql(*failed: tuple[str, str]) -> list[str]:
    """Of codes and messages."""
    with duckdb.connect() as database:
        database.execute("CREATE TABLE given (place BIGINT, code VARCHAR, message VARCHAR)")
        database.executemany("INSERT INTO given VALUES (?, ?, ?)", [(at, *one) for at, one in enumerate(failed)])
        sql = failure_sql("code", "message")
        return [str(kind) for (kind,) in database.execute(f"SELECT {sql} FROM given ORDER BY place").fetchall()]


@pytest.mark.parametrize(("code", "message", "kind"), CASES)
def test_code_and_message_tell_why_a_request_failed(code: str, message: str, kind: str) -> None:
    assert str(kind_of_failure(code, message) or "") == kind


def test_sql_tells_the_same() -> None:
    words = [("", word.upper()) for _, group in WORDS for word in group]
    types = [(THROWN + name, message) for _, group, _ in TYPES for name in group for message in ("", "Timed out")]
    failed = [*words, *types, *((code, message) for code, message, _ in CASES)]
    assert kinds_by_sql(*failed) == [str(kind_of_failure(*one) or "") for one in failed]
