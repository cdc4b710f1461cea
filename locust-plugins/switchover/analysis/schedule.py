"""The metronome's schedule against its own log: every slot is recorded once, or known as unsent."""

from collections.abc import Iterable, Mapping
from typing import Any

from switchover.analysis.ledger import Line
from switchover.analysis.requests.table import requests_of
from switchover.rundir.sample_log import Sample


def accounts_of(generator: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The metronome's account of each of its streams; the fresh stream's stands at the top."""
    kept = generator.get("kept")
    found = {"fresh": generator}
    if isinstance(kept, Mapping):
        found["kept"] = kept
    return {stream: account for stream, account in found.items() if _is_account(account)}


def schedule_lines(probes: Iterable[Sample], generator: Mapping[str, Any]) -> list[Line]:
    """Lines of `probes.jtl` against the slots that the metronome says it sent, by stream.

    A line that was dropped leaves its slot empty, a line that was doubled fills one twice: both are found wherever
    in the run they are, and one cannot hide the other.
    """
    lines, requests = [], requests_of(probes)
    for stream, account in accounts_of(generator).items():
        own, slots = requests.row(
            "SELECT count(*), count(DISTINCT intended_us) + CAST(count(*) > count(intended_us) AS INT) "
            "FROM {requests} WHERE stream = ?",
            [stream],
        )
        sent = account["scheduled"] - account["unsent"]
        lines.append(
            Line(
                name=f"slots of the schedule, {stream} connections",
                client=own,
                witness=sent,
                said_by="the metronome's own count",
                unexplained=own - slots + abs(sent - slots),
            )
        )
    return lines


def _is_account(account: Mapping[str, Any]) -> bool:
    return all(isinstance(account.get(name), int) for name in ("scheduled", "unsent"))
