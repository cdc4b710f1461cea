"""Why a request failed, by its code and message."""

import pytest

from support.request_tables import kind_of_failure

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


@pytest.mark.parametrize(("code", "message", "kind"), CASES)
def test_code_and_message_tell_why_a_request_failed(code: str, message: str, kind: str) -> None:
    assert kind_of_failure(code, message) == kind
