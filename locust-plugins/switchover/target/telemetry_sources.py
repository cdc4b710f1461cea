"""The kinds of telemetry sources in a target file."""

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import ClassVar
from urllib.parse import SplitResult, urlsplit

from switchover.model.redaction import public_command, public_url

SCHEMES = ("unix", "fifo", "tcp", "http", "https")
_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f]")
_SERVER = re.compile(r"(?:[^\[\]]*@)?(?:\[(?P<six>[^\[\]@]*)\]|[^:\[\]@]*)(?::[^\[\]@]*)?")
"""Matches the authority of a URL (RFC 3986, section 3.2). Only IPv6 addresses may have brackets."""


@dataclass(frozen=True, slots=True)
class LogFile:
    """The path of a file on this machine."""

    path: str
    prefix: ClassVar[str] = ""

    def __str__(self) -> str:
        return self.prefix + self.path


class UnixSocket(LogFile):
    """A Unix socket, such as `unix:/run/haproxy/admin.sock`."""

    prefix = "unix:"


class Fifo(LogFile):
    """Keepalived's `vrrp_notify_fifo`, such as `fifo:/path`."""

    prefix = "fifo:"


@dataclass(frozen=True, slots=True)
class TcpSocket:
    """A TCP address, such as `tcp://lb1:9999`."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"tcp://{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class HttpPage:
    """An HTTP page, such as `http://lb1:8404/stats;csv`. Its user, password and query values are never printed."""

    url: str

    def __str__(self) -> str:
        return public_url(self.url)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Command:
    """A command that runs without a shell. Its output is the telemetry. Its arguments are never printed."""

    arguments: tuple[str, ...]
    variables: tuple[str, ...] = ()
    """The names of environment variables that the command gets in addition to the default variables."""

    def __str__(self) -> str:
        return public_command(self.arguments)

    __repr__ = __str__


Source = UnixSocket | TcpSocket | HttpPage | Command


def parse_source(text: str) -> UnixSocket | TcpSocket | HttpPage | Fifo | None:
    """Return the source. None: the text names no source, or an address without a host or port."""
    scheme, _, rest = text.partition(":")
    parts = split_url(text) if rest.startswith("//") else None
    if scheme in ("unix", "fifo"):
        return UnixSocket(rest) if scheme == "unix" else Fifo(rest)
    if parts is None or not parts.hostname:
        return None
    with suppress(ValueError):
        if scheme == "tcp" and parts.port:
            return TcpSocket(parts.hostname, parts.port)
    return HttpPage(text) if scheme in ("http", "https") else None


def split_url(url: str) -> SplitResult | None:
    """Split a URL. None: the host is invalid, or the URL contains a blank or a control character."""
    try:
        parts = urlsplit(url)
        server = _SERVER.fullmatch(parts.netloc)
        if _NOT_IN_A_URL.search(url) or server is None:
            return None
        if server["six"] is not None:
            IPv6Address(server["six"])
    except ValueError:
        return None
    return parts
