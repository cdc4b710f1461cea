"""The outage: vectors that both languages share, and what must hold for any outage."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from support.probes import Probe, in_send_order
from support.request_tables import table_of
from switchover.figures.outage import Outage, measure_outage
from switchover.figures.probes import probes_of
from switchover.model.outcome import Outcome
from switchover.report import figures_text as text
from switchover.verdict.record import OutageKind
from synthetic import SECOND
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
    record = outage.record
    bounds = text.length_bounds(record)
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
        "envelope_us": round(record.envelope_ms * 1000),
        "sum_of_gaps_us": round(record.sum_of_gaps_ms * 1000),
        "loss_derived_ms": record.loss_derived_ms,
        "impaired": outage.impaired,
        "gap_count": len(outage.gaps),
        "gaps": [[g.from_us, g.to_us, g.failed, g.late] for g in outage.gaps[:3]],
        "later_gaps": [[g.from_us, g.to_us, g.failed, g.late] for g in outage.later_gaps],
        "printed": " ".join(filter(None, (text.length(record), bounds and f"({bounds})"))),
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
@settings(max_examples=examples(200))
def test_whatever_happened_the_figures_agree_with_one_another(
    outcomes: list[Outcome], took: list[int], horizon: int, next_event: bool
) -> None:
    probes = in_send_order(
        Probe(at * 100_000, at * 100_000 + took[at], outcome) for at, outcome in enumerate(outcomes)
    )
    outage = measure_outage(probes, since_us=FIRED_US, horizon_us=horizon, rate=10, next_event=next_event)
    assert (
        0 <= outage.length.low <= outage.duration_us <= outage.record.envelope_ms * 1000 + 1
        or outage.kind is OutageKind.NONE
    )
    assert all(gap.duration_us >= 0 for gap in outage.gaps + outage.later_gaps)
    assert outage.impaired <= int(probes.impaired.sum())
    assert (outage.kind is OutageKind.NONE) == (not outage.gaps)
    if outage.gaps and not outage.censored:
        assert outage.to_us is not None and (not next_event or outage.to_us < horizon)


def test_many_gaps_are_measured_in_reasonable_time() -> None:
    probes = [
        Probe(at, at + 300, Outcome.FAILED if at >= FIRED_US and at // 1000 % 2 else Outcome.GOOD)
        for at in range(0, END_US, 1000)
    ]
    outage = measure(probes)
    assert outage.kind is OutageKind.PARTIAL and len(outage.gaps) == 7000


def test_a_gap_has_its_first_and_its_last_impaired_probe() -> None:
    """Three probes fail; the first that is sent is the last to fail."""
    sent, ends = (FIRED_US + 5_000, FIRED_US + 15_000, FIRED_US + 25_000), (90_000, 20_000, 30_000)
    bad = [Probe(at, FIRED_US + end, Outcome.FAILED) for at, end in zip(sent, ends, strict=True)]
    good = [Probe(at, at + LATENCY_US, Outcome.GOOD) for at in range(FIRED_US + 35_000, END_US, INTERVAL_US)]
    (found,) = measure([Probe(0, LATENCY_US, Outcome.GOOD), *bad, *good]).gaps
    assert (found.first_us, found.last_us, found.known_from_us) == (sent[0], sent[2], FIRED_US + 20_000)
