"""The limits of figures, as a user writes them and as run.json stores them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s
from switchover.rundir.run_directory import Run
from switchover.tables import read_table
from switchover.verdict.record import LimitName as LimitName
from switchover.verdict.record import Unit as Unit

USUAL = "usual"
_USUAL = re.compile(r"usual\s*(?:\+\s*(\d{1,3})\s*%)?\s*(?::(.*))?")
_NOTE = re.compile(r"(.*?)\s*\((.*)\)\s*")
"""A pattern for a limit that is followed by a note in parentheses."""
_CONFIDENCE = re.compile(r"(.*)@\s*(\d{1,2}(?:\.\d{1,3})?)\s*%?")
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s*%")
_COUNT = re.compile(r"\d{1,12}")


class LimitKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of `tables/limits.toml`, whose first comment describes the fields."""

    help: str
    example: str
    units: list[Unit]
    jmeter: bool = False
    usual: bool = False
    confidence: float | None = None
    default: str = ""


LIMITS: Mapping[LimitName, LimitKind] = msgspec.toml.decode(
    read_table("limits.toml"), type=dict[LimitName, LimitKind]
)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of one figure. The limit is kept if the figure is not larger than the limit."""

    name: LimitName
    limit: float | None
    """The largest allowed value. None: the usual value, which is not known yet."""
    unit: Unit
    confidence: float | None = None
    """The confidence level of the bound that is compared with the limit, only for `lossy`."""
    default: bool = False
    """True if the user did not set the limit. A default limit applies if the run has a source for its figure."""
    usual: bool = False
    """True if the limit is the usual value. If a single run exceeds the usual value, the result is inconclusive."""
    margin: float = 0.0
    """The share by which the figure may exceed the usual value, for example 0.2 for 20 %."""
    note: str = ""
    """The origin of the limit, or why the limit is unknown."""

    def __str__(self) -> str:
        confidence = "" if self.confidence is None else f"@{self.confidence * 100:.4g}"
        return f"{self.name}={USUAL if self.limit is None else format_value(self.limit, self.unit)}{confidence}"

    @property
    def written(self) -> str:
        """The text of the limit for run.json: the user's option, the value if it is known, and the note."""
        margin = f"+{self.margin * 100:.0f}%" if self.margin else ""
        known = "" if self.limit is None else format_value(self.limit, self.unit)
        limit = ":".join(filter(None, (USUAL + margin, known))) if self.usual else known
        return f"{self.name}={limit}" + (f" ({self.note})" if self.note else "")

    @property
    def is_to_be_looked_up(self) -> bool:
        """True if the limit is the usual value, and the usual value was not looked up yet."""
        return self.usual and self.limit is None and not self.note

    def known(self, limit_ms: float | None, note: str) -> "Limit":
        return replace(self, limit=limit_ms, note=note)


def parse_limit(text: str) -> Limit:
    """Parse `outage=5s`, `outage=usual+20%`, `failed=1%`, `failed=20` or `lossy=1%@95`. In run.json, a note may
    follow."""
    name_text, _, limit_text = text.partition("=")
    try:
        name = LimitName(name_text.strip())
    except ValueError as error:
        raise UsageError(f"limit {text!r}: {name_text.strip()!r} is unknown; known: {', '.join(LIMITS)}") from error
    limit, kind = limit_text.strip(), LIMITS[name]
    if not limit:
        raise UsageError(f"limit {text!r} has no maximum: write for example {kind.example}")
    if Unit.MILLISECONDS in kind.units:
        try:
            return _duration_limit(name, limit)
        except UsageError as error:
            raise UsageError(f"limit {text!r}: {error}") from error
    confidence = kind.confidence
    if confidence is not None and (match := _CONFIDENCE.fullmatch(limit)):
        limit, confidence = match[1].strip(), float(match[2]) / 100
        if not 0 < confidence < 1:
            raise UsageError(f"limit {text!r}: a confidence is above 0 and below 100, such as 95")
    percent = _PERCENT.fullmatch(limit)
    if percent and Unit.SHARE in kind.units:
        if float(percent[1]) > 100:
            raise UsageError(f"limit {text!r}: a share cannot exceed 100%")
        # `float(number) / 100` would make 0.7% slightly less than 7 of 1,000.
        return Limit(name, float(f"{percent[1]}e-2"), Unit.SHARE, confidence)
    if Unit.REQUESTS in kind.units and _COUNT.fullmatch(limit) and limit.isascii():
        return Limit(name, float(limit), Unit.REQUESTS)
    raise UsageError(f"limit {text!r}: {limit!r} is not a limit for {name}: write for example {kind.example}")


def _duration_limit(name: LimitName, text: str) -> Limit:
    match = _NOTE.fullmatch(text)
    limit, note = match.groups() if match else (text, "")
    usual = _USUAL.fullmatch(limit) if LIMITS[name].usual else None
    value_text = limit if usual is None else usual[2]
    limit_ms = None if value_text is None else round(parse_duration_s(value_text) * 1000, 6)
    margin = float(usual[1] or 0) / 100 if usual else 0.0
    return Limit(name, limit_ms, Unit.MILLISECONDS, usual=usual is not None, margin=margin, note=note)


def limits_of(run: Run) -> list[Limit]:
    return list(map(parse_limit, run.settings.limits))


def with_defaults(asked: Sequence[Limit], has_source: Mapping[LimitName, bool]) -> list[Limit]:
    """Return the limits that the user set, and the default limits whose figures have a source in the run."""
    names = {limit.name for limit in asked}
    missing = [name for name, has in has_source.items() if has and name not in names]
    return [*asked, *(replace(parse_limit(f"{name}={LIMITS[name].default}"), default=True) for name in missing)]


def format_value(value: float, unit: Unit) -> str:
    """Format a value in the form that users write, for example `5s`, `1.25%` or `20`. The value is not rounded."""
    if unit is Unit.SHARE:
        return f"{value * 100:.6f}".rstrip("0").rstrip(".") + "%"
    if unit is Unit.REQUESTS:
        return f"{value:.0f}"
    return f"{value / 1000:.9f}".rstrip("0").rstrip(".") + "s"
