"""Why a request of a foreign log failed, from its response code and message, in Python and in SQL.

The rules and their order are those of `core/ResultFailure.java`: what the operating system said outranks the class of
an exception. Messages of Go, Python and Rust clients are among them.

JMeter writes the same row for a request that its Sample Timeout cut and for a request that was open when its test was
stopped. No log tells them apart, so both failed: no failure is hidden.
"""

import re

from switchover.model.failure_kind import FailureKind

K = FailureKind

WORDS: tuple[tuple[FailureKind, tuple[str, ...]], ...] = (
    (K.GENERATOR, ("cannot assign requested address", "can't assign requested address", "address already in use")),
    (K.GENERATOR, ("too many open files", "no buffer space", "cannot allocate memory")),
    (K.GENERATOR, ("unable to create", "connection pool shut down", "protocol is not supported")),
    (K.READ_TIMEOUT, ("socket closed", "socket is closed", "closed by interrupt", "connection has been shut down")),
    (K.REFUSED, ("connection refused", "connectionrefused", "actively refused")),
    (K.UNREACHABLE, ("no route to host", "network is unreachable", "host is down")),
    (K.RESET, ("connection reset", "broken pipe", "software caused connection abort", "connectionreset")),
    (K.DNS, ("no such host", "name or service not known", "name resolution", "unknownhost")),
    (K.CONNECT_TIMEOUT, ("connect timed out", "connect: connection timed out", "connecttimeout")),
    (K.CONNECT_TIMEOUT, ("dial: i/o timeout", "dial tcp: i/o timeout")),
    (K.READ_TIMEOUT, ("read timed out", "request timeout", "context deadline exceeded", "client.timeout exceeded")),
    (K.READ_TIMEOUT, ("readtimeout", "i/o timeout", "operation timed out", "operation was timed out")),
    (K.TRUNCATED, ("unexpected end of file", "premature e", "unexpected eof", "server closed idle connection")),
    (K.TRUNCATED, ("remotedisconnected", "remote end closed", "httpconnectionclosed", "connection closed before")),
    (K.PROTOCOL, ("invalid http response", "bogus chunk", "bad chunk", "malformed http")),
    (K.TLS, ("x509:", "tls:", "certificate verify failed")),
)
"""In small letters, anywhere in code and message."""

TYPES: tuple[tuple[FailureKind, tuple[str, ...], str], ...] = (
    (K.GENERATOR, ("ConnectionPoolTimeoutException", "BindException"), ""),
    (K.GENERATOR, ("MalformedURLException", "URISyntaxException", "OutOfMemoryError"), ""),
    (K.READ_TIMEOUT, ("RequestAbortedException", "InterruptedException", "ClosedByInterruptException"), ""),
    (K.GENERATOR, ("IllegalArgumentException", "IllegalStateException"), ""),
    (K.DNS, ("UnknownHostException", "UnresolvedAddressException"), ""),
    (K.CONNECT_TIMEOUT, ("ConnectTimeoutException", "HttpConnectTimeoutException"), ""),
    (K.CONNECT_TIMEOUT, ("HttpHostConnectException", "ConnectException"), "timed out"),
    (K.READ_TIMEOUT, ("SocketTimeoutException", "HttpTimeoutException"), ""),
    (K.READ_TIMEOUT, ("SocketException",), "timed out"),
    (K.UNREACHABLE, ("HttpHostConnectException", "ConnectException"), ""),
    (K.UNREACHABLE, ("NoRouteToHostException", "PortUnreachableException"), ""),
    (K.TLS, ("SSLException", "SSLHandshakeException", "SSLPeerUnverifiedException"), ""),
    (K.TLS, ("SSLProtocolException", "SSLKeyException", "CertificateException"), ""),
    (K.TRUNCATED, ("NoHttpResponseException", "ConnectionClosedException", "EOFException"), ""),
    (K.TRUNCATED, ("TruncatedChunkException", "ZipException"), ""),
    (K.PROTOCOL, ("ClientProtocolException", "ProtocolException", "MalformedChunkCodingException"), ""),
    (K.PROTOCOL, ("RedirectException", "CircularRedirectException", "ParseException"), ""),
    (K.RESET, ("SocketException", "ClosedChannelException", "IOException"), ""),
)
"""The class of an exception in the response code, and a word that its message must have."""

_THROWN = "^Non HTTP response code: (?:[\\w.$]*[.$])?(\\w+)"
_STATUS = "[1-5][0-9]{2}"


def kind_of_failure(code: str, message: str) -> FailureKind | None:
    """Of a failed request; None where code and message say nothing."""
    if re.fullmatch(_STATUS, code):
        return K.STATUS if int(code) >= 400 else K.ASSERTION
    text = f"{code} {message}".lower()
    for kind, words in WORDS:
        if any(word in text for word in words):
            return kind
    thrown = re.match(_THROWN, code)
    if thrown is None:
        return None
    for kind, types, word in TYPES:
        if thrown[1] in types and word in text:
            return kind
    return K.PROTOCOL


def failure_sql(code: str, message: str) -> str:
    """The same as SQL; an empty text where code and message say nothing. `code`, `message`: texts, never NULL."""
    text = f"lower({code} || ' ' || {message})"
    thrown = f"regexp_extract({code}, '{_THROWN}', 1)"
    whens = [
        f"WHEN regexp_full_match({code}, '{_STATUS}') THEN "
        f"CASE WHEN {code} >= '400' THEN '{K.STATUS}' ELSE '{K.ASSERTION}' END"
    ]
    for kind, words in WORDS:
        held = " OR ".join(f"contains({text}, '{word.replace(chr(39), chr(39) * 2)}')" for word in words)
        whens.append(f"WHEN {held} THEN '{kind}'")
    for kind, types, word in TYPES:
        named = " OR ".join(f"{thrown} = '{name}'" for name in types)
        whens.append(f"WHEN ({named}) AND contains({text}, '{word}') THEN '{kind}'")
    whens.append(f"WHEN {thrown} <> '' THEN '{K.PROTOCOL}'")
    return f"CASE {' '.join(whens)} ELSE '' END"
