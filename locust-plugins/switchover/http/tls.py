"""The client side of TLS on a non-blocking socket."""

import errno
import os
import select
import socket
import ssl

from switchover.model.errors import UsageError
from switchover.target.model import Endpoint


class TlsClient:
    """One TLS context for all connections. TLS sessions are not resumed, so each connection behaves like the
    connection of a new client."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._name = server_name(endpoint)
        self._context = tls_context(endpoint)

    def wrap(self, connected: socket.SocketType) -> ssl.SSLSocket:
        """Wrap a connected socket; the descriptor does not change. Raises OSError if the peer has closed."""
        sock = socket.socket(connected.family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK, fileno=connected.detach())
        return self._context.wrap_socket(
            sock, server_hostname=self._name, do_handshake_on_connect=False, suppress_ragged_eofs=True
        )


def server_name(endpoint: Endpoint) -> str:
    return endpoint.sni or endpoint.host


def tls_context(endpoint: Endpoint, protocol: str = "http/1.1") -> ssl.SSLContext:
    """Return a context that trusts the endpoint's CA certificates and offers `protocol` (ALPN)."""
    try:
        context = ssl.create_default_context(cafile=str(endpoint.ca) if endpoint.ca else None)
    except OSError as error:
        raise UsageError(
            f"cannot read CA certificates in {endpoint.ca}: {error.strerror or error}: give a PEM file as 'ca'"
        ) from error
    if endpoint.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    return context


def shake(secured: ssl.SSLSocket) -> int:
    """Continue the handshake. Returns 0 if the handshake is complete, otherwise the epoll event to wait for. Raises
    OSError if the handshake failed."""
    try:
        secured.do_handshake()
    except ssl.SSLWantReadError:
        return select.EPOLLIN
    except ssl.SSLWantWriteError:
        return select.EPOLLOUT
    except OSError as error:
        if error.errno == errno.ENOTCONN:
            # The peer's RST arrived between the connect and `wrap`.
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)) from error
        raise
    return 0
