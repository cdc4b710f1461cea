"""What the client's own records have to agree in: slots of the schedule, and lines that are there twice."""

from typing import Any

import pytest

from support.records import line
from support.request_tables import table_of
from switchover.figures.accounting.own_records import doubled, schedule_lines
from switchover.rundir.run_records import ProbeAccount
from switchover.rundir.sample_log import Sample
from synthetic import sample

OWN_COUNT = "the prober's own count"
FRESH, KEPT = "slots of the schedule, fresh connections", "slots of the schedule, kept connections"


def sent(number: int, *, kept: int | None = None, unsent: int = 2) -> ProbeAccount:
    of_kept = {} if kept is None else {"kept": {"scheduled": kept + unsent, "unsent": unsent}}
    return ProbeAccount.of({"scheduled": number + unsent, "unsent": unsent, **of_kept})


def probes(*slots: int | None, stream: str = "fresh") -> list[Sample]:
    return [sample(1_000 + place, 2_000, intended_us=slot, stream=stream) for place, slot in enumerate(slots)]


@pytest.mark.parametrize(
    ("slots", "account", "wrong"),
    [
        ((1, 2, 3), 3, 0),
        ((1, 2), 3, 1),
        ((1, 2, 2), 3, 2),
        ((1, 2, 3, 3), 3, 1),
        ((1, 2, 3, 4), 3, 1),
        ((1, 2, None), 3, 0),
        ((1, None, None), 3, 2),
        ((), 3, 3),
    ],
)
def test_a_line_that_is_not_there_and_one_that_is_there_twice_are_each_one_that_is_wrong(
    slots: tuple[int | None, ...], account: int, wrong: int
) -> None:
    """All lines without a slot are as one slot."""
    lines = schedule_lines(table_of(probes(*slots)), sent(account))
    assert lines == [line(FRESH, len(slots), account, OWN_COUNT, unaccounted=wrong)]


@pytest.mark.parametrize(
    ("other", "again"),
    [
        ({}, 1),
        ({"thread": "t-2"}, 0),
        ({"end_us": 2_001}, 0),
        ({"label": "other"}, 0),
        ({"start_us": 1_001}, 0),
        ({"session": "other"}, 1),
    ],
)
def test_a_line_is_there_twice_where_its_times_its_thread_and_its_label_are_the_same(
    other: dict[str, Any], again: int
) -> None:
    one = sample(1_000, 2_000, thread="t-1")
    assert doubled(table_of([one, one._replace(**other)])) == again


@pytest.mark.parametrize(("end_us", "thread"), [(1_000, "t-1"), (2_000, "")])
def test_equal_requests_without_a_duration_or_a_thread_are_no_duplicates(end_us: int, thread: str) -> None:
    """A client may be refused twice within a millisecond."""
    assert doubled(table_of([sample(1_000, end_us, thread=thread)] * 2)) == 0
