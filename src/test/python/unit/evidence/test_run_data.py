"""What is read of a run directory and of the parts of the same run, and what is told of files that lack something."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from support.request_tables import run_data, samples_of
from support.run_directories import written
from switchover.evidence.run_data import count_lost_rows, load
from switchover.model.errors import RunDirectoryError
from switchover.model.failure_kind import FailureKind
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.points import Point
from switchover.rundir.run_directory import RUN_FILE, Run, read_run, with_checksum, write_run
from switchover.rundir.run_records import ProbeAccount, WorkerFacts
from synthetic import SECOND, pair_run, sample

PROBES = tuple(sample(at, at + 300) for at in range(0, 3 * SECOND, SECOND))
SAMPLES = tuple(sample(at, at + 400, intended_us=None, stream="", thread="t-1") for at in range(0, 5000, 1000))
LATE = sample(0, 1_000_500, intended_us=-500)


def a_run() -> Run:
    run = pair_run()
    run.generator = ProbeAccount.of({"scheduled": 3, "recorded": 3, "unsent": 0})
    run.plan.start_us = 500_000
    return run


def directory(path: Path, **facts: Any) -> Path:
    points = [Point("switchover_users", {"node": "lb1"}, {"count": 1}, 10**9)]
    facts = {"probes": PROBES, "samples": SAMPLES, "points": points} | facts
    return written(path, run_data(a_run(), **facts))


def without_seals(path: Path) -> None:
    run = read_run(path)
    run.seals = {}
    write_run(path, run)


def append(path: Path, *lines: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_a_run_is_read_with_all_of_its_files(tmp_path: Path) -> None:
    data = load(directory(tmp_path / "run", access={"web1": Counter({"/": 2})}))
    assert data.run.id == a_run().id
    assert (len(data.probes), len(data.samples), data.connections, data.retrying_clients) == (3, 5, None, None)
    assert [point.measurement for point in data.points] == ["switchover_users", "switchover_event"]
    assert data.access == {"web1": Counter({"/": 2})}
    assert (data.flaws, data.missing, data.unsealed, data.unread, data.ignored) == ((), (), (), (), {})
    assert (data.lost_rows, data.scope.bound_us) == ({"probes": 0, "samples": 0}, 0)
    assert samples_of(data.samples)[0].url == SAMPLES[0].url and len(data.requests) == 8


@pytest.mark.parametrize("name", ["probes", "samples"])
def test_rows_that_cannot_be_read_are_lost_where_they_were_and_a_header_is_none(name: str, tmp_path: Path) -> None:
    path = directory(tmp_path / "run")
    log = path / f"{name}.jtl"
    header = log.read_text(encoding="utf-8").splitlines()[0]
    append(log, "no row", header, "nor this")
    append(path / "journal.lp", "no point")
    without_seals(path)
    data = load(path)
    assert data.lost_rows == {"probes": 0, "samples": 0} | {name: 2}
    assert sum(data.ignored.values()) == 4 and "could not be read" in data.unread[0]
    ignored = Ignored()
    ignored.add("wrong number of columns", 3)
    assert count_lost_rows(ignored) == 3


def test_a_table_with_a_seal_is_held_against_it_and_nothing_may_stand_behind(tmp_path: Path) -> None:
    path = directory(tmp_path / "run", access={"web1": Counter({"/": 2}), "web2": Counter({"/": 2})})
    append(path / "access-web1.csv", "1000000,/")
    assert [flaw.name for flaw in load(path).flaws] == ["access-web1.csv"]
    append(path / "samples.jtl", "1,1")
    append(path / "journal.lp", 'switchover_event,kind=heal,node=lb1 text="by hand" 99000000000')
    append(path / "probes.jtl", "1,1")
    named = ["access-web1.csv", "probes.jtl", "samples.jtl"]
    assert sorted(flaw.name for flaw in load(path).flaws) == named
    journal = path / "journal.lp"
    journal.write_bytes(journal.read_bytes().replace(b"count=1i", b"count=2i", 1))
    assert sorted(flaw.name for flaw in load(path).flaws) == sorted([*named, "journal.lp"])


def test_a_file_that_was_to_be_written_or_has_a_seal_is_missing_where_it_is_not_here(tmp_path: Path) -> None:
    path = directory(tmp_path / "run")
    run = read_run(path)
    run.parts, run.workers = ["samples-host2.jtl"], [WorkerFacts.of({"bound_us": us}) for us in (None, 70, 50)]
    write_run(path, run)
    (path / "journal.lp").unlink()
    data = load(path)
    assert (data.missing, data.scope.bound_us) == (("samples-host2.jtl", "journal.lp"), 70)
    directory(tmp_path / "part", samples=())
    (tmp_path / "part" / "samples.jtl").unlink(missing_ok=True)
    (tmp_path / "part" / "probes.jtl").rename(tmp_path / "part" / "samples-host2.jtl")
    assert load(path, tmp_path / "part").missing == ()


def refused(path: Path, *parts: Path) -> str:
    with pytest.raises(RunDirectoryError) as caught:
        load(path, *parts)
    return str(caught.value)


def test_parts_are_of_one_run_which_any_of_them_may_describe(tmp_path: Path) -> None:
    path, part = directory(tmp_path / "run"), directory(tmp_path / "part", probes=())
    (part / RUN_FILE).unlink()
    assert len(load(part, path).samples) == 10
    other, third = directory(tmp_path / "other"), directory(tmp_path / "third")
    run = read_run(third)
    run.id = "another"
    write_run(third, run)
    assert load(path, other).run.id == a_run().id
    why = f"{third} belongs to run another, but {path} belongs to run {a_run().id}"
    assert refused(path, third) == refused(path, other, third) == why
    (path / RUN_FILE).unlink()
    assert refused(path, part) == f"{path} is not a run directory: it has no run.json"


def test_a_run_that_was_made_of_a_databases_points_is_not_judged(tmp_path: Path) -> None:
    path = directory(tmp_path / "run")
    values = json.loads((path / RUN_FILE).read_bytes())
    del values["checksum"]
    (path / RUN_FILE).write_bytes(with_checksum({**values, "fetched": {"database": "http://influx/"}}))
    assert refused(path).startswith(
        f"{path} cannot be judged: an earlier version made it from the points of a database"
    )


def outcomes(rows: Sequence[tuple[object, ...]]) -> list[object]:
    return [outcome for (outcome,) in rows]


def test_the_tables_can_be_asked_by_sql_with_the_outcome_of_each_request() -> None:
    failed = sample(2, 3, success=False, error=FailureKind.REFUSED)
    store = run_data(pair_run(), probes=[PROBES[0], failed], samples=[SAMPLES[0], LATE]).tables()
    assert outcomes(store.rows("SELECT outcome FROM probes ORDER BY start_us")) == ["good", "failed"]
    assert outcomes(store.rows("SELECT outcome FROM samples ORDER BY end_us")) == ["good", "late"]
    assert store.rows("SELECT count(*) FROM samples WHERE thread = 't-1'") == [(1,)]
