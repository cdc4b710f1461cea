"""The outage: vectors that both languages share, and what must hold for any outage."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.request_tables import table_of
from switchover.analysis.outage import Outage, OutageKind, measure_outage
from switchover.analysis.probes import Probe, in_send_order, probes_of
from switchover.model.outcome import Outcome
from switchover.report.text import outage_text
from synthetic import SECOND, refused, sample, steady
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
        "resolution_us": outage.resolution_us,
        "censored": outage.censored,
        "from_us": outage.from_us,
        "to_us": outage.to_us,
        "envelope_us": outage.envelope_us,
        "sum_of_gaps_us": outage.sum_of_gaps_us,
        "loss_derived_ms": outage.loss_derived_ms,
        "impaired": outage.impaired,
        "gap_count": len(outage.gaps),
        "gaps": [[g.from_us, g.to_us, g.failed, g.late] for g in outage.gaps[:3]],
        "strays": [[g.from_us, g.to_us, g.failed, g.late] for g in outage.strays],
        "printed": outage_text(outage),
    } == case["expect"]


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


@given(
    down=downs,
    length=st.integers(SECOND, 4 * SECOND),
    stuck=st.sets(st.integers(2, 10)),
    late_us=st.integers(1, SECOND),
)
def test_requests_that_were_overtaken_do_not_lengthen_the_time_that_is_certain(
    down: int, length: int, stuck: set[int], late_us: int
) -> None:
    probes = crisp(down, down + length)
    before = sum(probe.end_us < down for probe in probes)
    for number in stuck:
        start_us = probes[before - number].start_us
        probes[before - number] = Probe(start_us, down + late_us, Outcome.FAILED)
    assert measure(probes).length.low <= length


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


@given(down=downs, length=lengths, more=st.lists(st.integers(-5 * SECOND, -LATENCY_US), max_size=50))
def test_good_probes_before_the_run_change_nothing(down: int, length: int, more: list[int]) -> None:
    probes = crisp(down, down + length)
    earlier = [Probe(at, at + LATENCY_US, Outcome.GOOD) for at in more]
    assert measure(earlier + probes) == measure(probes)


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
    assert all(gap.duration_us >= 0 for gap in outage.gaps + outage.strays)
    assert outage.impaired <= sum(probe.impaired for probe in probes)
    assert (outage.kind is OutageKind.NONE) == (not outage.gaps)
    if outage.gaps and not outage.censored:
        assert outage.to_us is not None and (not next_event or outage.to_us < horizon)


def test_outage_is_not_closed_by_four_good_answers() -> None:
    probes = crisp(FIRED_US + 500, FIRED_US + SECOND)
    last_us = probes[-1].start_us
    recovered = [p for p in probes if p.start_us < FIRED_US + SECOND + 4 * INTERVAL_US]
    assert len([p for p in recovered if p.start_us >= FIRED_US + SECOND]) == 4
    assert measure(recovered, horizon_us=last_us).censored


def test_kept_connections_do_not_make_the_outage() -> None:
    kept = [sample(at, at + SECOND, success=False, stream="kept") for at in range(0, SECOND, 1000)]
    assert all(probe.outcome is Outcome.GOOD for probe in probes_of(table_of(steady(0, SECOND) + kept), SECOND))


def test_late_counts_from_when_the_probe_was_due() -> None:
    held_up = sample(900_000, 1_000_001, intended_us=0)
    assert [probe.outcome for probe in probes_of(table_of([held_up]), SECOND)] == [Outcome.LATE]
    assert [probe.outcome for probe in probes_of(table_of([held_up]), SECOND + 1)] == [Outcome.GOOD]


def test_a_failure_that_began_and_ended_before_the_fault_is_not_its_own() -> None:
    early = refused(FIRED_US - 3 * INTERVAL_US)
    outage = measure_outage(
        probes_of(table_of([*steady(0, END_US, INTERVAL_US), early]), SECOND),
        since_us=FIRED_US,
        horizon_us=END_US,
        rate=100,
    )
    assert outage.kind is OutageKind.NONE


def test_without_a_rate_there_is_no_loss_derived_figure() -> None:
    outage = measure_outage(
        in_send_order(crisp(FIRED_US + 500, FIRED_US + SECOND)), since_us=FIRED_US, horizon_us=END_US, rate=None
    )
    assert outage.loss_derived_ms is None and outage.duration_us > 0


def test_many_gaps_are_measured_in_reasonable_time() -> None:
    probes = [
        Probe(at, at + 300, Outcome.FAILED if at >= FIRED_US and at // 1000 % 2 else Outcome.GOOD)
        for at in range(0, END_US, 1000)
    ]
    outage = measure(probes)
    assert outage.kind is OutageKind.PARTIAL and len(outage.gaps) == 7000
