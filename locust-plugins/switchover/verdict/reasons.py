"""The reasons of a verdict: the table of all kinds of reasons, and functions that format a reason."""

from collections.abc import Mapping

import msgspec

from switchover.tables import read_table
from switchover.verdict.record import Figure, Reason, Status


class ReasonKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the table of reasons. In a text, `{name}` is replaced by the figure with this name."""

    status: Status
    text: str
    cause: str
    remedy: str


REASONS: Mapping[str, ReasonKind] = msgspec.toml.decode(read_table("reasons.toml"), type=dict[str, ReasonKind])


def make_reason(code: str, **figures: Figure) -> Reason:
    """Make a reason. A figure `cause` (from the machine's counters) replaces the usual cause."""
    kind, cause = REASONS[code], figures.get("cause")
    text = kind.text.format_map(figures) + (f" ({cause})" if cause else "")
    return Reason(code=code, figures=figures, text=text, cause=str(cause or kind.cause), remedy=kind.remedy)


def status_of(reason: Reason) -> Status:
    return REASONS[reason.code].status


def because(why: str | None) -> str:
    """Return the end of a reason's text: `: ` followed by `why`; empty if `why` is empty."""
    return f": {why}" if why else ""
