"""Asking a server on loopback."""

import http.client

PATIENCE_S = 30.0
"""More than an answer takes on a busy machine."""


def get_status(port: int, path: str = "/") -> int:
    """The status of the answer, by a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()
