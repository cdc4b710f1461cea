"""From the exceptions of Python's HTTP clients to the kinds of the sample log."""

import errno
import http.client
import json
import socket
import ssl
import subprocess
import sys
import zlib
from typing import Any

import pytest
import requests
import urllib3
import urllib3.exceptions as u3
from urllib3.connection import HTTPConnection

from switchover.locust.recording import failures
from switchover.locust.recording.failures import kind_of
from switchover.locust.recording.request_facts import RequestFacts
from switchover.model.failure_kind import FailureKind

CONNECTION = HTTPConnection("192.0.2.1")
ANSWER = urllib3.HTTPResponse(b"")
POOL = urllib3.HTTPConnectionPool("192.0.2.1")


def foreign(name: str, *bases: type, **attributes: Any) -> Any:
    """An exception of a package that is not imported here, because it would patch this process."""
    module, _, simple = name.rpartition(".")
    return type(simple, bases or (Exception,), {"__module__": module, "__qualname__": simple, **attributes})


PARSE_ERROR = foreign("_parser.HTTPParseError", http.client.HTTPException)
CLOSED = foreign("geventhttpclient.response.HTTPConnectionClosed", PARSE_ERROR)
FAST_ERROR = foreign("geventhttpclient.useragent.ConnectionError")
RETRIES = foreign("geventhttpclient.useragent.RetriesExceeded", FAST_ERROR)
CAUGHT = foreign("locust.exception.CatchResponseError")


def carrying(error: BaseException, inner: BaseException, by: str = "__context__") -> BaseException:
    setattr(error, by, inner)
    return error


def os_error(number: int) -> OSError:
    return OSError(number, "as the system says")


def new_connection(inner: OSError) -> BaseException:
    """As urllib3 wraps it, and requests after it."""
    wrapped = carrying(u3.NewConnectionError(CONNECTION, "no connection"), inner, "__cause__")
    assert isinstance(wrapped, Exception)
    return requests.ConnectionError(u3.MaxRetryError(POOL, "/", wrapped))


def aborted(inner: Exception) -> BaseException:
    return requests.ConnectionError(u3.ProtocolError("Connection aborted.", inner))


def broken(inner: Exception) -> BaseException:
    return requests.exceptions.ChunkedEncodingError(u3.ProtocolError("Connection broken", inner))


CASES: list[tuple[str, BaseException, str]] = [
    ("refused", os_error(errno.ECONNREFUSED), "refused"),
    ("refused, wrapped", new_connection(os_error(errno.ECONNREFUSED)), "refused"),
    ("unreachable, wrapped", new_connection(os_error(errno.EHOSTUNREACH)), "unreachable"),
    ("no route", new_connection(os_error(errno.ENETUNREACH)), "unreachable"),
    ("no port left", new_connection(os_error(errno.EADDRNOTAVAIL)), "generator"),
    ("no descriptor left", new_connection(os_error(errno.EMFILE)), "generator"),
    ("the kernel's own time-out", new_connection(os_error(errno.ETIMEDOUT)), "connect_timeout"),
    ("no name", new_connection(socket.gaierror(-2, "unknown")), "dns"),
    ("no name, bare", socket.gaierror(-2, "unknown"), "dns"),
    ("connect", requests.ConnectTimeout(u3.ConnectTimeoutError(CONNECTION, "late")), "connect_timeout"),
    ("connect, as Locust unwraps it", u3.ConnectTimeoutError(CONNECTION, "late"), "connect_timeout"),
    ("read", requests.ReadTimeout(u3.ReadTimeoutError(POOL, "/", "late")), "read_timeout"),
    ("read of the body", requests.ConnectionError(u3.ReadTimeoutError(POOL, "/", "late")), "read_timeout"),
    ("read, bare", TimeoutError("timed out"), "read_timeout"),
    ("read, twice wrapped", RETRIES("u", 0), "protocol"),
    ("reset", aborted(os_error(errno.ECONNRESET)), "reset"),
    ("broken pipe", aborted(os_error(errno.EPIPE)), "reset"),
    ("reset in the body", broken(os_error(errno.ECONNRESET)), "reset"),
    ("no byte", aborted(http.client.RemoteDisconnected("no response")), "truncated"),
    ("half a body", broken(u3.IncompleteRead(3, 2)), "truncated"),
    ("no more chunks", broken(u3.InvalidChunkLength(ANSWER, b"")), "truncated"),
    ("no more chunks, newer", requests.exceptions.ChunkedEncodingError(u3.ProtocolError("ended")), "truncated"),
    ("a chunk without size", broken(u3.InvalidChunkLength(ANSWER, b"zz")), "protocol"),
    ("another protocol", aborted(http.client.BadStatusLine("SSH-2.0\r\n")), "protocol"),
    ("a long line", aborted(http.client.LineTooLong("header line")), "protocol"),
    ("no gzip", requests.exceptions.ContentDecodingError(u3.DecodeError("bad", zlib.error())), "protocol"),
    ("a bad certificate", requests.exceptions.SSLError(u3.SSLError(ssl.SSLCertVerificationError(1, "no"))), "tls"),
    ("no handshake", ssl.SSLError(1, "wrong version"), "tls"),
    ("end in the handshake", ssl.SSLEOFError(8, "EOF"), "tls"),
    ("redirects without end", requests.TooManyRedirects("30"), "protocol"),
    ("a status", requests.HTTPError("503"), "status"),
    ("a status after retries", requests.exceptions.RetryError(u3.MaxRetryError(POOL, "/")), "status"),
    (
        "a proxy's refusal",
        requests.exceptions.ProxyError(u3.ProxyError("no", os_error(errno.ECONNREFUSED))),
        "refused",
    ),
    ("no connection to be had", u3.EmptyPoolError(POOL, "full"), "generator"),
    ("parsed to the end", PARSE_ERROR("Invalid EOF state", 14), "truncated"),
    ("ended between", PARSE_ERROR("connection closed before end of the headers"), "truncated"),
    ("parsed nothing", PARSE_ERROR("Expected HTTP/", 8), "protocol"),
    ("closed by FIN", CLOSED("connection closed."), "truncated"),
    ("closed by RST", carrying(CLOSED("connection closed."), os_error(errno.ECONNRESET)), "reset"),
    ("a fast status", foreign("locust.contrib.fasthttp.LocustBadStatusCode", FAST_ERROR)("u"), "status"),
    ("gevent's time-out", foreign("gevent.timeout.Timeout", BaseException)(), "read_timeout"),
    ("the test says so", CAUGHT("wrong page"), "assertion"),
    ("an assertion", AssertionError("wrong page"), "assertion"),
    ("no JSON", requests.JSONDecodeError("no", "x", 0), "assertion"),
    ("anything else", LookupError("?"), "assertion"),
    ("a client of one's own", carrying(LookupError("?"), os_error(errno.ECONNREFUSED), "__cause__"), "refused"),
]


@pytest.mark.parametrize(("error", "kind"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_kind_is_that_of_what_went_wrong_inside(error: BaseException, kind: str) -> None:
    assert kind_of(error) == kind


def test_the_phase_comes_from_the_facts_of_the_response() -> None:
    class Response:
        switchover_facts = RequestFacts(1, 2, attempts=0)

    assert kind_of(TimeoutError(), Response()) is FailureKind.CONNECT_TIMEOUT
    Response.switchover_facts = RequestFacts(1, 2)
    assert kind_of(TimeoutError(), Response()) is FailureKind.READ_TIMEOUT


def test_every_type_in_the_tables_exists() -> None:
    """In a process of its own, because importing Locust patches it."""
    names = sorted({*failures._KINDS, *failures._WRAPPERS, *failures._CONNECTING})
    script = f"""
import locust, importlib, json
for name in json.loads({json.dumps(json.dumps(names))}):
    module, _, simple = name.rpartition(".")
    module = "geventhttpclient._parser" if module == "_parser" else module
    found = getattr(importlib.import_module(module), simple)
    assert issubclass(found, BaseException), name
    assert f"{{found.__module__}}.{{found.__qualname__}}" == name, name
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_nothing_of_a_client_is_imported_for_it() -> None:
    script = "import sys; import switchover.locust.recording.failures; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"requests", "urllib3", "gevent", "geventhttpclient", "locust"} & set(loaded)
