"""What is held against a file that has no seal: the end of its run, and what the run counted."""

from collections.abc import Sequence

import pytest
from msgspec import structs

from support.records import line
from switchover.evidence.flaws import count_probes, find_flaws
from switchover.figures.accounting.ledger import add_up
from switchover.figures.accounting.log_ledger import ACCESS_LOG
from switchover.rundir.journal import JournalRecord
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run
from switchover.rundir.run_records import ProbeAccount
from switchover.verdict.limit_checks import why_unsealed
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Accounting, Reason
from synthetic import END, SECOND, pair_run


def flaws(run: Run, *records: JournalRecord, damaged: Sequence[str] = (), probes: int | None = None) -> list[Reason]:
    found = find_flaws(run, records, damaged, probes)
    assert all(flaw.reason.figures["name"] == flaw.name for flaw in found)
    return [flaw.reason for flaw in found]


def journal(name: str, *points: Point, is_sealed: bool = False, damage: str = "") -> JournalRecord:
    return JournalRecord(name, points, is_sealed, damage)


def event(kind: str, at_us: int) -> Point:
    return Point("switchover_event", {"kind": kind}, {"text": ""}, at_us * 1000)


def test_damaged_journals_and_tables_are_named() -> None:
    assert flaws(pair_run(), journal("journal.lp", damage="is odd"), damaged=["probes.jtl"]) == [
        make_reason("file_damaged", name=name, what=f"{name} {damage}: the file is not used")
        for name, damage in (
            ("journal.lp", "is odd"),
            ("probes.jtl", "does not match its checksum in run.json"),
        )
    ]


@pytest.mark.parametrize(
    ("points", "early_s"),
    [
        ((event("end", END),), None),
        ((event("fault", END - 2_500_000), event("heal", SECOND)), 2.5),
        ((event("fault", END + SECOND),), 0.0),
        ((), 29.0),
    ],
)
def test_the_journal_of_a_run_that_reached_its_end_says_so(points: tuple[Point, ...], early_s: float | None) -> None:
    run = pair_run()
    run.plan.start_us = SECOND
    expected = [] if early_s is None else [make_reason("record_ends", name="journal.lp", early_s=early_s)]
    assert flaws(run, journal("journal.lp", *points)) == expected
    assert flaws(run, journal("journal.lp", *points, is_sealed=True)) == []
    assert flaws(run, journal("journal-verdict.lp", *points)) == []
    run.plan.end_us = None
    assert flaws(run, journal("journal.lp", *points)) == []


@pytest.mark.parametrize(
    ("recorded", "lost", "rows", "told"),
    [(1000, None, 1000, None), (1000, 3, 997, None), (1000, 3, 1000, 997), (None, None, 1000, None)],
)
def test_the_log_of_the_probes_has_as_many_as_were_recorded_less_what_a_full_disk_has_cost(
    recorded: int | None, lost: int | None, rows: int, told: int | None
) -> None:
    run = pair_run()
    run.generator = ProbeAccount(recorded=recorded, lost=lost)
    expected = [make_reason("count_differs", name="probes.jtl", recorded=told, found=1000)] if told else []
    assert flaws(run, probes=rows) == expected
    assert flaws(run) == []


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


def counted(*lines: tuple[str, str, int]) -> Accounting:
    """Each as the source, its node, and how many are unaccounted."""
    return add_up(True, tuple(line("answers", 9, 9, by, node, "", {}, number) for by, node, number in lines))


ACCESS = ["access-web1.csv", "access-web2.csv"]


@pytest.mark.parametrize(
    ("unsealed", "books", "names"),
    [
        (["probes.jtl"], counted(("HAProxy", "lb1", 1200)), "probes.jtl"),
        (["a", "b"], counted(("HAProxy", "lb1", 1200)), "a, b"),
        (["a", "b", "c"], counted(("HAProxy", "lb1", 1200)), "a, b, c"),
        (["a", "b", "c", "d", "e"], counted(("HAProxy", "lb1", 1200)), "a, b, c and 2 more"),
        (
            ["a", *ACCESS],
            counted((ACCESS_LOG, "web2", 1200), ("HAProxy", "lb1", 0)),
            "a, access-web1.csv, access-web2.csv",
        ),
        (
            ["a", *ACCESS],
            counted((ACCESS_LOG, "web2", 1199), ("HAProxy", "lb1", 1)),
            "a, access-web1.csv, access-web2.csv",
        ),
        (["a"], counted((ACCESS_LOG, "web2", 1200)), "a"),
        ([], counted((ACCESS_LOG, "web2", 1200)), ""),
        (["a"], counted((ACCESS_LOG, "web2", 0)), ""),
        (["a"], structs.replace(counted((ACCESS_LOG, "web2", 5)), unaccounted=None), ""),
    ],
)
def test_a_difference_that_a_file_without_a_seal_may_have_made_says_nothing(
    unsealed: list[str], books: Accounting, names: str
) -> None:
    text = f"unaccounted 1,200, and these files have no seal: {names}. The cause may be the pair or a damaged file"
    assert why_unsealed(unsealed, books) == (text if names else "")
