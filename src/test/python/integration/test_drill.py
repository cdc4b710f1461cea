"""Real drills in the lab: the figures against a packet capture, theory, and the balancers' own counters."""

import csv
import itertools
import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.capture import Handover
from support.drilling import Drilled, captured, drill, report
from support.journals import read_journal
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

TWO_PROBE_INTERVALS_MS = 2.0


@pytest.fixture(scope="module")
def haproxy_kill(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> tuple[Drilled, Handover]:
    return captured(lab, tmp_path_factory.mktemp("haproxy-kill"), "haproxy-kill", "--seed", "1", "--kept-rate", "20")


def agree(done: Drilled, seen: Handover) -> None:
    """Within two probes, or as far as the run itself says that its outage may have been shorter; a run that is not to
    be trusted says nothing."""
    if not done.verdict["valid"]:
        return
    apart_ms = done.longest_gap_ms - seen.gap_ms
    outage = done.verdict["outage"]
    early_ms = outage["high_ms"] - outage["low_ms"]
    assert -TWO_PROBE_INTERVALS_MS <= apart_ms <= TWO_PROBE_INTERVALS_MS + early_ms


@pytest.mark.core
def test_the_outage_agrees_with_a_packet_capture(haproxy_kill: tuple[Drilled, Handover]) -> None:
    done, seen = haproxy_kill
    done.assert_word("MEASURED")
    agree(done, seen)


@pytest.mark.core
def test_the_outage_lies_in_the_predicted_window(haproxy_kill: tuple[Drilled, Handover]) -> None:
    verdict = haproxy_kill[0].verdict
    prediction = verdict["prediction"]
    assert prediction["inside"] is not False or not verdict["valid"]
    assert (prediction["low_ms"], prediction["high_ms"]) == (2609.375, 4609.375)


@pytest.mark.core
def test_client_balancers_and_backends_agree_to_the_last_request(haproxy_kill: tuple[Drilled, Handover]) -> None:
    accounting = haproxy_kill[0].verdict["accounting"]
    assert accounting["dedicated"] is True
    assert accounting["unaccounted"] == 0


@pytest.mark.core
def test_the_timeline_is_in_order_and_every_step_has_a_source(haproxy_kill: tuple[Drilled, Handover]) -> None:
    rows = haproxy_kill[0].verdict["timeline"]
    assert rows[0]["step"] == "kill"
    assert None not in [row["at_us"] for row in rows]
    for before, after in itertools.pairwise(rows):
        bound_us = 1000 * (before["bound_ms"] + after["bound_ms"])
        assert after["at_us"] + bound_us >= before["at_us"], (before, after)
    assert all(row["source"] for row in rows)


@pytest.mark.core
def test_probes_on_kept_connections_are_reported_apart(haproxy_kill: tuple[Drilled, Handover]) -> None:
    with (haproxy_kill[0].directory / "probes.jtl").open(newline="") as file:
        streams = {row["stream"] for row in csv.DictReader(file)}
    assert streams == {"fresh", "kept"}


@pytest.mark.core
def test_the_run_directory_is_complete(haproxy_kill: tuple[Drilled, Handover]) -> None:
    directory = haproxy_kill[0].directory
    names = {path.name for path in directory.iterdir()}
    assert {"run.json", "probes.jtl", "journal.lp", "verdict.json", "junit.xml", "config"} <= names
    assert (directory / "config" / "lb1" / "haproxy.cfg").read_text()
    suite = ElementTree.parse(directory / "junit.xml").getroot()
    assert not suite.findall(".//failure")


@pytest.mark.core
def test_the_journals_have_the_events_of_the_switchover(haproxy_kill: tuple[Drilled, Handover]) -> None:
    points = read_journal(sorted(haproxy_kill[0].directory.glob("journal*.lp")))
    events = sorted((one for one in points if one.measurement == "switchover_event"), key=lambda one: one.time_ns)
    kinds = [event.tags["kind"] for event in events]
    wanted = ["start", "fault", "first_failure", "vrrp", "first_success", "heal", "end"]
    assert [kind for kind in dict.fromkeys(kinds) if kind in wanted] == wanted


@pytest.mark.core
def test_a_report_made_again_elsewhere_says_the_same(haproxy_kill: tuple[Drilled, Handover], tmp_path: Path) -> None:
    done, _ = haproxy_kill
    copy = shutil.copytree(done.directory, tmp_path / "copy")
    (copy / "verdict.json").unlink()
    assert report(copy).returncode == done.code
    assert (copy / "verdict.json").read_bytes() == (done.directory / "verdict.json").read_bytes()


def test_a_dropped_or_doubled_probe_is_found_even_just_before_the_kill(
    haproxy_kill: tuple[Drilled, Handover], tmp_path: Path
) -> None:
    done, _ = haproxy_kill
    fired_us = done.run["plan"]["fired_from_us"]
    lines = (done.directory / "probes.jtl").read_text().splitlines(keepends=True)
    header = next(csv.reader([lines[0]]))
    end = header.index("end_us")
    last = max(n for n, line in enumerate(lines[1:], 1) if int(next(csv.reader([line]))[end]) < fired_us)
    for name, changed in (("dropped", lines[:last] + lines[last + 1 :]), ("doubled", [*lines, lines[last]])):
        copy = shutil.copytree(done.directory, tmp_path / name)
        (copy / "probes.jtl").write_text("".join(changed))
        again = report(copy, "--json")
        assert again.returncode != 0, f"{name}: {again.stdout}"
        assert json.loads(again.stdout)["accounting"]["unaccounted"] != 0, name


@pytest.mark.core
def test_node_down_agrees_with_the_capture_and_stays_in_the_window(lab: Lab, tmp_path: Path) -> None:
    done, seen = captured(lab, tmp_path, "node-down", "--seed", "11")
    done.assert_word("MEASURED")
    agree(done, seen)
    assert done.verdict["prediction"]["inside"] is not False or not done.verdict["valid"]


@pytest.mark.core
def test_a_killed_keepalived_breaks_the_split_brain_limit_though_hardly_a_request_fails(
    lab: Lab, tmp_path: Path
) -> None:
    done = drill(lab, tmp_path, "--fault", "keepalived-kill", "--limit", "split-brain=0s")
    assert_split_brain(done)


@pytest.mark.long
def test_so_does_a_partition(tmp_path: Path) -> None:
    """In a lab of its own: clients may go on sending to the wrong node for up to 53 s after the heal."""
    with Lab(LabSpec()) as own:
        done = drill(own, tmp_path, "--fault", "partition", "--limit", "split-brain=0s", "--recover", "8s")
    assert_split_brain(done)


def assert_split_brain(done: Drilled) -> None:
    done.assert_word("FAILED")
    assert done.verdict["split_brain_ms"] > 1000
    assert done.limit("split-brain")["state"] == "exceeded"
    assert done.verdict["accounting"]["unaccounted"] == 0  # of two owners, one gets each request


def test_a_backend_kill_accounts_with_retries_and_redispatch(lab: Lab, tmp_path: Path) -> None:
    done = drill(lab, tmp_path, "--fault", "backend-kill")
    done.assert_word("MEASURED")
    assert done.verdict["accounting"]["unaccounted"] == 0
    probes = done.verdict["probes"]
    assert probes["failed"] <= probes["total"] / 100, "redispatch leaves only what was in flight"
