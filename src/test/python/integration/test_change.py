"""`switchover change` in the lab: reloads of real balancers, felt by every kind of connection."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.drilling import assert_word, newest_run
from switchover.model.held_kind import HeldKind

TIMEOUT_S = 300


def make_changes(out: Path, *statuses: str) -> tuple[int, dict[str, Any], str]:
    """The exit code, the verdict and what was printed."""
    command = [sys.executable, "-m", "switchover", "change", *statuses, "--out", str(out), "--baseline", "2s"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    verdict = json.loads((newest_run(out) / "verdict.json").read_text())
    return done.returncode, verdict, done.stdout


def by_kind(verdict: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {kind["kind"]: kind for kind in verdict["changes"]["kinds"]}


def test_idle_close_on_response_makes_reloads_of_haproxy_hitless(tmp_path: Path) -> None:
    options = ("--idle-close-on-response", "--times", "3", "--every", "3s", "--limit", "lost=0")
    code, verdict, said = make_changes(tmp_path, "haproxy-reload", *options)
    assert (code, verdict["verdict"], verdict["changes"]["lost"]) == (0, "PASSED", 0), verdict["reasons"]
    assert by_kind(verdict).keys() == set(HeldKind)
    assert verdict["changes"]["made"] == 3
    assert verdict["accounting"]["unaccounted"] == 0
    assert max(len(line) for line in said.splitlines() if not line.startswith("  Report ")) <= 80


@pytest.mark.core
def test_hard_stop_after_cuts_every_download_and_each_loss_is_told(tmp_path: Path) -> None:
    options = ("--hard-stop-after", "1s", "--times", "1", "--connections", "download=5,websocket=5,tcp=5")
    code, verdict, _ = make_changes(tmp_path, "haproxy-reload", *options, "--limit", "lost=0")
    assert_word(verdict, "FAILED")
    assert code == verdict["exit_code"]
    assert {kind: found["lost"] for kind, found in by_kind(verdict).items()} == dict.fromkeys(
        ("download", "websocket", "tcp"), 5
    )
    loss = verdict["changes"]["losses"][0]
    assert loss["change"] == 1 and loss["ended_by"] in ("fin", "rst") and loss["after_change_ms"] > 900


def test_reloads_of_nginx_have_other_workers_and_every_answer_is_explained(tmp_path: Path) -> None:
    options = ("--balancer", "nginx", "--times", "2", "--every", "3s")
    _, verdict, _ = make_changes(tmp_path, "nginx-reload", *options)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    found = by_kind(verdict)
    assert found["download"]["lost"] == found["websocket"]["lost"] == found["tcp"]["lost"] == 0
    assert verdict["accounting"]["unaccounted"] == 0


@pytest.mark.parametrize(
    ("balancer", "change", "closed"),
    [("caddy", "caddy-reload", 10), ("traefik", "traefik-swap", 0), ("envoy", "envoy-listener", 0)],
)
def test_caddy_closes_websockets_traefik_and_envoy_close_nothing_that_lasts(
    balancer: str, change: str, closed: int, tmp_path: Path
) -> None:
    counts = "pooled=2,download=5,upload=5,sse=5,websocket=10,h2=2"
    options = (
        "--balancer",
        balancer,
        "--times",
        "1",
        "--every",
        "3s",
        "--connections",
        counts,
        "--probe-rate",
        "150",
    )
    _, verdict, _ = make_changes(tmp_path, change, *options)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    found = by_kind(verdict)
    assert {one["lost"] for kind, one in found.items() if kind != HeldKind.POOLED} == {0}
    assert [found[kind]["closed_politely"] for kind in (HeldKind.WEBSOCKET, HeldKind.SSE)] == [closed, 0]
    assert verdict["accounting"]["unaccounted"] == 0
    answered = verdict["distribution"]["by_phase"]["baseline"]
    assert {"web1", "web2", "web3"} <= {name for counts in answered.values() for name in counts}


def test_the_retrying_client_of_a_series_of_changes_counts_its_attempts(tmp_path: Path) -> None:
    options = (
        "--times",
        "2",
        "--every",
        "3s",
        "--connections",
        "pooled=10",
        "--retrying-client",
        "--probe-rate",
        "100",
    )
    _, verdict, _ = make_changes(tmp_path, "haproxy-reload", *options)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    (retrying_client,) = verdict["changes"]["retrying_clients"]
    assert (
        retrying_client["client"] == "urllib3" and retrying_client["attempts"] >= retrying_client["requests"] > 0
    ), json.dumps(retrying_client)
    assert verdict["accounting"]["unaccounted"] == 0


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    code, verdict, _ = make_changes(tmp_path, "haproxy-reload", "--dry-run", "--connections", "pooled=2")
    assert (code, verdict["verdict"]) == (0, "DRY RUN")
    assert "changes" not in verdict


@pytest.mark.parametrize("balancer", ["haproxy", "nginx"])
def test_a_renewed_certificate_is_shown_to_new_connections_and_cuts_nothing(balancer: str, tmp_path: Path) -> None:
    options = ("--mode", "https", "--balancer", balancer, "--times", "1", "--every", "8s", "--probe-rate", "50")
    kinds = ("--connections", "pooled=5,download=5,websocket=5")
    _, verdict, _ = make_changes(tmp_path, "certificate-swap", *options, *kinds)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    found = by_kind(verdict)
    assert found["download"]["lost"] == found["websocket"]["lost"] == 0
    assert verdict["changes"]["made"] == 1 and verdict["changes"]["by_change"][0]["settled_us"] is not None


@pytest.mark.parametrize("options", [("--idle-close-on-response",), ("--balancer", "nginx")])
def test_another_backend_takes_the_place_of_the_first_and_gives_it_back(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    counts = (
        "--times",
        "2",
        "--every",
        "6s",
        "--probe-rate",
        "100",
        "--connections",
        "pooled=5,download=5,websocket=5",
    )
    _, verdict, _ = make_changes(tmp_path, "backend-swap", *options, *counts)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    found = by_kind(verdict)
    assert found["download"]["lost"] == found["websocket"]["lost"] == 0
    assert verdict["changes"]["made"] == 2 and verdict["accounting"]["unaccounted"] == 0
    answered = verdict["distribution"]["by_phase"]["baseline"]
    assert {"web1", "web1-next", "web2", "web3"} <= {name for counts in answered.values() for name in counts}


def test_a_planned_move_costs_what_is_open_and_comes_back(tmp_path: Path) -> None:
    options = ("--times", "1", "--every", "12s", "--connections", "pooled=5,websocket=5")
    _, verdict, _ = make_changes(tmp_path, "priority-move", *options)
    assert verdict["verdict"] == "MEASURED", verdict["reasons"]
    assert by_kind(verdict)["websocket"]["lost"] >= 5, "no balancer knows the connections of another"
