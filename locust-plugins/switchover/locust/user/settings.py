"""The attributes of a `BalancerHttpUser` class, checked."""

import ipaddress
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.locust.user.origin import parse_url
from switchover.locust.user.request_bytes import header_line
from switchover.model.errors import UsageError
from switchover.model.redaction import public_text

CONNECTIONS = ("kept", "fresh")


@dataclass(frozen=True, slots=True)
class Timeouts:
    connect_ns: int
    """The time from the start to a usable connection: name look-up and the handshakes of TCP and TLS."""
    read_ns: int


@dataclass(frozen=True, slots=True)
class ClientSettings:
    keep: bool
    timeouts: Timeouts
    max_redirects: int
    insecure: bool
    ca: str | None
    source_addresses: tuple[str, ...]
    headers: tuple[tuple[str, str], ...]
    max_kept_body: int


def settings_of(user_class: type[Any], host: str) -> ClientSettings:
    name = user_class.__name__
    try:
        parse_url(host)
    except ValueError as error:
        raise UsageError(
            f"{name}.host is {public_text(host)!r}: write http://host:port or https://… ({error})"
        ) from error
    connection = user_class.connection
    if connection not in CONNECTIONS:
        raise UsageError(f"{name}.connection is {connection!r}: write 'kept' or 'fresh'")
    ca = user_class.ca
    if ca is not None and not Path(ca).is_file():
        raise UsageError(f"{name}.ca: there is no file {str(ca)!r}: give a PEM file with CA certificates")
    return ClientSettings(
        keep=connection == "kept",
        timeouts=Timeouts(
            nanoseconds(user_class.timeout_connect, f"{name}.timeout_connect"),
            nanoseconds(user_class.timeout_read, f"{name}.timeout_read"),
        ),
        max_redirects=_count(user_class.max_redirects, f"{name}.max_redirects"),
        insecure=bool(user_class.insecure),
        ca=None if ca is None else str(ca),
        source_addresses=_addresses(user_class.source_addresses, f"{name}.source_addresses"),
        headers=_headers(user_class.default_headers, f"{name}.default_headers"),
        max_kept_body=_count(user_class.max_kept_body, f"{name}.max_kept_body"),
    )


def nanoseconds(seconds: object, what: str) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise UsageError(f"{what} is {seconds!r}: a timeout is a number of seconds above 0, and never without end")
    return max(1, round(seconds * 1e9))


def _count(number: object, what: str) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise UsageError(f"{what} is {number!r}: write a whole number, 0 or above")
    return number


def _headers(headers: object, what: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(headers, Mapping | None):
        raise UsageError(f"{what} is {headers!r}: write a dict")
    try:
        for name, value in (headers or {}).items():
            header_line(name, value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{what}: {error}") from error
    return tuple((headers or {}).items())


def _addresses(addresses: object, what: str) -> tuple[str, ...]:
    if isinstance(addresses, str) or not isinstance(addresses, list | tuple):
        raise UsageError(f"{what} is {addresses!r}: write a list of IP addresses of this machine")
    try:
        return tuple(str(ipaddress.ip_address(address)) for address in addresses)
    except ValueError as error:
        raise UsageError(f"{what}: {error}") from error
