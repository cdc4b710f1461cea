"""What clients that send again told of a series of changes, beside the one that never does."""

from pathlib import Path

from support.changes import EVERY_US, Rows, change, end_us, no_samples
from switchover.analysis.change_figures import measure_changes
from switchover.model.failure_kind import FailureKind
from switchover.report.change_table import change_lines


def test_what_they_hide_stands_beside_what_was_lost(tmp_path: Path) -> None:
    ours, twin = Rows(tmp_path / "patient.jtl"), Rows(tmp_path / "twin.jtl")
    for place in ("1.1", "2.1"):
        ours.add(EVERY_US, error=FailureKind.RESET, number=1, place=place)
    twin.add(EVERY_US, number=1, attempts=2, thread="urllib3 1")
    twin.add(EVERY_US, number=1, error=FailureKind.RESET, thread="urllib3 2")
    twin.add(EVERY_US, number=1, thread="urllib3 1")
    twin.add(0, attempts=2, thread="urllib3 1")
    twin.add(EVERY_US, number=1, error=FailureKind.GENERATOR, thread="urllib3 3")
    twin.add(EVERY_US, number=1, error=FailureKind.RESET, thread="go 1")
    made = [change(1)]
    found = measure_changes(made, ours.read(), end_us(made), samples=no_samples(), twins=twin.read())
    assert found is not None and found.lost == 2
    told = {twin.client: (twin.requests, twin.raised, twin.resent, twin.attempts) for twin in found.twins}
    assert told == {"go": (1, 1, 0, 1), "urllib3": (3, 1, 1, 4)}, "runs of earlier versions have Go's client, too"
    lines = change_lines(found)
    assert "pooled: 2 lost by the client that never sends again" in lines
    assert any("told its caller of 1 errors in 3 requests, and sent 1 again" in line for line in lines)
