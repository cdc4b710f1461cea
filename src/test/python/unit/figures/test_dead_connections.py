"""How long connections were dead before their owners could know, from the rows of the load that kept them open."""

from pathlib import Path

import pytest

from support.changes import EVERY_US, SECOND_US, START_US, Rows
from switchover.figures.dead_connections import measure_dead
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.rundir.sample_log import EndedBy
from switchover.verdict.record import DeadConnections

FIRED_US = START_US + EVERY_US
END_US = START_US + 4 * EVERY_US
WEBSOCKET = HeldKind.WEBSOCKET


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return Rows(tmp_path / "connections.jtl")


def measure(rows: Rows) -> dict[HeldKind, DeadConnections]:
    return {HeldKind(one.kind): one for one in measure_dead(rows.read(), FIRED_US, END_US)}


def add_open(rows: Rows, place: str) -> None:
    rows.add(EVERY_US - 100_000, kind=WEBSOCKET, place=place)


def test_the_time_is_from_the_fault_to_the_packet_that_told_of_it(rows: Rows) -> None:
    for place, after_us, by in (("1.1", SECOND_US, EndedBy.RST), ("2.1", 3 * SECOND_US, EndedBy.FIN)):
        add_open(rows, place)
        rows.add(
            EVERY_US, took_us=after_us, kind=WEBSOCKET, place=place, error=FailureKind.RESET, ended_by=by
        )  # fmt: skip
    found = measure(rows)[WEBSOCKET]
    assert (found.open, found.dead, found.by_rst, found.by_fin, found.untold) == (2, 2, 1, 1, 0)
    assert found.by_timeout == 0
    assert (found.median_ms, found.longest_ms) == (SECOND_US / 1000, 3 * SECOND_US / 1000)


def test_a_time_out_of_its_own_is_no_packet(rows: Rows) -> None:
    add_open(rows, "1.1")
    rows.add(
        EVERY_US, took_us=2 * SECOND_US, kind=WEBSOCKET, error=FailureKind.READ_TIMEOUT, ended_by=EndedBy.SILENCE
    )
    found = measure(rows)[WEBSOCKET]
    assert (found.dead, found.by_timeout, found.by_fin, found.by_rst) == (1, 1, 0, 0)


def test_what_waited_until_the_end_of_the_run_is_untold(rows: Rows) -> None:
    add_open(rows, "1.1")
    rows.add(EVERY_US, took_us=3 * EVERY_US, kind=WEBSOCKET, error=FailureKind.GENERATOR)
    found = measure(rows)[WEBSOCKET]
    assert (found.dead, found.untold, found.longest_ms) == (1, 1, None)


def test_a_connection_that_lives_on_is_not_dead(rows: Rows) -> None:
    add_open(rows, "1.1")
    rows.add(EVERY_US + SECOND_US, kind=WEBSOCKET)
    rows.add(4 * EVERY_US - 100_000, took_us=100_000, kind=WEBSOCKET, error=FailureKind.GENERATOR)
    assert measure(rows)[WEBSOCKET].dead == 0


def test_an_error_that_the_balancer_answers_kills_no_connection(rows: Rows) -> None:
    rows.add(EVERY_US - 100_000)
    rows.add(EVERY_US + 100_000, error=FailureKind.STATUS)
    assert measure(rows)[HeldKind.POOLED].dead == 0


def test_nothing_is_told_without_a_fault_or_a_held_load(rows: Rows) -> None:
    assert measure_dead(rows.read(), None, END_US) == []
    assert measure_dead(None, FIRED_US, END_US) == []
