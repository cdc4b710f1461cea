"""What verdict.json says of a series of changes, field by field."""

from dataclasses import replace

from support.changes import EVERY_US, SECOND_US, START_US, change
from switchover.analysis.change_cost import Felt, KindFigures, Loss
from switchover.analysis.change_delay import Delay
from switchover.analysis.change_figures import ChangeFigures
from switchover.analysis.change_json import changes_json, dead_json
from switchover.analysis.change_retrying_client import RetryingClientFigures
from switchover.analysis.dead_connections import DeadConnections
from switchover.model.held_kind import HeldKind
from switchover.model.interval import Interval

KIND = KindFigures(
    kind="pooled",
    exposed=7,
    lost=2,
    lost_elsewhere=3,
    lossy=1,
    changes=2,
    closed_politely=4,
    reset=5,
    generator_errors=6,
    delay=Delay(longest_us=40_123, usual=Interval(1_001, 2_002), by_change={1: 40_123}),
    caused=Interval(38_121.4, 39_122),
)
LOSS = Loss(
    kind="pooled",
    rank=1,
    change=1,
    at_us=START_US + EVERY_US + 1_234,
    after_change_us=1_234,
    error="reset",
    ended_by="rst",
    position=8,
    worker="6",
    place="2.1",
)
MADE = (change(1), change(2, lingering=True))
FIGURES = ChangeFigures(
    made=MADE,
    kinds=(KIND,),
    by_change={1: 2},
    felt={1: {"pooled": Felt(exposed=7, lost=2, closed_politely=4, longest_us=40_123, delayed=True)}},
    losses=(LOSS,),
    lingering=1,
    lost_before=0,
    asked_before=0,
    generator_errors=0,
    unread=0,
    retrying_clients=(RetryingClientFigures(client="urllib3", requests=9, raised=1, resent=2, attempts=12),),
)


def test_a_series_is_told_with_its_bounds_its_delay_its_changes_and_its_losses() -> None:
    found = changes_json(FIGURES)
    assert found.pop("kinds") == [
        {
            "kind": "pooled",
            "exposed": 7,
            "lost": 2,
            "lost_elsewhere": 3,
            "lost_per_thousand": 285.714,
            "lossy": 1,
            "lossy_low": 0.025320566,
            "lossy_high": 0.974679434,
            "closed_politely": 4,
            "reset": 5,
            "generator_errors": 6,
            "delay_longest_ms": 40.123,
            "delay_between_low_ms": 1.001,
            "delay_between_high_ms": 2.002,
            "delay_caused_low_ms": 38.121,
            "delay_caused_high_ms": 39.122,
        }
    ]
    assert found.pop("by_change") == [
        {
            "number": 1,
            "from_us": START_US + EVERY_US,
            "confirmed_us": START_US + EVERY_US + 120_000,
            "settled_us": START_US + EVERY_US + SECOND_US,
            "lingering": [],
            "lost": 2,
            "felt": {
                "pooled": {
                    "exposed": 7,
                    "lost": 2,
                    "closed_politely": 4,
                    "longest_ms": 40.123,
                    "delayed": True,
                }
            },
        },
        {
            "number": 2,
            "from_us": START_US + 2 * EVERY_US,
            "confirmed_us": START_US + 2 * EVERY_US + 120_000,
            "settled_us": None,
            "lingering": ["lb1 6"],
            "lost": 0,
            "felt": {},
        },
    ]
    assert found == {
        "made": 2,
        "lost": 2,
        "lossy": 1,
        "lossy_low": 0.025320566,
        "lossy_high": 0.974679434,
        "confidence": 0.95,
        "lingering": 1,
        "delay_low_ms": 38.121,
        "delay_high_ms": 39.122,
        "retrying_clients": [
            {"client": FIGURES.retrying_clients[0].client, "requests": 9, "raised": 1, "resent": 2, "attempts": 12},
        ],
        "losses": [
            {
                "kind": "pooled",
                "change": 1,
                "at_us": START_US + EVERY_US + 1_234,
                "after_change_ms": 1.234,
                "error": "reset",
                "ended_by": "rst",
                "position": 8,
                "worker": "6",
                "place": "2.1",
            }
        ],
    }


def test_what_is_not_known_of_a_series_is_null() -> None:
    kind = replace(KIND, exposed=0, delay=None, caused=None)
    loss = replace(LOSS, change=None, after_change_us=None, position=None)
    found = changes_json(
        replace(FIGURES, kinds=(kind,), losses=(loss,), felt={1: {"pooled": Felt(exposed=1, longest_us=None)}})
    )
    assert found["delay_low_ms"] is None and found["delay_high_ms"] is None
    assert found["kinds"][0]["lost_per_thousand"] is None
    assert {value for name, value in found["kinds"][0].items() if name.startswith("delay_")} == {None}
    assert found["losses"][0]["after_change_ms"] is None
    assert found["by_change"][0]["felt"]["pooled"]["longest_ms"] is None


def test_the_connections_that_a_fault_has_killed_are_told_by_what_told_of_them() -> None:
    dead = DeadConnections(
        kind=HeldKind.POOLED,
        open=9,
        dead=8,
        by_fin=1,
        by_rst=2,
        by_timeout=3,
        untold=2,
        median_us=200_100,
        longest_us=3_000_999,
    )
    found = {
        "kind": "pooled",
        "open": 9,
        "dead": 8,
        "by_fin": 1,
        "by_rst": 2,
        "by_timeout": 3,
        "untold": 2,
        "median_ms": 200.1,
        "longest_ms": 3000.999,
    }
    assert dead_json(dead) == found
    untold = replace(dead, median_us=None, longest_us=None)
    assert dead_json(untold) == found | {"median_ms": None, "longest_ms": None}
