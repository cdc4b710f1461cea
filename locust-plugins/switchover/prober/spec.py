"""The settings of the prober, which the parent sends as one line of JSON, and the parent's interface to the
prober."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from switchover import __version__
from switchover.http.address import is_usable_url
from switchover.model.errors import UsageError
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_text
from switchover.prober.account import ProberProgress
from switchover.process.measuring_child import ChildSpec, MeasuringChild
from switchover.target.model import Endpoint

RATE_LIMIT = 20_000.0
"""The maximum rate in probes per second, which no process can reach."""
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
    """The rate, in probes per second, of the second stream, which uses keep-alive connections."""
    timeout_connect_s: float = 0.25
    timeout_read_s: float = 1.0
    late_s: float = 1.0
    """A response with an expected status is `late` if it ends more than this time after the due time of its probe."""

    def __post_init__(self) -> None:
        check_url(self.endpoint.url)

    @property
    def stale_ns(self) -> int:
        return round(min(self.timeout_read_s, STALE_S) * 1e9)

    @property
    def open_at_most(self) -> int:
        """Return the maximum number of probes that are open at the same time."""
        return math.ceil((self.rate + self.kept_rate) * self.longest_s) + 1

    @property
    def longest_s(self) -> float:
        return self.timeout_connect_s + self.timeout_read_s


class Prober(MeasuringChild[ProberProgress]):
    module = "switchover.prober"
    name = "prober"
    progress_type = ProberProgress

    def _account_of_the_dead(self, reason: str) -> dict[str, Any]:
        progress = self.progress()
        recorded = progress.good + progress.failed + progress.late + progress.unsent if progress else None
        return {"recorded": recorded, "warning": reason}


def exact_rate(rate: float) -> Fraction:
    """Return the decimal rate as a fraction: 333.3 is 3333/10, not the nearest binary fraction."""
    return Fraction(rate).limit_denominator(1_000_000)


def check_url(url: str) -> None:
    if not is_usable_url(url, ("http", "https")):
        raise UsageError(f"{public_text(url)!r} is not a URL to probe: write http://host:port/path or https://…")
    if urlsplit(url).username is not None:
        raise UsageError('the URL contains a user name: send it as a header instead, Authorization = "env:NAME"')
    if any(ord(character) <= 32 or ord(character) == 127 for character in url):
        raise UsageError(f"{public_text(url)!r} is not a URL to probe: it contains a blank or a control character")
