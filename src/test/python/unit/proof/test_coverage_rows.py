"""Whether the capture's figure counts as inside the printed interval."""

from typing import Any

import pytest

from proof.coverage_rows import (
    OVERLOADED,
    coverage_table,
    is_covered,
    make_drill_table,
    missed_ms,
    not_proved,
    uniform_line,
)


def figure(low: float | None, high: float | None, capture: float | None) -> dict[str, Any]:
    return {"low_ms": low, "high_ms": high, "capture_ms": capture, "capture_bound_ms": 0.1}


def drill(capture: float = 3000.0, **changed: Any) -> dict[str, Any]:
    row = {
        "fault": "node-down",
        "load": "quiet",
        "seed": 1,
        "exit_code": 0,
        "verdict": "MEASURED",
        "load_average": 0.5,
        "unaccounted": 0,
        "probe_gap_ms": 12.0,
        "stolen_ms": 10.0,
        "prediction": {"low_ms": 2609.375, "high_ms": 3609.375, "inside": True},
        "outage": figure(2995.0, 3001.0, capture) | {"printed_low_ms": 2995.0, "printed_high_ms": 3001.0},
        "first_advert": figure(2990.0, 2991.0, 2990.5),
        "first_answer": figure(2999.0, 3001.0, 3000.0),
    }
    return row | changed


@pytest.mark.parametrize(
    ("low", "high", "capture", "missed"),
    [
        (10.0, 20.0, 15.0, 0.0),
        (10.0, 20.0, 20.05, 0.0),  # the capture's own bound reaches inside
        (10.0, 20.0, 20.6, 0.5),
        (10.0, 20.0, 9.4, 0.5),
        (None, 20.0, 15.0, None),
        (10.0, None, 15.0, None),
        (10.0, 20.0, None, None),
    ],
)
def test_a_miss_is_what_lies_beyond_both_bounds(
    low: float | None, high: float | None, capture: float | None, missed: float | None
) -> None:
    by = missed_ms(figure(low, high, capture))
    assert by == missed if missed is None else by == pytest.approx(missed)


@pytest.mark.parametrize(
    "flaw",
    [{"capture": 3010.0}, {"first_advert": figure(1.0, 2.0, None)}, {"unaccounted": 1}],
    ids=["one figure outside", "a figure that the capture lacks", "unaccounted requests"],
)
def test_a_flaw_leaves_the_drill_unproved(flaw: dict[str, Any]) -> None:
    assert is_covered(drill())
    assert not_proved(drill(**flaw))


def test_an_invalid_drill_claims_no_interval() -> None:
    row = drill(capture=3010.0, verdict="INVALID", exit_code=2)
    assert not not_proved(row)
    assert "| 1 INVALID | 0 of 0 | 0 of 0 | 0 of 0 | none |" in coverage_table([row])


def test_the_table_tells_the_worst_miss_and_the_largest_probe_gap() -> None:
    (line,) = coverage_table([drill(), drill(capture=3010.0, probe_gap_ms=40.0, stolen_ms=30.0)]).splitlines()[2:]
    assert line == (
        "| node-down, quiet | 0 to 0 | 2 MEASURED | 1 of 2 | 2 of 2 | 2 of 2 | 8.900 ms | 40.0 ms, 30 ms "
        "| 2 of 2 | 0 |"
    )


def test_a_machine_of_make_drill_is_a_line_with_what_was_stolen_and_what_the_capture_refutes() -> None:
    rows = [
        drill(load=OVERLOADED, most_stolen_ms=250.0),
        drill(load=OVERLOADED, most_stolen_ms=480.0, capture=3010.0),
        drill(load=OVERLOADED, most_stolen_ms=600.0, capture=3010.0, verdict="INVALID", exit_code=2),
    ]
    (line,) = make_drill_table(rows).splitlines()[2:]
    assert line == (
        "| overloaded | 0 to 0 | 3 | 2 | 2 MEASURED, 1 INVALID | 3,001 to 3,001 ms | 12.0 ms, 10 ms | 600 ms "
        "| 1 | 0 |"
    )


def test_outages_of_one_length_do_not_fit_the_uniform() -> None:
    assert uniform_line([drill()] * 30).endswith("p = 0.000.")
