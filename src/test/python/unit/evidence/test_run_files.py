"""Which files of a run directory, and of its parts, are read."""

from pathlib import Path

import pytest

from switchover.evidence.run_files import RunFiles, find_files, find_missing, seals_of
from switchover.model.errors import RunDirectoryError
from switchover.rundir.seal import Seal
from synthetic import pair_run

EVERY = (
    "access-web1.csv",
    "journal-jmeter.lp",
    "journal.lp",
    "connections-go.jtl",
    "connections.jtl",
    "probes.jtl",
    "samples-2.jtl",
    "samples.jtl",
    "retrying_client-go.jtl",
    "retrying_client.jtl",
)


def directory(path: Path, *names: str, text: str = "x\n") -> Path:
    path.mkdir(exist_ok=True)
    for name in names:
        (path / name).write_text(text, encoding="utf-8")
    return path


def names(files: RunFiles) -> dict[str, list[str]]:
    kinds = ("journals", "access", "probes", "samples", "connections", "retrying_clients")
    return {kind: [path.name for path in getattr(files, kind)] for kind in kinds}


def test_each_file_is_found_by_its_name_and_the_journal_of_the_verdict_is_none_of_the_run(tmp_path: Path) -> None:
    more = ("journal-verdict.lp", "run.json", "access.log", "samples.csv", "probes-2.jtl")
    files = find_files([directory(tmp_path, *EVERY, *more)])
    assert names(files) == {
        "journals": ["journal-jmeter.lp", "journal.lp"],
        "access": ["access-web1.csv"],
        "probes": ["probes.jtl"],
        "samples": ["samples.jtl", "samples-2.jtl"],
        "connections": ["connections-go.jtl", "connections.jtl"],
        "retrying_clients": ["retrying_client-go.jtl", "retrying_client.jtl"],
    }
    assert [path.name for path in files.tables] == [
        "access-web1.csv",
        "connections-go.jtl",
        "connections.jtl",
        "retrying_client-go.jtl",
        "retrying_client.jtl",
    ]


def test_a_table_that_never_found_room_on_the_disk_is_not_read_and_is_missing(tmp_path: Path) -> None:
    part = directory(tmp_path, "access-web1.csv", "samples.jtl", "journal.lp", text="")
    directory(tmp_path, "probes.jtl.gz", "retrying_client.jtl")
    found = {kind: found for kind, found in names(find_files([part])).items() if found}
    assert found == {
        "journals": ["journal.lp"],
        "probes": ["probes.jtl.gz"],
        "retrying_clients": ["retrying_client.jtl"],
    }
    to_be = [
        "samples.jtl",
        "access-web1.csv",
        "retrying_client.jtl",
        "journal.lp",
        "probes.jtl",
        "gone.lp",
        "gone.lp",
    ]
    assert find_missing([tmp_path / "none", part], to_be) == ("samples.jtl", "access-web1.csv", "gone.lp")


def test_what_has_no_seal_is_named_and_a_log_of_any_form_has_that_of_its_text(tmp_path: Path) -> None:
    part = directory(tmp_path, *EVERY)
    (part / "samples.jtl").rename(part / "samples.jtl.gz")
    files = find_files([part])
    assert files.unsealed(EVERY) == ()
    assert files.unsealed(["samples.jtl"]) == (
        "access-web1.csv",
        "connections-go.jtl",
        "connections.jtl",
        "retrying_client-go.jtl",
        "retrying_client.jtl",
        "journal-jmeter.lp",
        "journal.lp",
        "probes.jtl",
        "samples-2.jtl",
    )


def test_seals_are_read_by_file_and_those_that_cannot_be_are_one_clear_line() -> None:
    run = pair_run()
    run.seals["probes.jtl"] = [{"from_byte": 0, "bytes": 3, "crc32": "0000000a"}]
    assert seals_of(run) == {"probes.jtl": [Seal(0, 3, "0000000a")]}
    run.seals["probes.jtl"][0]["crc32"] = "0"
    with pytest.raises(RunDirectoryError, match=f"the seals in run.json of run {run.id} cannot be read: ."):
        seals_of(run)
