"""The metronome's schedule against its own log: every slot is recorded once, or known as unsent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from switchover.analysis.ledger import Line
from switchover.samples import Sample


def accounts_of(generator: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The metronome's account of each of its streams; the fresh stream's stands at the top."""
    kept = generator.get("kept")
    found = {"fresh": generator}
    if isinstance(kept, Mapping):
        found["kept"] = kept
    return {stream: account for stream, account in found.items() if _is_account(account)}


def schedule_lines(probes: Sequence[Sample], generator: Mapping[str, Any]) -> list[Line]:
    """Lines of `probes.jtl` against the slots that the metronome says it sent, by stream.

    A line that was dropped leaves its slot empty, a line that was doubled fills one twice: both are found wherever
    in the run they are, and one cannot hide the other.
    """
    lines = []
    for stream, account in accounts_of(generator).items():
        own = [probe for probe in probes if probe.stream == stream]
        slots = Counter(probe.intended_us for probe in own)
        sent = account["scheduled"] - account["unsent"]
        lines.append(
            Line(
                name=f"slots of the schedule, {stream} connections",
                client=len(own),
                witness=sent,
                said_by="the metronome's own count",
                unexplained=len(own) - len(slots) + abs(sent - len(slots)),
            )
        )
    return lines


def _is_account(account: Mapping[str, Any]) -> bool:
    return all(isinstance(account.get(name), int) for name in ("scheduled", "unsent"))
