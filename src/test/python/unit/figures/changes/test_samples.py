"""What a series of changes cost the samples of a load: which crossed a change, which were lost, which waited."""

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

import synthetic
from support.changes import EVERY_US, SECOND_US, START_US, change
from support.contract import named
from support.request_tables import table_of
from switchover.figures.changes.changes import ChangeFigures, measure_changes
from switchover.figures.changes.samples import SAMPLES, measure_samples
from switchover.model.failure_kind import FailureKind
from switchover.model.identity import NO_ANSWER
from switchover.model.statistics import proportion_bounds
from switchover.rundir.run_directory import ChangeRun
from switchover.rundir.sample_log import Sample
from switchover.verdict.limit import parse_limit
from switchover.verdict.limit_checks import figure_text, judge_changes, limit_text

FILE = "changes.json"


def sample(
    start_us: int, end_us: int, *, error: str = "", label: str = "GET /", intended_us: int | None = None
) -> Sample:
    found = synthetic.sample(
        start_us,
        end_us,
        intended_us=intended_us,
        success=not error,
        error=FailureKind(error) if error else None,
        identity=NO_ANSWER,
    )
    return found._replace(label=label)


def measure(samples: Iterable[Sample], changes: int = 2) -> ChangeFigures:
    made = [change(number) for number in range(1, changes + 1)]
    found = measure_changes(made, None, 0, samples=table_of(samples))
    assert found is not None
    return found


@pytest.mark.parametrize("case", named(FILE, "cases"))
def test_samples_belong_to_changes_as_agreed(case: dict[str, Any]) -> None:
    made = [ChangeRun(**one) for one in case["changes"]]
    samples = [sample(start, end, error=error) for start, end, _, error in case["samples"]]
    cost = measure_samples(table_of(samples), made)
    (figures,) = cost.kinds
    expected = dict(case["expect"])
    felt = {str(number): by_kind[SAMPLES] for number, by_kind in cost.felt.items()}
    assert {number: [one.exposed, one.lost] for number, one in felt.items()} == expected.pop("felt")
    assert (figures.lossy_low, figures.lossy_high) == (expected.pop("lossy_low"), expected.pop("lossy_high"))
    assert {name: getattr(figures, name) for name in expected} == expected


@pytest.mark.parametrize("case", named(FILE, "waits"))
def test_waits_and_limits_are_as_agreed(case: dict[str, Any]) -> None:
    made = [ChangeRun(**one) for one in case["changes"]]
    samples = [
        sample(start, end, error=error, label=label, intended_us=due)
        for start, end, _, error, label, due in case["samples"]
    ]
    expected, found = dict(case["expect"]), None
    for asked in case["limits"]:
        found = measure_changes(made, None, 0, samples=table_of(samples), unread=asked["unread"])
        assert found is not None
        limit = parse_limit(asked["text"])
        result = judge_changes(limit, found)
        assert [result.low, result.high] == pytest.approx([asked["low"], asked["high"]])
        assert (result.state, result.note, str(limit)) == (asked["state"], asked["note"], asked["written"])
        assert (figure_text(result), limit_text(result)) == (asked["printed"], asked["limit"])
    assert found is not None
    told = msgspec.to_builtins(found.record)
    assert [told["delay_low_ms"], told["delay_high_ms"]] == expected.pop("caused")
    felt = {str(one["number"]): one["felt"][SAMPLES] for one in told["by_change"]}
    assert {name: [one["longest_ms"], one["delayed"]] for name, one in felt.items()} == expected.pop("felt")
    assert {name: told["kinds"][0][name] for name in expected} == expected


@pytest.mark.parametrize("case", named(FILE, "bounds"))
def test_bounds_are_as_agreed(case: dict[str, Any]) -> None:
    low, high = proportion_bounds(case["number"], case["total"], 0.95)
    assert low == pytest.approx(case["low"], abs=1e-6)
    assert high == pytest.approx(case["high"], abs=1e-6)


def test_samples_are_a_row_of_the_figures_and_their_losses_are_listed() -> None:
    lost = sample(START_US + EVERY_US - SECOND_US, START_US + EVERY_US + 200_000, error="reset", label="POST /slow")
    found = measure([sample(START_US, START_US + 1_000), lost])
    (row,) = found.record.kinds
    assert row.closed_politely == 0, "a sample has no connection to close"
    assert (row.kind, row.exposed, row.lost, row.lossy) == (SAMPLES, 1, 1, 1)
    (loss,) = found.record.losses
    assert (loss.kind, loss.change, loss.place, loss.error) == (SAMPLES, 1, "POST /slow", "reset")
    assert loss.after_change_ms == 200


def test_each_loss_is_told_with_the_change_that_it_belongs_to_in_the_order_of_time() -> None:
    begun_us = START_US + EVERY_US
    before = sample(START_US, START_US + 5, error="reset")
    crossing = sample(begun_us + SECOND_US, begun_us + 3 * SECOND_US, error="read_timeout")
    told = [
        (one.change, one.after_change_ms, one.error, one.ended_by, one.worker, one.position)
        for one in measure([crossing, before]).record.losses
    ]
    assert told == [(None, None, "reset", "", "", None), (1, 3 * SECOND_US / 1000, "read_timeout", "", "", None)]


def test_without_samples_and_connections_nothing_is_told() -> None:
    assert measure_changes([change(1)], None, 0, samples=table_of([])) is None
