"""`switchover fleet` over a real pair: its promise, its last drill, and what has changed in its Keepalived since."""

import json
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from support.drilling import assert_word
from support.hand_made_pair import runs_on, state_of, way_to, write_target
from support.waiting import wait_for
from switchover.analysis.word import Word
from switchover.lab import addresses
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

pytestmark = pytest.mark.integration

NOTHING = "198.18.0.24"
"""Addresses of the lab's network that begin so: no host has them."""


def take_copies(lab: Lab, folder: Path) -> None:
    for host in addresses.balancers():
        conf = (lab.layout.host(host.name) / "keepalived.conf").read_text(encoding="utf-8")
        (folder / f"{host.name}.conf").write_text(conf, encoding="utf-8")


def site(lab: Lab, folder: Path) -> Path:
    """A target file with copies of both configurations beside it."""
    path = write_target(lab, folder)
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    for node in values["node"]:
        node["keepalived"] = f"{node['name']}.conf"
    path.write_text(tomli_w.dumps(values), encoding="utf-8")
    take_copies(lab, folder)
    return path


def fleet_argv(lab: Lab, source: Path, *options: str) -> list[str]:
    """`switchover fleet` in the client. Its runs are beside the source."""
    runs = source.parent / "runs"
    command = [sys.executable, "-m", "switchover", "fleet", str(source), "--runs", str(runs), *options]
    return lab.exec_argv(addresses.CLIENT, command)


def run_fleet(lab: Lab, source: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(fleet_argv(lab, source, *options), capture_output=True, text=True, check=False)


def fleet(lab: Lab, target: Path, *options: str) -> tuple[int, Any]:
    done = run_fleet(lab, target, "--json", *options)
    assert done.stdout, done.stderr
    (pair,) = json.loads(done.stdout)["pairs"]
    return done.returncode, pair


def ten_pairs(lab: Lab, folder: Path) -> Path:
    """A folder with the lab's pair by two files, for a list that stops needs a pair that it stops before, and eight
    files whose address no host has."""
    pairs = folder / "pairs"
    pairs.mkdir()
    values = tomllib.loads(write_target(lab, folder).read_text(encoding="utf-8"))
    for name in ("books", "shop"):
        (pairs / f"{name}.toml").write_text(tomli_w.dumps(values), encoding="utf-8")
    for node in values["node"]:
        del node["haproxy"]  # one process would be asked by ten at once, and not answer all in time
    for number in range(8):
        values["target"]["url"] = f"http://{NOTHING}{number}/"
        (pairs / f"till-{number + 1}.toml").write_text(tomli_w.dumps(values), encoding="utf-8")
    return pairs


def test_of_ten_pairs_each_is_told_and_the_first_loss_stops_the_drills(tmp_path: Path) -> None:
    with Lab(LabSpec()) as lab:
        pairs, page = ten_pairs(lab, tmp_path), tmp_path / "fleet.html"
        before = state_of(lab)
        looked = run_fleet(lab, pairs)
        assert (looked.returncode, looked.stderr) == (2, "")
        assert looked.stdout.splitlines()[-1] == "10 pairs; 8 with something that does not work, 10 never drilled"
        unarmed = run_fleet(lab, pairs, "--drill", "lb-kill")
        assert (unarmed.returncode, unarmed.stdout, unarmed.stderr.count("\n")) == (2, "", 1)
        assert state_of(lab) == before and not (tmp_path / "runs").exists()

        options = ("--drill", "lb-kill", "--arm", "--budget", "outage=10ms", "--html", str(page))
        drilled = run_fleet(lab, pairs, *options, "--json")
        found = json.loads(drilled.stdout)["pairs"]
        came = {Path(pair["file"]).stem: pair["drilled"] for pair in found}
        assert came.pop("books") == f"drilled, and stops the list: exit code {drilled.returncode}", drilled.stderr
        assert came.pop("shop") == "not drilled: a drill before it stopped the list"
        assert len(came) == 8 and all(text.startswith(f"not drilled: http://{NOTHING}") for text in came.values())
        (run,) = (tmp_path / "runs").glob("*/run.json")
        (last,) = (promise["last"] for pair in found for promise in pair["promises"] if promise["last"])
        assert_word(json.loads((run.parent / "verdict.json").read_bytes()), "BROKEN")
        assert (last["path"], Word(last["word"]).exit_code) == (run.parent.name, drilled.returncode)
        text = page.read_text(encoding="utf-8")
        for part in (*(path.name for path in pairs.iterdir()), last["word"], last["sha256"], last["owner"]):
            assert part in text
        assert all(runs_on(lab, host.name) for host in addresses.balancers())


def test_a_signal_lets_the_drill_heal_and_no_other_begins(tmp_path: Path) -> None:
    with Lab(LabSpec()) as lab:
        pairs = ten_pairs(lab, tmp_path)
        argv = fleet_argv(lab, pairs, "--drill", "lb-kill", "--arm", "--json")
        with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            wait_for(lambda: not all(runs_on(lab, host.name) for host in addresses.balancers()), "a kill")
            process.send_signal(signal.SIGTERM)
            out, error = process.communicate(timeout=60)
        came = {Path(pair["file"]).stem: pair["drilled"] for pair in json.loads(out)["pairs"]}
        assert came["books"] == f"drilled, and stops the list: exit code {process.returncode}", error
        assert came["shop"].startswith("not drilled") and process.returncode
        assert len(list((tmp_path / "runs").glob("*/verdict.json"))) == 1
        assert all(runs_on(lab, host.name) for host in addresses.balancers())


def test_what_was_changed_on_a_node_since_its_last_drill_is_named(tmp_path: Path) -> None:
    with Lab(LabSpec()) as lab:
        target = site(lab, tmp_path)
        code, pair = fleet(lab, target)
        assert (code, pair["ill"], pair["changed"], pair["promises"][0]["last"]) == (0, [], [], None)

        code, pair = fleet(lab, target, "--drill", "lb-kill", "--arm", "--scheduled")
        assert pair["drilled"].startswith("drilled"), pair
        last = pair["promises"][0]["last"]
        assert last["word"] and len(last["sha256"]) == 64 and pair["changed"] == []

        conf = lab.layout.host("lb2") / "keepalived.conf"
        text = conf.read_text(encoding="utf-8")
        assert "priority 100\n" in text and "weight -20\n" in text
        text = text.replace("priority 100\n", "priority 90\n").replace("weight -20\n", "weight -30\n")
        conf.write_text(text, encoding="utf-8")
        status, said = lab.service("lb2", "keepalived", "reload")
        assert status == 0, said
        assert fleet(lab, target)[1]["changed"] == []  # the copies are those of before
        show = [*way_to(lab, "{node}"), "--", "cat", str(conf).replace("/lb2/", "/{node}/")]
        _, pair = fleet(lab, target, "--conf", shlex.join(show))
        assert pair["ill"] == [] and pair["changed"][:2] == [
            "lb2 priority is 100 in the target file, 90 on the node",
            "lb2 check 1 weight is -20 in the target file, -30 on the node",
        ]
        take_copies(lab, tmp_path)
        _, pair = fleet(lab, target)
        assert [line.partition(" since ")[0] for line in pair["changed"]] == [
            "lb2 priority was 100, is 90",
            "lb2 check 1 weight was -20, is -30",
        ]


def test_a_pair_that_does_not_answer_is_skipped_by_a_timer(tmp_path: Path) -> None:
    with Lab(LabSpec()) as lab:
        target = site(lab, tmp_path)
        for host in addresses.balancers():
            lab.service(host.name, "haproxy", "stop")
        wait_for(lambda: fleet(lab, target)[1]["ill"], "a pair that is ill")
        code, pair = fleet(lab, target, "--drill", "lb-kill", "--arm", "--scheduled")
        assert (code, pair["promises"][0]["last"]) == (2, None)
        assert pair["drilled"] == f"not drilled: {pair['ill'][0]}"
        assert pair["promises"][0]["unfired"]["reason"] == pair["ill"][0]
