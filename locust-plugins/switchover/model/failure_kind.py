"""The kinds of failures: the values in the column `error` of the sample log, for all load generators."""

import errno
import ssl
from enum import StrEnum


class FailureKind(StrEnum):
    REFUSED = "refused"
    RESET = "reset"
    UNREACHABLE = "unreachable"
    DNS = "dns"
    CONNECT_TIMEOUT = "connect_timeout"
    READ_TIMEOUT = "read_timeout"
    TLS = "tls"
    TRUNCATED = "truncated"
    PROTOCOL = "protocol"
    STATUS = "status"
    ASSERTION = "assertion"
    GENERATOR = "generator"


REQUEST_WAS_SENT = frozenset(
    {
        FailureKind.RESET,
        FailureKind.READ_TIMEOUT,
        FailureKind.TRUNCATED,
        FailureKind.PROTOCOL,
        FailureKind.STATUS,
        FailureKind.ASSERTION,
    }
)
"""The kinds of failures after which a balancer may have counted the request."""

_BY_ERRNO = {
    errno.ECONNREFUSED: FailureKind.REFUSED,
    errno.ECONNRESET: FailureKind.RESET,
    errno.ECONNABORTED: FailureKind.RESET,
    errno.EPIPE: FailureKind.RESET,
    errno.EHOSTUNREACH: FailureKind.UNREACHABLE,
    errno.ENETUNREACH: FailureKind.UNREACHABLE,
    errno.EHOSTDOWN: FailureKind.UNREACHABLE,
    errno.ENETDOWN: FailureKind.UNREACHABLE,
    # Limits of the client machine (no free port, no descriptor, no buffer). The balancer is not the cause.
    errno.EADDRNOTAVAIL: FailureKind.GENERATOR,
    errno.EADDRINUSE: FailureKind.GENERATOR,
    errno.EMFILE: FailureKind.GENERATOR,
    errno.ENFILE: FailureKind.GENERATOR,
    errno.ENOBUFS: FailureKind.GENERATOR,
    errno.ENOMEM: FailureKind.GENERATOR,
}


def kind_of_errno(number: int, *, connecting: bool) -> FailureKind:
    """Return the kind of a socket error. ETIMEDOUT is a connect timeout while connecting, otherwise a read
    timeout."""
    if number == errno.ETIMEDOUT:
        return FailureKind.CONNECT_TIMEOUT if connecting else FailureKind.READ_TIMEOUT
    return _BY_ERRNO.get(number, FailureKind.UNREACHABLE if connecting else FailureKind.RESET)


def kind_of_os_error(error: OSError, *, connecting: bool) -> FailureKind:
    if isinstance(error, ssl.SSLError):
        return FailureKind.TLS
    return kind_of_errno(error.errno or 0, connecting=connecting)
