"""Check the attributes of a `BalancerHttpUser` class."""

import math
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta, MsgspecError, Struct, convert

from switchover.locust.user.origin import parse_url
from switchover.locust.user.request_bytes import header_line
from switchover.locust.user.tls import shared_context
from switchover.model.errors import UsageError
from switchover.model.redaction import public_text

Seconds = Annotated[float, Meta(gt=0, le=1e9)]
Count = Annotated[int, Meta(ge=0)]


class Timeouts(NamedTuple):
    connect_ns: int
    """The maximum time from the start of the exchange to a usable connection: name look-up, and the handshakes of TCP
    and TLS."""
    read_ns: int


class ClientSettings(Struct, frozen=True):
    connection: Literal["kept", "fresh"]
    timeout_connect: Seconds
    timeout_read: Seconds
    insecure: bool
    ca: str | None
    default_headers: dict[str, str]
    max_kept_body: Count


def settings_of(user_class: type[Any], host: str) -> ClientSettings:
    name = user_class.__name__
    try:
        parse_url(host)
    except ValueError as error:
        text = f"{name}.host is {public_text(host)!r}: write http://host:port or https://… ({error})"
        raise UsageError(text) from error
    values = {option: getattr(user_class, option) for option in ClientSettings.__struct_fields__}
    values["ca"] = user_class.ca and str(user_class.ca)
    values["default_headers"] = user_class.default_headers or {}
    try:
        settings = convert(values, ClientSettings)
    except MsgspecError as error:
        raise UsageError(f"{name}: {error}") from error
    try:
        for header, value in settings.default_headers.items():
            header_line(header, value)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name}.default_headers: {error}") from error
    if settings.ca is not None:
        shared_context(settings.ca, settings.insecure)
    return settings


def nanoseconds(seconds: object, what: str) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise UsageError(f"{what} is {seconds!r}: a timeout must be a finite number of seconds above 0")
    return max(1, round(seconds * 1e9))
