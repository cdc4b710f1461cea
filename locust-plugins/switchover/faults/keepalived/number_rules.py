"""Every number of a keepalived.conf that a prediction uses: bounds, places, default, and what a bad one becomes.

Read from Keepalived 2.2.7 and 2.4.3 (vrrp_parser.c, global_parser.c, vrrp_track.c, track_file.c) and tried on the
real one. The table in docs/proof/numbers.txt has a row for each, in this order.
"""

from dataclasses import dataclass, replace
from typing import Final

from switchover.faults.keepalived.c_numbers import read_decimal, read_int, read_refused_int, read_unsigned

EARLIER: Final = "earlier"
"""What a refused number becomes: the keyword's earlier line counts, or its default."""

TAKEN: Final = "taken"
"""It is complained about, and used all the same."""

FRACTIONS_SINCE = "2.3.2"
"""The first Keepalived whose scripts may run more often than every second, and at fractions of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberRule:
    """One keyword's number. `low`, `high`, `default` and `zero` are in its unit: seconds, or none."""

    keyword: str
    block: str
    low: float
    high: float
    default: float | None
    places: int = 0
    """Decimal places that are kept; further ones are rounded. 0: whole numbers."""
    signed: bool = False
    lenient: bool = True
    """What stands behind the number is ignored (`2s` is 2)."""
    refused: float | str = EARLIER
    """What a number out of bounds becomes: a value, EARLIER or TAKEN."""
    zero: float | None = None
    """What 0 becomes, where that is not 0."""
    largest: float | None = None
    """What larger numbers become that are within the bounds, and their negatives."""
    first_stands: bool = False
    """A second line is ignored once the first has set another value than the default."""
    further: str = ""
    """What Keepalived does to the number once it knows the rest."""
    since: str = ""

    @property
    def is_time(self) -> bool:
        return self.places > 0

    def read(self, text: str) -> float | None:
        """The number that Keepalived takes from this text; None: it refuses it."""
        value = self._read(text)
        if value == 0 and self.zero is not None:
            return self.zero
        if value is not None and self.largest is not None:
            return max(-self.largest, min(self.largest, value))
        return value

    def _read(self, text: str) -> float | None:
        scale = 10**self.places
        low, high = round(self.low * scale), round(self.high * scale)
        if self.places:
            found = read_decimal(text, low, high, self.places)
            return None if found is None else found / scale
        reader = read_int if self.signed else read_unsigned
        return reader(text, low, high, lenient=self.lenient)

    def after_refusal(self, text: str, earlier: float | None) -> float | None:
        """What counts instead of a number that was refused."""
        if self.refused == TAKEN:
            return read_refused_int(text)
        return earlier if isinstance(self.refused, str) else self.refused


_INT_MAX = 2**31 - 1
_LONGEST_S = 4294
"""UINT_MAX microseconds."""

VRRP_VERSION = NumberRule(keyword="vrrp_version", block="global_defs", low=2, high=3, default=2, signed=True)
GLOBAL_DOWN_TIMER = NumberRule(
    keyword="vrrp_down_timer_adverts", block="global_defs", low=1, high=100, default=3, since="2.2.3"
)
STARTUP_DELAY = NumberRule(
    keyword="vrrp_startup_delay",
    block="global_defs",
    low=0.001,
    high=4294.967295,
    default=0.0,
    places=6,
    further="a node that starts waits so long: a note",
    since="2.0.14",
)
VERSION = NumberRule(
    keyword="version",
    block="vrrp_instance",
    low=2,
    high=3,
    default=None,
    signed=True,
    first_stands=True,
    further="unset: 3 with an IPv6 address, else `vrrp_version`; 2 behind an IPv6 address is ignored",
)
ROUTER_ID = NumberRule(
    keyword="virtual_router_id", block="vrrp_instance", low=1, high=255, default=None, lenient=False
)
PRIORITY = NumberRule(
    keyword="priority",
    block="vrrp_instance",
    low=1,
    high=255,
    default=None,
    lenient=False,
    refused=100,
    further="unset: 100, or 255 with `state MASTER`",
)
ADVERT_INT = NumberRule(
    keyword="advert_int",
    block="vrrp_instance",
    low=0.01,
    high=255,
    default=1.0,
    places=6,
    further="VRRP 2: rounded to whole seconds, at least 1 (before 1.3.5 less than 0.5 became 0); "
    "VRRP 3: rounded to 10 ms, at most 40.95",
)
PREEMPT_DELAY = NumberRule(
    keyword="preempt_delay",
    block="vrrp_instance",
    low=0,
    high=1000,
    default=0.0,
    places=6,
    refused=0,
    further="0 with `state MASTER`, `nopreempt` or `vrrp_strict`",
)
DOWN_TIMER = NumberRule(
    keyword="down_timer_adverts",
    block="vrrp_instance",
    low=1,
    high=100,
    default=None,
    further="unset: `vrrp_down_timer_adverts`; 3 with `vrrp_strict`",
    since="2.2.3",
)
INTERVAL = NumberRule(
    keyword="interval",
    block="vrrp_script",
    low=0,
    high=_LONGEST_S,
    default=1.0,
    places=3,
    zero=1.0,
    since=FRACTIONS_SINCE,
)
WHOLE_INTERVAL = replace(INTERVAL, default=1, places=0, zero=1, since="before 2.3.2")
TIMEOUT = NumberRule(
    keyword="timeout",
    block="vrrp_script",
    low=0,
    high=_LONGEST_S,
    default=None,
    places=3,
    zero=1.0,
    further="unset: the interval",
    since=FRACTIONS_SINCE,
)
WHOLE_TIMEOUT = replace(TIMEOUT, places=0, zero=1, since="before 2.3.2")
RISE = NumberRule(keyword="rise", block="vrrp_script", low=1, high=_INT_MAX, default=1, refused=1)
FALL = replace(RISE, keyword="fall")

_WEIGHT = NumberRule(keyword="weight", block="", low=-254, high=254, default=0, signed=True)
SCRIPT_WEIGHT = replace(_WEIGHT, block="vrrp_script", low=-253, high=253, refused=TAKEN)
PROCESS_WEIGHT = replace(_WEIGHT, block="vrrp_track_process", first_stands=True)
PROCESS_DELAY = NumberRule(
    keyword="delay", block="vrrp_track_process", low=0.000001, high=3600, default=0.0, places=6
)
TERMINATE_DELAY = replace(PROCESS_DELAY, keyword="terminate_delay")
FILE_WEIGHT = replace(_WEIGHT, block="track_file", default=1, refused=1, first_stands=True)
BFD_WEIGHT = replace(_WEIGHT, block="bfd_instance", low=-253, high=253)

_TRACKED = replace(_WEIGHT, default=None)
TRACKED_SCRIPT = replace(_TRACKED, block="track_script", largest=253, further="unset: the script's")
TRACKED_INTERFACE = replace(_WEIGHT, block="track_interface", largest=253)
TRACKED_PROCESS = replace(_TRACKED, block="track_process", further="unset: the process's")
TRACKED_FILE = replace(_TRACKED, block="track_file in an instance", further="unset: the file's")
TRACKED_BFD = replace(_TRACKED, block="track_bfd", low=-253, high=253, further="unset: the session's")
