"""What clients that send again told of reloads: the row of a series, and the table."""

from typing import Any

from proof.twins import CASES, as_table, broken, figures

TWINS = (("urllib3", 0, 135), ("go", 86, 0), ("go-keyed", 0, 73))


def verdict(word: str = "MEASURED") -> dict[str, Any]:
    twins = [
        {"client": client, "requests": 1_000, "raised": raised, "resent": resent, "attempts": 1_000 + resent}
        for client, raised, resent in TWINS
    ]
    kinds = [{"kind": "pooled", "lost": 107}, {"kind": "idle", "lost": 9}]
    return {"word": word, "changes": {"made": 60, "lossy": 28, "kinds": kinds, "twins": twins}}


def row(place: int, **more: Any) -> dict[str, Any]:
    return {"case": CASES[place].name, "load_average": 1.25, **figures(verdict()), **more}


def test_of_what_each_client_lost_stands_what_its_caller_was_told() -> None:
    line = as_table([row(0)]).splitlines()[2]
    assert line.endswith("| 60, 28 lossy | 1.2 | 107 | 0 of 135 | 86 of 86 | 0 of 73 |")


def test_a_series_without_a_verdict_without_trust_or_without_go_proves_nothing() -> None:
    assert list(broken([row(0), row(1)])) == []
    assert list(broken([row(0, word="NOT TRUSTED")])) == [
        f"{CASES[0].name}: NOT TRUSTED",
        f"{CASES[1].name}: no verdict",
    ]
    alone = {"urllib3": figures(verdict())["twins"]["urllib3"]}
    assert list(broken([row(0, twins=alone), row(1)])) == [f"{CASES[0].name}: twins urllib3 alone"]
    assert "| 0 of 135 | not measured | not measured |" in as_table([row(0, twins=alone)])
