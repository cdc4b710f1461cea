"""What a series of changes cost, from the rows of the load that felt them."""

from dataclasses import replace
from pathlib import Path

import pytest

from support.changes import EVERY_US, SECOND_US, Rows, change, end_us, no_samples
from switchover.figures.changes.changes import ChangeFigures, measure_changes
from switchover.model.failure_kind import FailureKind
from switchover.model.held_kind import HeldKind
from switchover.model.statistics import proportion_bounds
from switchover.rundir.sample_log import EndedBy
from switchover.verdict.judge import judge
from switchover.verdict.limit import parse_limit
from switchover.verdict.limit_checks import Measured, judge_changes
from switchover.verdict.record import RetryingClient, State
from synthetic import drill


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return Rows(tmp_path / "connections.jtl")


def measure(rows: Rows, changes: int = 3) -> ChangeFigures:
    made = [change(number, exposed=10) for number in range(1, changes + 1)]
    found = measure_changes(made, rows.read(), end_us(made), samples=no_samples())
    assert found is not None
    return found


def test_a_change_is_lossy_once_however_much_it_loses(rows: Rows) -> None:
    rows.add(0)
    for place in ("1.1", "2.1"):
        rows.add(EVERY_US, error=FailureKind.TRUNCATED, ended_by=EndedBy.FIN, number=1, place=place)
    rows.add(2 * EVERY_US, number=2)
    found = measure(rows)
    (pooled,) = found.record.kinds
    assert (pooled.exposed, pooled.lost, pooled.lossy) == (30, 2, 1)
    assert pooled.lost_per_thousand == pytest.approx(66.667, abs=0.001)
    assert (found.record.lost, found.record.lossy, [one.lost for one in found.record.by_change]) == (2, 1, [2, 0, 0])


def test_what_the_load_itself_could_not_do_counts_against_nobody(rows: Rows) -> None:
    rows.add(EVERY_US, error=FailureKind.GENERATOR, number=1)
    found = measure(rows)
    assert (
        found.record.lost,
        found.record.lossy,
        found.generator_errors,
        found.record.kinds[0].generator_errors,
    ) == (0, 0, 1, 1)


def test_what_the_end_of_the_run_cuts_off_is_no_error_of_the_load_itself(rows: Rows) -> None:
    """From a second before the end on: three changes, the last at 15 s, and ten seconds more."""
    for at_us in (5 * EVERY_US - SECOND_US - 1, 5 * EVERY_US - SECOND_US, 5 * EVERY_US):
        rows.add(at_us, took_us=0, error=FailureKind.GENERATOR)
    assert measure(rows).generator_errors == 1


def test_a_loss_outside_of_any_change_is_told_apart(rows: Rows) -> None:
    rows.add(SECOND_US, error=FailureKind.RESET, ended_by=EndedBy.RST)
    rows.add(SECOND_US)
    found = measure(rows)
    assert (found.record.lost, found.record.kinds[0].lost_elsewhere, found.lost_before, found.asked_before) == (
        0,
        1,
        1,
        2,
    )


def test_each_loss_says_where_it_was_and_by_what(rows: Rows) -> None:
    rows.add(EVERY_US + 300_000, took_us=0, error=FailureKind.RESET, ended_by=EndedBy.RST, number=1, worker="17")
    found = measure(rows)
    (loss,) = found.record.losses
    assert found.record.kinds[0].reset == 1
    assert (loss.kind, loss.error, loss.position, loss.place) == ("pooled", "reset", 0, "pooled 1.1")
    assert (loss.change, loss.after_change_ms, loss.ended_by, loss.worker) == (1, 300, "rst", "17")


@pytest.mark.parametrize(
    ("limit", "lossy", "changes", "state"),
    [
        ("lossy=1%@95", 0, 300, State.KEPT),
        ("lossy=1%@95", 0, 298, State.INCONCLUSIVE),
        ("lossy=1%", 20, 300, State.EXCEEDED),
        ("lost=0", 1, 12, State.EXCEEDED),
        ("lost=0", 0, 12, State.KEPT),
        ("lost=1", 1, 12, State.KEPT),
    ],
)
def test_limits_of_changes(rows: Rows, limit: str, lossy: int, changes: int, state: State) -> None:
    rows.add(0)
    for number in range(1, lossy + 1):
        rows.add(number * EVERY_US, error=FailureKind.RESET, ended_by=EndedBy.RST, number=number)
    assert judge_changes(parse_limit(limit), measure(rows, changes)).state is state


def test_a_run_is_held_against_what_its_changes_cost(rows: Rows) -> None:
    rows.add(EVERY_US, error=FailureKind.RESET, ended_by=EndedBy.RST, number=1)
    verdict, found = judge(drill(), []), measure(rows)
    measured = Measured(verdict.events, replace(verdict.figures, changes=found), unread=0, truncated={})
    for text in ("lost=0", "lossy=1%", "delay=1ms"):
        assert measured.judge(parse_limit(text)) == judge_changes(parse_limit(text), found)


def test_rows_that_cannot_be_read_are_counted_and_widen_a_limit(tmp_path: Path) -> None:
    log = tmp_path / "connections.jtl"
    rows = Rows(log)
    rows.add(EVERY_US, number=1)
    rows._writer.flush()
    with log.open("a") as file:
        file.write("cut,off\ncut")
    found = measure(rows)
    assert found.unread == 2
    assert judge_changes(parse_limit("lost=0"), found).state is State.INCONCLUSIVE


def test_what_was_lost_by_a_change_that_was_not_made_after_all_is_told_apart(rows: Rows) -> None:
    for number in (1, 2):
        rows.add(number * EVERY_US, error=FailureKind.RESET, ended_by=EndedBy.RST, number=number)
    found = measure(rows, changes=1)
    assert (
        found.record.lost,
        found.record.lossy,
        found.record.kinds[0].lossy,
        found.record.kinds[0].lost_elsewhere,
    ) == (1, 1, 1, 1)
    assert found.lossy_bounds() == proportion_bounds(1, 1, 0.95)


def test_each_change_tells_what_each_kind_felt_of_it_and_nothing_of_the_others(rows: Rows) -> None:
    for at_us in range(0, 1_000_000, 2_000):
        rows.add(at_us)
    rows.add(EVERY_US, number=1, ended_by=EndedBy.FIN)
    rows.add(2 * EVERY_US, took_us=80_000, number=2)
    rows.add(3 * EVERY_US, kind=HeldKind.UPLOAD, error=FailureKind.TRUNCATED, number=3)
    felt = {one.number: one.felt for one in measure(rows).record.by_change}
    assert {number: list(kinds) for number, kinds in felt.items()} == {
        1: [HeldKind.POOLED],
        2: [HeldKind.POOLED],
        3: [HeldKind.UPLOAD],
    }
    assert (felt[1][HeldKind.POOLED].closed_politely, felt[1][HeldKind.POOLED].delayed) == (1, False)
    assert (felt[2][HeldKind.POOLED].longest_ms, felt[2][HeldKind.POOLED].delayed) == (80, True)
    assert (felt[3][HeldKind.UPLOAD].lost, felt[3][HeldKind.UPLOAD].exposed) == (1, 10)
    found = measure_changes([replace(change(3), exposed={})], rows.read(), end_us([change(3)]), samples=no_samples())
    assert found is not None and found.record.by_change[0].felt[HeldKind.UPLOAD].exposed == 0


def test_requests_of_retrying_clients_count_during_changes(rows: Rows) -> None:
    """As a client saw them: a request that was resent is good, and one that was not sent by this machine is none."""
    rows.add(0, thread="urllib3 1", attempts=9)
    rows.add(EVERY_US, thread="urllib3 1", number=1)
    rows.add(EVERY_US, thread="urllib3 2", number=1, attempts=3)
    rows.add(2 * EVERY_US, thread="urllib3 1", number=2, attempts=2, error=FailureKind.RESET)
    rows.add(2 * EVERY_US, thread="urllib3 2", number=2, error=FailureKind.GENERATOR)
    rows.add(2 * EVERY_US, thread="httpx 1", number=2, attempts=2)
    rows.add(2 * EVERY_US, thread="httpx 1", number=3)
    made, held = [change(1), change(2, lingering=True)], rows.read()
    found = measure_changes(made, held, end_us(made), samples=no_samples(), retrying_clients=held)
    assert found is not None and found.record.retrying_clients == [
        RetryingClient(client="httpx", requests=1, raised=0, resent=1, attempts=2),
        RetryingClient(client="urllib3", requests=3, raised=1, resent=1, attempts=6),
    ]
    assert (found.record.lingering, found.record.confidence) == (1, 0.95)
    first, second = found.record.by_change
    assert (first.from_us, first.settled_us, first.lingering) == (made[0].from_us, made[0].settled_us, [])
    assert (second.settled_us, second.confirmed_us, second.lingering) == (None, made[1].confirmed_us, ["lb1 6"])
