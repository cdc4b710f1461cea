"""Nginx's `stub_status`: seven numbers for the whole server, none per upstream. Reading it adds one request."""

import re
from typing import NamedTuple

from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import Command, HttpPage
from switchover.telemetry.fetch import TIMEOUT_S, fetch

_N = r"(\d{1,18})"
_PAGE = re.compile(
    rf"\s*Active connections:\s*{_N}\s+server accepts handled requests[^\n]*\n"
    rf"\s*{_N}\s+{_N}\s+{_N}[^\n]*\n"
    rf"\s*Reading:\s*{_N}\s+Writing:\s*{_N}\s+Waiting:\s*{_N}[ \r]*\n\s*",
    re.ASCII,
)
_LIMIT_BYTES = 64 * 1024


class NginxStatus(NamedTuple):
    """The numbers of ngx_http_stub_status_module. `active`, `reading`, `writing` and `waiting` are current, the
    others count from the start."""

    active: int
    accepts: int
    handled: int
    requests: int
    reading: int
    writing: int
    waiting: int


def parse_status(page: bytes) -> NginxStatus:
    """Parse the seven numbers of the page, which must end with a newline. Tengine's eighth number (request_time)
    is ignored."""
    match = _PAGE.fullmatch(page.decode("utf-8", "replace"))
    if match is None:
        raise TelemetryError("answered something that is no stub_status page")
    return NginxStatus(*(int(number) for number in match.groups()))


def read_status(source: HttpPage | Command, timeout_s: float = TIMEOUT_S) -> NginxStatus:
    page = fetch(source, None, timeout_s, _LIMIT_BYTES)
    try:
        return parse_status(page)
    except TelemetryError as error:
        raise TelemetryError(f"{source} {error}") from error
