"""The outage: vectors that both languages share, and what must hold for any outage."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.probes import Probe, in_send_order
from support.request_tables import table_of
from switchover.figures.outage import STABILITY_WINDOW_US, Gap, Outage, _closing, measure_outage
from switchover.figures.probes import probes_of
from switchover.model.interval import Span
from switchover.model.outcome import Outcome
from switchover.verdict.record import OutageKind
from synthetic import SECOND, refused, steady
from vectors import cases, expand

INTERVAL_US = 10_000
LATENCY_US = 400
FIRED_US = 2 * SECOND
END_US = 16 * SECOND


@pytest.mark.parametrize("case", cases("outage"), ids=lambda case: case["name"])
def test_outage_is_as_the_vectors_say(case: dict[str, Any]) -> None:
    outage = measure_outage(
        probes_of(table_of(expand(case["series"])), case["late_us"]),
        since_us=case["since_us"],
        horizon_us=case["horizon_us"],
        rate=case["rate"],
        next_event=case["next_event"],
    )
    assert {
        "kind": outage.kind.value,
        "duration_us": outage.duration_us,
        "early_us": outage.duration_us - (outage.length.low if outage.gaps else 0),
        "low_us": outage.length.low,
        "high_us": outage.length.high,
        "detection_limit_us": outage.detection_limit_us,
        "censored": outage.censored,
        "from_us": outage.from_us,
        "to_us": outage.to_us,
        "envelope_us": outage.envelope_us,
        "sum_of_gaps_us": outage.sum_of_gaps_us,
        "loss_derived_ms": outage.loss_derived_ms,
        "impaired": outage.impaired,
        "gap_count": len(outage.gaps),
        "gaps": [[g.from_us, g.to_us, g.failed, g.late] for g in outage.gaps[:3]],
        "later_gaps": [[g.from_us, g.to_us, g.failed, g.late] for g in outage.later_gaps],
    } == {name: value for name, value in case["expect"].items() if name != "printed"}


def measure(probes: list[Probe], since_us: int = FIRED_US, horizon_us: int = END_US) -> Outage:
    return measure_outage(in_send_order(probes), since_us=since_us, horizon_us=horizon_us, rate=1e6 / INTERVAL_US)


def crisp(down_us: int, up_us: int, *, refuses: bool = True, offset_us: int = 0) -> list[Probe]:
    """A service that is wholly up outside [down, up): a probe is good if it is up from its sending to its answer."""
    probes = []
    for start_us in range(offset_us, END_US, INTERVAL_US):
        good = start_us + LATENCY_US < down_us or start_us >= up_us
        failed_us = max(start_us + (150 if refuses else 250_000), down_us)
        end_us, outcome = (start_us + LATENCY_US, Outcome.GOOD) if good else (failed_us, Outcome.FAILED)
        probes.append(Probe(start_us, end_us, outcome))
    return probes


downs = st.integers(FIRED_US + LATENCY_US, FIRED_US + SECOND)
lengths = st.integers(3 * INTERVAL_US, 4 * SECOND)
offsets = st.integers(0, INTERVAL_US - 1)


@given(down=downs, length=lengths, offset=offsets, refuses=st.booleans())
def test_the_true_outage_lies_within_the_figure_and_its_bound(
    down: int, length: int, offset: int, refuses: bool
) -> None:
    outage = measure(crisp(down, down + length, refuses=refuses, offset_us=offset))
    # The figure is seen one answer's way later at both edges, so the way cancels out.
    assert outage.length.low <= length <= outage.duration_us + LATENCY_US
    assert outage.duration_us - outage.length.low <= 2 * INTERVAL_US + 2 * LATENCY_US


@given(down=downs, length=lengths, offset=offsets, shift=st.integers(-(10**12), 10**15))
def test_shifting_time_shifts_only_the_edges(down: int, length: int, offset: int, shift: int) -> None:
    probes = crisp(down, down + length, offset_us=offset)
    shifted = [Probe(p.start_us + shift, p.end_us + shift, p.outcome) for p in probes]
    one, other = measure(probes), measure(shifted, FIRED_US + shift, END_US + shift)
    assert (one.duration_us, one.length, one.kind, one.censored) == (
        other.duration_us,
        other.length,
        other.kind,
        other.censored,
    )
    assert one.from_us is not None and other.from_us == one.from_us + shift


@given(
    outcomes=st.lists(st.sampled_from([Outcome.GOOD, Outcome.FAILED, Outcome.LATE]), min_size=1, max_size=120),
    took=st.lists(st.integers(1, 3 * SECOND), min_size=120, max_size=120),
    horizon=st.integers(FIRED_US + 1, END_US),
    next_event=st.booleans(),
)
@settings(max_examples=200)
def test_whatever_happened_the_figures_agree_with_one_another(
    outcomes: list[Outcome], took: list[int], horizon: int, next_event: bool
) -> None:
    probes = in_send_order(
        Probe(at * 100_000, at * 100_000 + took[at], outcome) for at, outcome in enumerate(outcomes)
    )
    outage = measure_outage(probes, since_us=FIRED_US, horizon_us=horizon, rate=10, next_event=next_event)
    assert 0 <= outage.length.low <= outage.duration_us <= outage.envelope_us or outage.kind is OutageKind.NONE
    assert all(gap.duration_us >= 0 for gap in outage.gaps + outage.later_gaps)
    assert outage.impaired <= int(probes.impaired.sum())
    assert (outage.kind is OutageKind.NONE) == (not outage.gaps)
    if outage.gaps and not outage.censored:
        assert outage.to_us is not None and (not next_event or outage.to_us < horizon)


def test_a_failure_that_began_and_ended_before_the_fault_is_not_its_own() -> None:
    early = refused(FIRED_US - 3 * INTERVAL_US)
    outage = measure_outage(
        probes_of(table_of([*steady(0, END_US, INTERVAL_US), early]), SECOND),
        since_us=FIRED_US,
        horizon_us=END_US,
        rate=100,
    )
    assert outage.kind is OutageKind.NONE


def test_many_gaps_are_measured_in_reasonable_time() -> None:
    probes = [
        Probe(at, at + 300, Outcome.FAILED if at >= FIRED_US and at // 1000 % 2 else Outcome.GOOD)
        for at in range(0, END_US, 1000)
    ]
    outage = measure(probes)
    assert outage.kind is OutageKind.PARTIAL and len(outage.gaps) == 7000


def gap(from_us: int, to_us: int, **known: Any) -> Gap:
    usual: dict[str, Any] = {
        "first_us": from_us + 1,
        "last_us": to_us,
        "known_from_us": from_us,
        "early_left_us": 0,
        "early_right_us": 0,
        "failed": 1,
        "late": 0,
        "closed": True,
    }
    return Gap(from_us=from_us, to_us=to_us, **(usual | known))


def test_overtaken_requests_around_an_outage_are_left_out_of_what_is_certain() -> None:
    around = (
        gap(0, 40, known_from_us=60),
        gap(40, 100, known_from_us=120),
        gap(100, 900, early_left_us=10, early_right_us=20),
        gap(900, 950, last_us=880),
        gap(950, 990, last_us=940),
    )
    outage = Outage(OutageKind.OUTAGE, around)
    assert (outage.length.low, outage.length.high) == (800 - 30, 990)
    assert Outage(OutageKind.PARTIAL, around).length.low == 990
    assert Outage(OutageKind.OUTAGE, around[:3]).length.low == 800 - 30
    assert Outage(OutageKind.OUTAGE, around[2:]).length.low == 800 - 30
    assert Outage(OutageKind.OUTAGE, around[:2]).length.low == 60, "the last one is left"
    assert Outage(OutageKind.OUTAGE, around[3:]).length.low == 50, "the first one is left"


def test_the_figures_of_an_outage_count_its_later_gaps_where_they_say_so() -> None:
    """A later gap may lie within the outage: its answers came in another order than they were asked for."""
    outage = Outage(
        OutageKind.OUTAGE,
        (gap(100, 400, failed=3, late=2, early_right_us=7), gap(500, 900, failed=4, early_right_us=9)),
        later_gaps=(gap(2_000, 2_100, failed=0, late=5), gap(2_200, 2_050)),
    )
    assert (outage.from_us, outage.to_us, outage.duration_us) == (100, 900, 800)
    assert outage.record.first_bad_us == 101
    assert outage.impaired == 3 + 2 + 4 + 5 + 1
    assert outage.envelope_us == 2_000
    assert outage.sum_of_gaps_us == 300 + 400 + 100 - 150
    assert outage.longest_later_gap_us == 100
    assert outage.edges == (Span(100, 101), Span(891, 900))


@pytest.mark.parametrize(
    ("good", "away_us", "closed", "closing"),
    [
        ((5, 0), STABILITY_WINDOW_US, True, 0),
        ((4, 5), STABILITY_WINDOW_US, True, 1),
        ((5, 5), STABILITY_WINDOW_US - 1, True, 1),
        ((5, 5), STABILITY_WINDOW_US, False, 1),
        ((5, 4), STABILITY_WINDOW_US - 1, True, None),
    ],
)
def test_a_clean_window_is_five_good_answers_and_five_seconds(
    good: tuple[int, int], away_us: int, closed: bool, closing: int | None
) -> None:
    """They count from the first good answer to the next impaired probe's sending."""
    first, second = gap(100, 1_000, closed=closed), gap(1_500, 9_000_000, first_us=1_000 + away_us)
    assert _closing([(first, good[0]), (second, good[1])]) == closing


def good(start_us: int, took_us: int = LATENCY_US) -> Probe:
    return Probe(start_us, start_us + took_us, Outcome.GOOD)


def failed(start_us: int, end_us: int) -> Probe:
    return Probe(start_us, end_us, Outcome.FAILED)


AWAY = [failed(2_100_000, 2_200_000), failed(2_200_000, 2_300_000)]
BACK = [good(3_000_000 + at * INTERVAL_US) for at in range(6)]


@pytest.mark.parametrize(
    ("before", "from_us", "early_left_us"),
    [
        ([good(1_899_600)], 1_900_000, 200_400),
        ([good(1_000_000), failed(1_500_000, 1_950_000)], FIRED_US, 0),
        ([failed(1_000_000, 1_950_000), good(1_899_600)], FIRED_US, 0),
        ([failed(1_000_000, 1_850_000), good(1_899_600)], 1_900_000, 200_400),
        ([failed(1_500_000, 1_950_000), good(FIRED_US - LATENCY_US)], FIRED_US, 100_400),
        ([good(1_899_600), good(2_050_000, 150_000)], 2_200_000, 0),
        ([], FIRED_US, 200_000),
    ],
    ids=[
        "from the last good answer",
        "away already: from the event",
        "away already, and asked long ago",
        "asked long ago, and answered since",
        "away already, and back at the event",
        "answered up to the first failure",
        "no answer ever: from the event",
    ],
)
def test_an_outage_begins_with_the_last_answer_or_with_the_event_if_it_was_there_before(
    before: list[Probe], from_us: int, early_left_us: int
) -> None:
    (found,) = measure([*before, *AWAY, *BACK]).gaps
    assert (found.from_us, found.early_left_us) == (from_us, early_left_us)
    assert (found.first_us, found.last_us, found.known_from_us) == (2_100_000, 2_200_000, 2_200_000)
    assert (found.to_us, found.early_right_us, found.closed) == (3_000_400, 800_400, True)
    assert (found.failed, found.late) == (2, 0)


@pytest.mark.parametrize(
    ("start_us", "end_us", "next_event", "counts"),
    [
        (END_US - 10, END_US - 1, True, True),
        (END_US - 10, END_US, True, False),
        (END_US, END_US + 1, True, False),
        (END_US, END_US + 1, False, True),
    ],
)
def test_what_was_in_flight_at_the_next_event_and_failed_behind_it_is_that_events(
    start_us: int, end_us: int, next_event: bool, counts: bool
) -> None:
    probes = [*crisp(0, 0)[:-5], failed(start_us, end_us)]
    known: dict[str, Any] = {"since_us": FIRED_US, "horizon_us": END_US, "rate": 100}
    outage = measure_outage(in_send_order(probes), **known, next_event=next_event)
    assert bool(outage.gaps) is counts
    assert outage.censored is counts
    if next_event:
        assert measure(probes) == outage, "where nothing is said, an event follows"


@pytest.mark.parametrize(
    ("slow", "from_us"),
    [
        ([good(1_899_600)], 1_900_000),
        ([good(1_899_600), good(2_010_000)], 2_010_400),
        ([good(2_010_000), good(2_020_000, 280_400)], 2_300_400),
        ([good(2_010_000), good(2_020_000, 280_401)], 2_010_400),
    ],
)
def test_an_answer_that_came_after_the_gap_does_not_begin_it(slow: list[Probe], from_us: int) -> None:
    """It was asked for before the failure, and overtaken by the answer that ended it."""
    overtaken = good(2_050_000, 1_450_000)
    probes = [*slow, overtaken, failed(2_100_000, 2_200_000), good(2_300_000), *BACK]
    (found,) = measure(probes).gaps
    assert (found.from_us, found.to_us) == (from_us, 2_300_400)


def late(start_us: int, end_us: int) -> Probe:
    return Probe(start_us, end_us, Outcome.LATE)


def test_an_answer_that_was_held_shows_when_it_was_asked_for_but_none_of_the_next_gap_does() -> None:
    held = good(2_150_000, 850_000)
    probes = [good(1_899_600), failed(2_100_000, 2_120_000), held, failed(2_200_000, 2_300_000), *BACK[1:]]
    first = measure(probes).gaps[0]
    assert (first.to_us, first.early_right_us) == (3_000_000, 850_000)


@pytest.mark.parametrize(
    ("overtaken", "from_us"),
    [
        ([failed(1_500_000, 2_100_000), good(1_899_600)], 1_900_000),
        ([failed(1_899_600, 2_100_000), good(1_899_600)], 1_900_000),
        ([good(1_899_600), good(2_040_000, 60_000), failed(2_050_000, 2_300_000)], 2_100_000),
    ],
)
def test_a_request_that_was_overtaken_shows_nothing_before_its_own_end(overtaken: list[Probe], from_us: int) -> None:
    """Its answer would usually have come before another one did, and that one shows that the service was alive."""
    (found,) = measure([*overtaken, *BACK]).gaps
    assert (found.from_us, found.early_left_us) == (from_us, 200_000)
