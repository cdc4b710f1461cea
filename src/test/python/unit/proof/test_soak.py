"""What is said of each process of a long run."""

import math
import random
from typing import Any

import pytest

from proof.soak_rows import (
    FALLS,
    FLAT,
    GROWS,
    MEASURES,
    NOT_SHOWN,
    PLAIN,
    TOO_SHORT,
    as_table,
    judged,
    trend_of,
)

HOUR = [10.0 * number for number in range(1, 361)]
MEMORY = MEASURES[0]


def word(values: list[float], limit: float = 1.0) -> str:
    trend = trend_of(list(zip(HOUR, values, strict=True)))
    assert trend is not None
    return trend.word(limit)


def test_what_stays_the_same_is_flat() -> None:
    assert word([40.0] * 360) == FLAT


def test_noise_around_a_level_is_flat() -> None:
    chance = random.Random(32)
    assert word([40 + chance.gauss(0, 0.5) for _ in HOUR]) == FLAT


def test_a_leak_grows_and_what_shrinks_falls() -> None:
    chance = random.Random(32)
    assert word([40 + 5 * at_s / 3600 + chance.gauss(0, 0.5) for at_s in HOUR]) == GROWS
    assert word([40 - 5 * at_s / 3600 + chance.gauss(0, 0.5) for at_s in HOUR]) == FALLS


def test_a_slope_that_may_be_more_or_less_than_what_is_allowed_is_not_called_flat() -> None:
    assert word([40 + 10 * math.sin(at_s / 500) for at_s in HOUR]) == NOT_SHOWN


def test_what_settles_in_the_first_quarter_does_not_count() -> None:
    assert word([40 - 20 * max(0.0, 1 - at_s / 800) for at_s in HOUR]) == FLAT


def test_a_leak_is_as_fast_in_an_hour_whatever_the_length_of_the_run() -> None:
    for length in (180, 270, 360):
        trend = trend_of([(at_s, 5 * at_s / 3600) for at_s in HOUR[:length]])
        assert trend is not None
        assert (trend.low, trend.high) == pytest.approx((5.0, 5.0))


def test_what_is_kept_for_a_quarter_of_an_hour_does_not_count_in_a_short_run() -> None:
    trend = trend_of([(at_s, 40 + 8 * min(1.0, at_s / 900)) for at_s in HOUR[:300]])
    assert trend is not None and trend.word(1.0) == FLAT


def test_of_less_than_half_an_hour_that_counts_no_word_is_said() -> None:
    """An allocator takes memory in steps: one of them in ten minutes would be three megabytes in an hour."""
    trend = trend_of([(at_s, 40 + 0.5 * (at_s > 1200)) for at_s in HOUR[:150]])
    assert trend is not None and trend.high > 3 and trend.word(1.0) == TOO_SHORT


def test_what_locust_keeps_by_itself_is_not_held_against_us() -> None:
    kept = [3 * at_s / 3600 for at_s in HOUR]
    rows = [
        {"process": "Locust", "at_s": at_s, "mb": 80 + mb, "kept_by_locust_mb": mb}
        | dict.fromkeys(("descriptors", "threads", "lag_p99_ms", "cpu_percent"))
        for at_s, mb in zip(HOUR, kept, strict=True)
    ]
    ((_, measure, trend, said),) = judged(rows)
    assert (measure, said) == (MEMORY, FLAT) and trend.mean == pytest.approx(80.0)


@pytest.mark.parametrize("values", [[], [(10.0, 1.0)], [(10.0, 1.0), (20.0, 1.0)]])
def test_of_too_few_values_nothing_is_said(values: list[tuple[float, float]]) -> None:
    assert trend_of(values) is None


def test_a_large_process_may_change_by_a_share_of_its_size() -> None:
    assert MEMORY.limit(10.0) == 1.0
    assert MEMORY.limit(200.0) == pytest.approx(6.0)


def result() -> dict[str, Any]:
    rows = [
        {
            "at_s": at_s,
            "process": process,
            "mb": 40.0,
            "descriptors": 12,
            "threads": 3,
            "cpu_percent": 1.0,
            "lag_p99_ms": lag,
            "kept_by_locust_mb": None,
        }
        for at_s in HOUR
        for process, lag in (("prober", 0.25), ("shipper", None))
    ]
    facts = {"requests": 720_000, "users": 50, "probes": 360_000, "scrape_ms": 1000, "streamed": 90_000, "left": 0}
    machine = {"load_median": 0.5, "load_most": 1.0, "beside": "nothing else ran on the machine"}
    return {"at": "2026-11-26", "minutes": 60.0, "verdict": "MEASURED", **facts, **machine, "rows": rows}


def test_a_process_is_a_line_with_a_word_for_each_measure_that_it_has() -> None:
    lines = as_table(PLAIN, result()).splitlines()
    assert lines[-2] == (
        "| prober | 40, +0.00…+0.00: flat | 12, +0.00…+0.00: flat | 3, +0.00…+0.00: flat "
        "| 0.25, +0.00…+0.00: flat | 1, +0.00…+0.00: flat |"
    )
    assert lines[-1].startswith("| shipper |")
    assert lines[-1].count("| - |") == 1


def test_what_its_report_took_is_told_where_it_was_looked_at() -> None:
    assert "report" not in as_table(PLAIN, result())
    cost = {"journal_mb": 468, "report_cpu_s": 39, "report_mb": 1_300}
    assert (
        as_table(PLAIN, {**result(), **cost})
        .splitlines()[0]
        .endswith("Its report, with 468 MB of journals, took 39 s of processor time and 1,300 MB of memory.")
    )


def test_a_form_that_has_not_been_run_has_no_table() -> None:
    assert as_table(PLAIN, None) == ""
