"""`java -jar … verdict` has the figures of `switchover report`, as far as it has them, and is never greener."""

import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from support.damage import KINDS, cut, damage, figures_of, figures_of_jar, flip, lose_a_line
from support.jmetering import HOME
from support.kept_runs import NAMES, kept_run
from switchover.model.errors import SwitchoverError
from switchover.rundir.run_directory import read_run, write_run
from switchover.rundir.seal import seal_file

pytestmark = pytest.mark.beside

DAMAGES = 3
DAMAGED = {"file_damaged", "record_ends", "count_differs"}
JUDGED = ("verdict", "exit_code", "valid", "reasons", "warnings", "limits")
"""What the short verdict says in its own way: the vectors of verdicts hold its reasons (`VerdictTest.java`)."""


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_run_has_one_verdict(name: str, tmp_path: Path) -> None:
    assert_agreement(kept_run(name, tmp_path))


@pytest.mark.parametrize("number", range(DAMAGES))
@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_run_has_one_verdict(name: str, number: int, tmp_path: Path) -> None:
    run = kept_run(name, tmp_path)
    of_report = [log.rename(tmp_path / log.name) for log in run.glob("access-*.csv")]
    misfortune = damage(run, random.Random(f"{name} {number}"), KINDS)
    for log in of_report:
        log.rename(run / log.name)
    assert_agreement(run, str(misfortune))


@pytest.mark.parametrize(
    "name", ["journal.lp", "journal-jmeter.lp", "probes.jtl", "samples.jtl", "access-web1.csv", "run.json"]
)
def test_a_sealed_run_that_was_cut_or_changed_has_one_verdict(name: str, tmp_path: Path) -> None:
    # Which rows of a backend's log cannot be read is told by `report` alone.
    harms = (lose_a_line,) if name.startswith("access") else (lose_a_line, cut, flip)
    for number, harm in enumerate(harms):
        run = sealed(kept_run("haproxy-kill-jmeter", tmp_path / str(number)))
        data, what = harm((run / name).read_bytes(), random.Random(f"{name} {number}"))
        (run / name).write_bytes(data)
        assert_agreement(run, f"{name}: {what}")


def sealed(directory: Path) -> Path:
    """As a run of today leaves it: each file that sources something has its seal in run.json."""
    run = read_run(directory)
    names = [path.name for path in directory.iterdir() if path.suffix in (".lp", ".jtl", ".csv")]
    run.seals = {name: [asdict(seal_file(directory / name))] for name in names}
    write_run(directory, run)
    return directory


def assert_agreement(run: Path, misfortune: str = "whole") -> None:
    (jar,) = HOME.glob("lib/ext/jmeter-switchover-*.jar")
    try:
        expected = figures_of(run)
    except SwitchoverError:
        with pytest.raises(SwitchoverError) as refused:
            figures_of_jar(jar, run)
        assert "\n" not in str(refused.value), misfortune
        return
    found = figures_of_jar(jar, run)
    assert found["exit_code"] or not expected["exit_code"], misfortune
    if DAMAGED & {reason["code"] for reason in expected["reasons"]}:
        return  # `report` alone gives no figure that rests on such a file
    for name in JUDGED:
        del found[name]
    assert found == as_far_as(found, expected), misfortune


def as_far_as(java: Any, python: Any) -> Any:
    """What Python says, but for the figures that Java does not know."""
    if java is None:
        return None
    if isinstance(java, dict) and isinstance(python, dict):
        return {key: as_far_as(value, python.get(key)) for key, value in java.items()}
    if isinstance(java, list) and isinstance(python, list) and len(java) == len(python):
        return [as_far_as(one, other) for one, other in zip(java, python, strict=True)]
    return python
