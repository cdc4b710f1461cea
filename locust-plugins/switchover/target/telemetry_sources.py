"""The kinds of telemetry sources in a target file."""

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from switchover.model.redaction import public_command, public_text, public_url
from switchover.target.toml_table import TomlTable

_NOT_IN_A_URL = re.compile(r"[\x00-\x20\x7f]")
_SERVER = re.compile(r"(?:[^\[\]]*@)?(?:\[(?P<six>[^\[\]@]*)\]|[^:\[\]@]*)(?::[^\[\]@]*)?")
"""Matches the authority of a URL (RFC 3986, section 3.2). Only IPv6 addresses may have brackets."""


@dataclass(frozen=True, slots=True)
class UnixSocket:
    """A Unix socket, such as `unix:/run/haproxy/admin.sock`."""

    path: str
    example = '"unix:/run/haproxy/admin.sock"'

    def __str__(self) -> str:
        return f"unix:{self.path}"


@dataclass(frozen=True, slots=True)
class TcpSocket:
    """A TCP address, such as `tcp://lb1:9999`."""

    host: str
    port: int
    example = '"tcp://lb1:9999"'

    def __str__(self) -> str:
        return f"tcp://{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class HttpPage:
    """A page, such as `http://lb1:8404/stats;csv`. Its user, password and query values are never printed."""

    url: str
    example = '"http://lb1:8404/stats"'

    def __str__(self) -> str:
        return public_url(self.url)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Command:
    """A command that runs without a shell. Its output is the telemetry. Its arguments are never printed."""

    arguments: tuple[str, ...]
    variables: tuple[str, ...] = ()
    """The names of environment variables that the command gets in addition to the default variables."""
    example = '["ssh", "lb1", …]'

    def __str__(self) -> str:
        return public_command(self.arguments)

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Fifo:
    """Keepalived's `vrrp_notify_fifo`, such as `fifo:/path`."""

    path: str
    example = '"fifo:/run/keepalived/notify.fifo"'

    def __str__(self) -> str:
        return f"fifo:{self.path}"


@dataclass(frozen=True, slots=True)
class LogFile:
    """The path of a file on this machine."""

    path: str
    example = '"/var/log/nginx/access.log"'

    def __str__(self) -> str:
        return self.path


Source = UnixSocket | TcpSocket | HttpPage | Command
AnySource = Source | Fifo | LogFile


def read_source(table: TomlTable, key: str, *kinds: type[AnySource]) -> Any:
    """Read the source at `key`. The source must have one of the types `kinds`. None: the key is missing."""
    value = table.any(key)
    if value is None:
        return None
    source = _parse(table, key, value)
    if isinstance(source, kinds):
        return source
    examples = " or ".join(kind.example for kind in kinds)
    found_text = repr(public_text(value)) if isinstance(value, str) else f"a {type(value).__name__}"
    raise table.error(key, f"must be {examples}, not {found_text}")


def _parse(table: TomlTable, key: str, value: Any) -> AnySource | None:
    if isinstance(value, list):
        arguments = table.arguments(key)
        return Command(arguments, table.variables) if arguments else None
    if not isinstance(value, str):
        return None
    if value.startswith("unix:"):
        return UnixSocket(table.locate(value[5:]))
    if value.startswith("fifo:"):
        return Fifo(table.locate(value[5:]))
    if value.startswith("tcp://"):
        parts = split_url(value)
        with suppress(ValueError):
            if parts is not None and parts.hostname and parts.port:
                return TcpSocket(parts.hostname, parts.port)
        return None
    if value.startswith(("http://", "https://")):
        page = split_url(value)
        return HttpPage(value) if page is not None and page.hostname else None
    return LogFile(table.locate(value)) if "/" in value else None


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
