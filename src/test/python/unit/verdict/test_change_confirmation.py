"""Whether a change took effect, by sources that its commands have nothing to do with."""

from pathlib import Path
from typing import Any

import pytest

from support.changes import EVERY_US, Rows, change, end_us
from support.contract import named
from switchover.evidence.node_life import NodeLife, node_lives
from switchover.evidence.ownership import ownership_of
from switchover.rundir.points import parse_point
from switchover.rundir.run_directory import ChangeRun, FaultRun
from switchover.verdict.change_confirmation import look_at_changes


def seen(
    rows: Rows, sources: list[str], lives: dict[str, NodeLife] | None = None, end: int | None = None
) -> list[bool | None]:
    made = [change(1), change(2)]
    described = FaultRun(name="reload", kind="master", master="lb1", sources=sources)
    found = look_at_changes(made, described, lives or {}, ownership_of([]), rows.read(), end or end_us(made))
    return [one.seen for one in found]


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return Rows(tmp_path / "connections.jtl")


def test_a_connection_that_waited_for_the_new_process_is_on_no_process_of_before(rows: Rows) -> None:
    rows.add(EVERY_US - 1000, worker="6", place="1.1")
    rows.add(EVERY_US - 500, worker="7", place="1.2", latency_us=700)
    rows.add(2 * EVERY_US - 500, worker="8", place="1.3", latency_us=700)
    assert seen(rows, ["worker"]) == [True, True]


def told_on(rows: Rows, *times: tuple[int, str], ends: int | None = None) -> None:
    """Each a connection of its own that was told then which process it is on; the first one ends when told."""
    for place, (at_us, worker) in enumerate(times):
        took_us = ends - at_us if ends is not None and place == 0 else 0
        rows.add(at_us, worker=worker, place=f"{place}.1", latency_us=0, took_us=took_us)


FIRST, SECOND = EVERY_US, 2 * EVERY_US
"""When the two changes begin."""


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([(0, "6"), (FIRST + 1, "7"), (SECOND + 1, "6")], [True, True]),
        ([(0, "6"), (FIRST, "7")], [None, None]),
        ([(0, "6"), (FIRST, "7"), (FIRST + 1, "7")], [True, None]),
        ([(0, "6"), (FIRST, "7"), (FIRST + 1, "6"), (SECOND + 1, "7")], [False, False]),
        ([(0, "6"), (FIRST + 1, "6"), (SECOND, "7"), (SECOND + 1, "6")], [False, False]),
        ([(0, "6")], [None, None]),
    ],
    ids=[
        "there and back",
        "told as the change began",
        "told as it began, and later",
        "told as the change before began",
        "told as the next began",
        "nothing behind the change",
    ],
)
def test_a_process_is_another_than_those_since_the_change_before(
    rows: Rows, times: list[tuple[int, str]], expected: list[bool | None]
) -> None:
    told_on(rows, *times)
    assert seen(rows, ["worker"]) == expected


@pytest.mark.parametrize("case", named("changes.json", "effects"))
def test_what_points_say_of_changes_is_as_agreed(case: dict[str, Any]) -> None:
    points = [parse_point(line) for line in case["points"]]
    made = [ChangeRun(**one) for one in case["changes"]]
    described = FaultRun(name="change", kind="master", master="lb1", sources=case["sources"])
    lives, owners = node_lives(points), ownership_of(points)
    found = look_at_changes(made, described, lives, owners, None, case["end_us"], points)
    assert [one.seen for one in found] == case["seen"]
