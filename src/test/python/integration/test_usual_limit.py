"""A limit of what is usual, drilled: by the command line, by Locust and by JMeter, against runs that came before.

The first drill is real; the earlier runs are its run.json and verdict.json with other outages and times, for eight
drills of their own would say no more.
"""

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from integration.test_jmeter_drill import plan, run_jmeter
from integration.test_locust_lab import Client
from support.drilling import Drilled, drill, report
from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.rundir.run_directory import with_checksum

pytestmark = pytest.mark.integration

SHORT = ("--hold", "6s", "--recover", "6s", "--probe-rate", "200")
OPTIONS = ("--fault", "node-down", "--limit", "outage=usual", *SHORT)
HOUR_US = 3_600_000_000
LONGER = (9000.0, 9100.0, 9200.0, 9300.0, 9400.0, 9500.0, 9600.0, 9700.0)
"""Longer than any outage of this pair; then shorter than any, and shorter with the last two longer, too."""
SHORTER = (8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0)
LONGER_OF_LATE = (*SHORTER, *SHORTER, 90.0, 91.0)


@pytest.fixture(scope="module")
def pair() -> Iterator[Lab]:
    """With adverts each 100 ms, so that a drill is short."""
    with Lab(LabSpec(keepalived=parse_keepalived("version=3,advert_int=100ms"))) as running:
        yield running


@pytest.fixture(scope="module")
def first(pair: Lab, tmp_path_factory: pytest.TempPathFactory) -> Drilled:
    return drill(pair, tmp_path_factory.mktemp("first"), *OPTIONS)


def make_past(folder: Path, first: Drilled, outages_ms: Sequence[float]) -> None:
    """Runs an hour apart, the last of them an hour before the first drill."""
    run = {name: value for name, value in first.run.items() if name != "checksum"}
    for number, outage_ms in enumerate(outages_ms):
        start_us = run["plan"]["start_us"] - (len(outages_ms) - number) * HOUR_US
        directory = folder / f"earlier-{number:02}"
        directory.mkdir(parents=True)
        earlier = {**run, "id": directory.name, "plan": {**run["plan"], "start_us": start_us}}
        (directory / "run.json").write_bytes(with_checksum(earlier))
        outage = {**first.verdict["outage"], "low_ms": outage_ms - 1, "high_ms": outage_ms, "recovered": True}
        judged = {**first.verdict, "verdict": "PASSED", "valid": True, "outage": {**outage, "censored": False}}
        (directory / "verdict.json").write_text(json.dumps(judged), encoding="utf-8")


def the_run_in(folder: Path) -> Path:
    """The one that is not among the earlier ones."""
    (found,) = [one.parent for one in (folder / "runs").glob("*/run.json") if "earlier" not in one.parent.name]
    return found


def limit_of(verdict: Any) -> dict[str, Any]:
    (found,) = (one for one in verdict["limits"] if one["name"] == "outage")
    return dict(found)


def test_without_earlier_runs_it_is_inconclusive_and_says_why(first: Drilled) -> None:
    assert first.code == 2
    limit = first.limit("outage")
    assert (limit["state"], limit["limit"]) == ("inconclusive", None)
    assert limit["note"] == "0 earlier runs that can be compared; what is usual needs 8"


@pytest.mark.parametrize(
    ("past", "state", "status"),
    [
        (LONGER, "kept", "PASSED"),
        (SHORTER, "inconclusive", "INCONCLUSIVE"),
        (LONGER_OF_LATE, "exceeded", "FAILED"),
        (LONGER[:7], "inconclusive", "INCONCLUSIVE"),
    ],
)
def test_a_drill_is_held_against_what_was_usual(
    pair: Lab, first: Drilled, tmp_path: Path, past: Sequence[float], state: str, status: str
) -> None:
    make_past(tmp_path, first, past)
    done = drill(pair, tmp_path, *OPTIONS)
    assert done.limit("outage")["state"] == state, done.verdict
    done.assert_word(status)
    again = report(done.directory, "--json")
    assert limit_of(json.loads(again.stdout)) == done.limit("outage")


def test_a_run_of_locusts_takes_it_as_any_limit(pair: Lab, first: Drilled, tmp_path: Path) -> None:
    make_past(tmp_path / "runs", first, LONGER)
    with contextlib.ExitStack() as stack:
        client = Client(pair, tmp_path, stack)
        fault = ("--switchover-fault", "node-down", "--switchover-fault-at", "6s", "--switchover-heal-at", "13s")
        run = client.locust(*client.target(), *fault, "--switchover-limit", "outage=usual", "-t", "22s")
        code = run.end()
    directory = the_run_in(tmp_path)
    verdict = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    assert (limit_of(verdict)["state"], limit_of(verdict)["limit"]) == ("kept", 9700)
    assert code == verdict["exit_code"], run.said


def test_jmeter_says_at_its_start_that_report_decides_and_report_does(
    pair: Lab, first: Drilled, tmp_path: Path
) -> None:
    make_past(tmp_path / "runs", first, LONGER)
    fields = {"fault": "node-down", "faultAt": "3s", "healAt": "9s", "probeRate": "200", "limits": "outage=usual"}
    done = run_jmeter(pair, tmp_path, plan(**fields))
    log = (tmp_path / "jmeter.log").read_text(encoding="utf-8")
    assert "limit outage=usual: 'switchover report' takes the usual outage from the runs beside this one" in log
    directory = the_run_in(tmp_path)
    here = json.loads((directory / "verdict.json").read_text(encoding="utf-8"))
    assert (here["verdict"], limit_of(here)["state"]) == ("INCONCLUSIVE", "inconclusive"), done.stdout
    judged = json.loads(report(directory, "--json").stdout)
    assert (limit_of(judged)["state"], limit_of(judged)["limit"]) == ("kept", 9700)
