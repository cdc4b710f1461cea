"""What clients that send again told of a series of changes, beside the one that never does."""

from pathlib import Path

from support.changes import EVERY_US, Rows, change, end_us, no_samples
from switchover.analysis.change_figures import measure_changes
from switchover.model.failure_kind import FailureKind


def test_what_they_hide_stands_beside_what_was_lost(tmp_path: Path) -> None:
    ours, retrying_client = Rows(tmp_path / "connections.jtl"), Rows(tmp_path / "retrying_client.jtl")
    for place in ("1.1", "2.1"):
        ours.add(EVERY_US, error=FailureKind.RESET, number=1, place=place)
    retrying_client.add(EVERY_US, number=1, attempts=2, thread="urllib3 1")
    retrying_client.add(EVERY_US, number=1, error=FailureKind.RESET, thread="urllib3 2")
    retrying_client.add(EVERY_US, number=1, thread="urllib3 1")
    retrying_client.add(0, attempts=2, thread="urllib3 1")
    retrying_client.add(EVERY_US, number=1, error=FailureKind.GENERATOR, thread="urllib3 3")
    retrying_client.add(EVERY_US, number=1, error=FailureKind.RESET, thread="go 1")
    made = [change(1)]
    found = measure_changes(
        made, ours.read(), end_us(made), samples=no_samples(), retrying_clients=retrying_client.read()
    )
    assert found is not None and found.lost == 2
    told = {
        retrying_client.client: (
            retrying_client.requests,
            retrying_client.raised,
            retrying_client.resent,
            retrying_client.attempts,
        )
        for retrying_client in found.retrying_clients
    }
    assert told == {"go": (1, 1, 0, 1), "urllib3": (3, 1, 1, 4)}, "runs of earlier versions have Go's client, too"
