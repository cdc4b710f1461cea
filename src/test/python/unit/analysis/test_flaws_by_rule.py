"""What is held against a file that has no seal: the end of its run, and what the run counted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from switchover.analysis.flaws import Flaw, count_probes, find_flaws, is_flawed, why_flawed, why_unsealed
from switchover.analysis.ledger import Accounting, Line
from switchover.analysis.log_ledger import ACCESS_LOG
from switchover.rundir.journal import JournalRecord
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run
from switchover.rundir.run_records import ProbeAccount, WorkerFacts
from switchover.rundir.seal import Damage, Seal
from switchover.verdict.reasons import make_reason
from synthetic import END, SECOND, pair_run

SEAL = Seal(0, 0, ())


def flaws(
    run: Run,
    *records: JournalRecord,
    damage: Sequence[Damage] = (),
    sealed: Sequence[str] = (),
    rows: Mapping[str, int] | None = None,
) -> list[str]:
    found = find_flaws(run, records, damage, {name: [SEAL] for name in sealed}, rows or {})
    assert all(flaw.reason.figures["name"] == flaw.name for flaw in found)
    return [flaw.reason.text for flaw in found]


def journal(name: str, *points: Point, is_sealed: bool = False, damage: Damage | None = None) -> JournalRecord:
    return JournalRecord(name, points, is_sealed, damage)


def event(kind: str, at_us: int) -> Point:
    return Point("switchover_event", {"kind": kind}, {"text": ""}, at_us * 1000)


def second(measurement: str, at_s: int, count: Any) -> Point:
    return Point(measurement, {}, {"count": count}, at_s * 10**9)


def test_damage_is_told_of_journals_and_of_tables_whether_or_not_the_run_ended() -> None:
    cut = Damage("journal.lp", 100, 250, is_cut=True)
    other = Damage("probes.jtl", 0, 10, is_cut=True)
    assert flaws(pair_run(), journal("journal.lp", damage=cut), damage=[other]) == [cut.text, other.text]


@pytest.mark.parametrize(
    ("points", "early_s"),
    [
        ((event("end", END),), None),
        ((event("fault", END - 2_500_000), event("heal", SECOND)), "2.5"),
        ((event("fault", END + SECOND),), "0.0"),
        ((), "29.0"),
    ],
)
def test_the_journal_of_a_run_that_reached_its_end_says_so(points: tuple[Point, ...], early_s: str | None) -> None:
    run = pair_run()
    run.plan.start_us = SECOND
    text = f"journal.lp ends {early_s} s before the run does: what it shows is not known from there on"
    assert flaws(run, journal("journal.lp", *points)) == ([text] if early_s else [])
    assert flaws(run, journal("journal.lp", *points, is_sealed=True)) == []
    assert flaws(run, journal("journal-verdict.lp", *points)) == []
    run.plan.end_us = None
    assert flaws(run, journal("journal.lp", *points)) == []


@pytest.mark.parametrize(("last_us", "early_s"), [(END - 2_500_000, 2.5), (END, 0), (END + SECOND, 0)])
def test_how_early_a_journal_ends_is_kept_exactly(last_us: int, early_s: float) -> None:
    (flaw,) = find_flaws(pair_run(), [journal("journal.lp", event("fault", last_us))], (), {}, {})
    assert flaw.reason.figures["early_s"] == early_s


def test_a_journal_without_a_point_of_a_run_without_a_start_ends_with_it() -> None:
    run = pair_run()
    run.plan.start_us = None
    assert flaws(run, journal("journal.lp"))[0].startswith("journal.lp ends 0.0 s before")


def test_each_second_that_was_written_stands_for_the_requests_that_were_recorded() -> None:
    run = pair_run()
    run.generator = ProbeAccount(recorded=1000, kept=ProbeAccount(recorded=200))
    run.workers = [WorkerFacts(points=30), WorkerFacts(points=40)]
    probes = [second("switchover_probes", at_s, 600) for at_s in (1, 2)]
    load = [second("switchover_requests", 1, 70), second("switchover_probes", 1, 5)]
    assert flaws(run, journal("journal-prober.lp", *probes), journal("journal-locust.lp", *load)) == []
    assert flaws(run, journal("journal-prober.lp", *probes[1:])) == [
        "journal-prober.lp has 600 requests, and the run recorded 1,200"
    ]
    for name in ("journal-locust.lp", "journal-jmeter.lp"):
        assert flaws(run, journal(name, *load[1:])) == [f"{name} has 0 requests, and the run recorded 70"]
    assert flaws(run, journal("journal-other.lp")) == []
    run.workers = [WorkerFacts(points=30), WorkerFacts()]
    assert flaws(run, journal("journal-locust.lp")) == []


@pytest.mark.parametrize(
    ("recorded", "lost", "rows", "told"),
    [(1000, None, 1000, None), (1000, 3, 997, None), (1000, 3, 1000, "997"), (None, None, 1000, None)],
)
def test_the_log_of_the_probes_has_as_many_as_were_recorded_less_what_a_full_disk_has_cost(
    recorded: int | None, lost: int | None, rows: int, told: str | None
) -> None:
    run = pair_run()
    run.generator = ProbeAccount(recorded=recorded, lost=lost)
    text = f"probes.jtl has 1,000 requests, and the run recorded {told}"
    assert flaws(run, rows={"probes.jtl": rows}) == ([text] if told else [])
    assert flaws(run, rows={"probes.jtl": rows}, sealed=["probes.jtl"]) == flaws(run) == []


def test_an_access_log_has_as_many_lines_as_it_grew_by_less_those_that_were_not_read() -> None:
    run = pair_run()
    run.access_logs = {
        "web1": {"lines": 50, "by_status": {"200": 40, "unread": 10}},
        "web2": {"lines": 50, "by_status": None},
        "web3": {"lines": None},
        "web4": {"lines": 50, "by_status": {"unread": "many"}},
        "web5": {"lines": 7, "by_status": {"200": 7}},
        "web6": {"lines": 9, "by_status": "none"},
    }
    assert flaws(run, rows={f"access-web{number}.csv": 40 for number in range(1, 5)}) == [
        "access-web2.csv has 40 requests, and the run recorded 50"
    ]
    assert flaws(run, rows={"access-web2.csv": 40}, sealed=["access-web2.csv"]) == []
    assert flaws(run, rows={"access-web1.csv": 39, "access-web5.csv": 7, "access-web6.csv": 8}) == [
        "access-web1.csv has 39 requests, and the run recorded 40",
        "access-web6.csv has 8 requests, and the run recorded 9",
    ]


def test_how_many_probes_there_were_is_not_known_where_one_stream_does_not_say() -> None:
    run = pair_run()
    told = []
    for account in (
        ProbeAccount(recorded=5),
        ProbeAccount(recorded=5, kept=ProbeAccount(recorded=0)),
        ProbeAccount(recorded=5, kept=ProbeAccount()),
        ProbeAccount(),
    ):
        run.generator = account
        told.append(count_probes(run))
    assert told == [5, 5, None, None]


def test_a_file_is_looked_for_by_how_its_name_begins() -> None:
    found = [
        Flaw(name, make_reason("file_damaged", name=name, what=f"{name} is cut"))
        for name in ("journal.lp", "probes.jtl", "probes.jtl.gz")
    ]
    assert is_flawed(found, "samples", "probes") and not is_flawed(found, "samples") and not is_flawed([], "probes")
    assert why_flawed(found, "samples", "probes") == "probes.jtl is cut"
    assert why_flawed(found, "samples") == ""


def counted(*lines: tuple[str, str, int]) -> Accounting:
    """Each as the source, its node, and how many are unaccounted."""
    return Accounting(True, tuple(Line("answers", 9, 9, by, node, "", {}, number) for by, node, number in lines))


ACCESS = ["access-web1.csv", "access-web2.csv"]


@pytest.mark.parametrize(
    ("unsealed", "books", "names"),
    [
        (["probes.jtl"], counted(("HAProxy", "lb1", 1200)), "probes.jtl has"),
        (["a", "b"], counted(("HAProxy", "lb1", 1200)), "a, b have"),
        (["a", "b", "c"], counted(("HAProxy", "lb1", 1200)), "a, b, c have"),
        (["a", "b", "c", "d", "e"], counted(("HAProxy", "lb1", 1200)), "a, b, c and 2 more have"),
        (["a", *ACCESS], counted((ACCESS_LOG, "web2", 1200), ("HAProxy", "lb1", 0)), "access-web2.csv has"),
        (
            ["a", *ACCESS],
            counted((ACCESS_LOG, "web2", 1199), ("HAProxy", "lb1", 1)),
            "a, access-web1.csv, access-web2.csv have",
        ),
        (["a"], counted((ACCESS_LOG, "web2", 1200)), "a has"),
        ([], counted((ACCESS_LOG, "web2", 1200)), ""),
        (["a"], counted((ACCESS_LOG, "web2", 0)), ""),
        (["a"], replace(counted((ACCESS_LOG, "web2", 5)), dedicated=False), ""),
    ],
)
def test_a_difference_that_a_file_without_a_seal_may_have_made_says_nothing(
    unsealed: list[str], books: Accounting, names: str
) -> None:
    text = (
        f"unaccounted 1,200, and {names} no seal: nothing says whether the pair or a damaged file made the difference"
    )
    assert why_unsealed(unsealed, books) == (text if names else "")
