"""What a client that sends again told of reloads: the row of a series, and the table."""

from typing import Any

from proof.retrying_clients import CASES, as_table, broken, figures


def verdict(word: str = "MEASURED") -> dict[str, Any]:
    retrying_clients = [{"client": "urllib3", "requests": 1_000, "raised": 0, "resent": 135, "attempts": 1_135}]
    kinds = [{"kind": "pooled", "lost": 107}, {"kind": "idle", "lost": 9}]
    return {
        "verdict": word,
        "changes": {"made": 60, "lossy": 28, "kinds": kinds, "retrying_clients": retrying_clients},
    }


def row(place: int, **more: Any) -> dict[str, Any]:
    return {"case": CASES[place].name, "load_average": 1.25, **figures(verdict()), **more}


def test_of_what_urllib3_lost_stands_what_its_caller_was_told() -> None:
    line = as_table([row(0)]).splitlines()[2]
    assert line.endswith("| 60, 28 lossy | 1.2 | 107 | 0 of 135 |")


def test_a_series_without_a_verdict_or_without_trust_proves_nothing() -> None:
    assert list(broken([row(0), row(1)])) == []
    assert list(broken([row(0, verdict="INVALID")])) == [
        f"{CASES[0].name}: INVALID",
        f"{CASES[1].name}: no verdict",
    ]
