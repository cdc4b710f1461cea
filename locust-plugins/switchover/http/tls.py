"""The client side of TLS on a non-blocking socket."""

import errno
import os
import select
import socket
import ssl
from pathlib import Path

from switchover.model.errors import UsageError
from switchover.target.model import Endpoint


def server_name(endpoint: Endpoint) -> str:
    return endpoint.sni or endpoint.host


def tls_context(ca: str | Path | None, insecure: bool, protocol: str = "http/1.1") -> ssl.SSLContext:
    """Return a context that trusts the CA certificates of the PEM file `ca`, and offers `protocol` (ALPN).

    TLS sessions are not resumed, so each connection behaves like the connection of a new client.
    """
    try:
        context = ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise UsageError(
            f"cannot read CA certificates in {ca}: {error.strerror or error}: give a PEM file as 'ca'"
        ) from error
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    return context


def wrap(connected: socket.SocketType, context: ssl.SSLContext, name: str) -> ssl.SSLSocket:
    """Wrap a connected socket in TLS; the file descriptor does not change. Raises OSError if the peer has closed the
    connection."""
    sock = socket.socket(connected.family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK, fileno=connected.detach())
    return context.wrap_socket(sock, server_hostname=name, do_handshake_on_connect=False, suppress_ragged_eofs=True)


def shake(secured: ssl.SSLSocket) -> int:
    """Continue the handshake. Returns 0 if the handshake is complete, otherwise the epoll event to wait for. Raises
    OSError."""
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
