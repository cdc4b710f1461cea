"""`make hitless`: what is made next, what its rows say, and the table that they make."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from proof import hitless
from proof.hitless import CASES, CHANGES, COLUMNS, FIRST_PIECE, PIECE, as_table, keep, next_piece, read_rows
from switchover.faults.catalogue import CHANGES as KNOWN
from switchover.lab.spec import LabSpec
from switchover.model.held_kind import HeldKind

CASE = CASES[0]
LONG_S = 10_000.0


def row(number: int, word: str = "MEASURED", **lost: int) -> Mapping[str, str]:
    values = {
        "case": CASE.name,
        "software": "HAProxy 2.6.12",
        "load_average": "0.10",
        "series": "1",
        "verdict": word,
        "change": str(number),
    }
    for kind in hitless.KINDS:
        values |= {f"{kind}_open": "10", f"{kind}_lost": str(lost.get(kind, 0))}
    values |= {f"{kind}_closed": "0" for kind in HeldKind}
    return values


def rows(count: int, **lost: int) -> list[Mapping[str, str]]:
    return [row(number, "MEASURED", **lost) for number in range(1, count + 1)]


def test_the_first_series_is_short_and_the_last_one_fills_up() -> None:
    assert next_piece(CASE, [], LONG_S) == FIRST_PIECE
    assert next_piece(CASE, rows(FIRST_PIECE), LONG_S) == PIECE
    assert next_piece(CASE, rows(CHANGES - 3), LONG_S) == 3
    assert next_piece(CASE, rows(CHANGES), LONG_S) == 0


def test_twenty_lossy_ones_are_enough_however_many_each_lost() -> None:
    assert next_piece(CASE, rows(20, pooled=9), LONG_S) == 0
    assert next_piece(CASE, rows(19, fresh=1), LONG_S) == PIECE


def test_nothing_is_begun_that_would_end_too_late() -> None:
    assert next_piece(CASE, rows(FIRST_PIECE), 180) == int((180 - hitless.AROUND_S) / 2.4)
    assert next_piece(CASE, rows(FIRST_PIECE), 60) == 0


def test_an_invalid_series_is_kept_and_not_counted() -> None:
    kept = [row(1, word="INVALID", pooled=1), row(2), row(3)]
    assert next_piece(CASE, kept, LONG_S) == PIECE
    assert f"| `{CASE.name}` (HAProxy 2.6.12) | 0 of 2 | 77.6 % | 0 of 20 |" in as_table(kept)


def test_the_table_says_of_each_kind_what_was_lost_of_what_was_open() -> None:
    table = as_table([row(1, download=3, upload=1, sse=2), row(2)])
    line = table.splitlines()[2]
    assert line.endswith("| 1 of 2 | 97.5 % | 0 of 20 | 0 of 20 | 0 of 20 | 4 of 40 | 0 of 20 | 2 of 40 | 0 of 20 |")


def test_websockets_that_were_closed_politely_are_told_beside_those_that_were_lost() -> None:
    closed = {**row(1, websocket=1), "websocket_closed": "9", "pooled_closed": "10"}
    assert "| 0 of 10 | 0 of 10 | 0 of 20 | 1 of 10, 9 closed | 0 of 20 |" in as_table([closed])


def test_a_kind_that_a_balancer_does_not_proxy_has_a_dash() -> None:
    without = {
        **row(1),
        **dict.fromkeys((f"{kind}_{what}" for kind in ("h2", "tcp") for what in ("open", "lost", "closed")), ""),
    }
    assert as_table([without]).splitlines()[2].endswith("| 0 of 10 | - |")


def test_how_busy_the_machine_was_and_whether_each_answer_was_explained_stands_below_the_table() -> None:
    made = [row(1), row(2), {**row(1, word="FAILED"), "series": "2", "load_average": "3.96"}, row(1, "NO EFFECT")]
    made[-1] = {**made[-1], "series": "3", "load_average": "50"}
    assert as_table(made).splitlines()[-1] == (
        "The changes ran in 2 series. 1 series had unaccounted requests or a split brain. At the start of a series, "
        "the machine's load average was 0.1 to 4.0."
    )


def test_rows_come_back_as_they_were_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hitless, "FILE", tmp_path / "hitless.csv")
    assert read_rows() == []
    keep(rows(2, websocket=1))
    assert read_rows() == rows(2, websocket=1)
    assert set(row(1)) == set(COLUMNS)


def test_a_row_is_made_of_each_change_and_of_the_fresh_requests_after_it(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(
        '{"plan": {"changes": [{"number": 1, "exposed": {"pooled": 30}}, {"number": 2, "exposed": {"pooled": 29}}]}}'
    )
    times = (("900", "false"), ("1000", "true"), ("1999", "false"), ("2000", "true"), ("2500", "true"))
    lines = [f"{start},{success}" for start, success in times]
    (tmp_path / "probes.jtl").write_text("\n".join(("start_us,success", *lines)) + "\n")
    made = [
        {"number": 1, "from_us": 1_000, "felt": {"pooled": {"lost": 2}}},
        {"number": 2, "from_us": 2_000, "felt": {}},
    ]
    verdict = {"verdict": "MEASURED", "changes": {"by_change": made}}
    first, second = hitless.change_rows(CASE, 7, verdict, tmp_path)
    assert (first["series"], first["change"], second["change"]) == ("7", "1", "2")
    assert [(one["fresh_open"], one["fresh_lost"]) for one in (first, second)] == [("2", "1"), ("2", "0")]
    assert [(one["pooled_open"], one["pooled_lost"]) for one in (first, second)] == [("30", "2"), ("29", "0")]
    assert first["tcp_open"] == first["tcp_lost"] == "", "it was not kept open"


def test_each_case_is_a_change_of_the_catalogue_in_a_lab_that_there_is() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert {case.change for case in CASES} == set(KNOWN) - {"haproxy-drain", "keepalived-stop"}, "drilled as faults"
    for case in CASES:
        LabSpec(balancer=case.balancer, connections=True)
    assert set(HeldKind) < set(hitless.KINDS)
