"""The settings of the prober. The parent sends them to the process as one line of JSON."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from switchover import __version__
from switchover.http.request import request_head
from switchover.model.errors import UsageError
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_text
from switchover.process.measuring_child import ChildSpec
from switchover.target.model import Endpoint

RATE_LIMIT = 20_000.0
"""The maximum rate in probes per second. It is higher than the rate that one process can reach."""
TIMEOUT_LIMIT_S = 300.0
STALE_S = 1.0
"""A slot is skipped if it is overdue by more than this time or the read timeout, whichever is shorter."""
USER_AGENT = f"switchover-prober/{__version__}"


@dataclass(frozen=True, slots=True)
class ProberSpec(ChildSpec):
    child: ClassVar[str] = "prober"

    endpoint: Endpoint
    probes: Path
    journal: Path
    run: str
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    rate: float = 100.0
    kept_rate: float = 0.0
    """The rate of the second stream, on keep-alive connections. 0: there is no second stream."""
    timeout_connect_s: float = 0.25
    """The timeout of the connect, including the TLS handshake."""
    timeout_read_s: float = 1.0
    """The timeout from the end of the request to the end of the response."""
    late_s: float = 1.0
    """An expected response is `late` if it ends more than this time after its due time."""

    def __post_init__(self) -> None:
        for name, seconds in (("connect", self.timeout_connect_s), ("read", self.timeout_read_s)):
            if not 0 < seconds <= TIMEOUT_LIMIT_S:
                raise UsageError(
                    f"the {name} timeout must be above 0 and at most {TIMEOUT_LIMIT_S:g} s, not {seconds:g}"
                )
        check_url(self.endpoint.url)

    @property
    def secure(self) -> bool:
        return urlsplit(self.endpoint.url).scheme == "https"

    @property
    def stale_ns(self) -> int:
        return round(min(self.timeout_read_s, STALE_S) * 1e9)

    @property
    def open_at_most(self) -> int:
        """Return the maximum number of simultaneous connections: the number of probes that are sent while one probe
        takes the maximum time."""
        return math.ceil((self.rate + self.kept_rate) * self.longest_s) + 1

    def request(self, *, keep: bool) -> bytes:
        return request_head(self.endpoint, agent=USER_AGENT, keep=keep)

    @property
    def longest_s(self) -> float:
        return self.timeout_connect_s + self.timeout_read_s


def exact_rate(rate: float) -> Fraction:
    """Return the decimal rate as a fraction: 333.3 is 3333/10, not the nearest binary fraction."""
    return Fraction(rate).limit_denominator(1_000_000)


def check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{public_text(url)!r} is not a URL to probe: write http://host:port/path or https://…")
    if parts.username is not None:
        raise UsageError('the URL contains a user name: send it as a header instead, Authorization = "env:NAME"')
    if any(ord(character) <= 32 or ord(character) == 127 for character in url):
        raise UsageError(f"{public_text(url)!r} is not a URL to probe: it contains a blank or a control character")
