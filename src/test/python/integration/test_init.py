"""`switchover init` on a lab whose hosts are reached by ssh: from two names to a finished drill, no file edited."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.drilling import drill
from switchover.lab.credentials import CLIENT_CONFIG
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec
from switchover.target.reader import load_target


@pytest.fixture(scope="module")
def ssh_lab() -> Iterator[Lab]:
    with Lab(LabSpec(ssh=True)) as running:
        yield running


def init(lab: Lab, out: Path, *statuses: str) -> "subprocess.CompletedProcess[str]":
    ssh = ("--ssh-config", str(lab.directory / CLIENT_CONFIG), "--out", str(out))
    command = [sys.executable, "-m", "switchover", "init", *statuses, *ssh]
    argv = lab.exec_argv("client", command)
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.core
def test_from_two_names_to_a_finished_drill(ssh_lab: Lab, tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    done = init(ssh_lab, site, "lb1", "lb2", "--backend", "web1", "--dedicated")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "198.18.0.50, on lb1" in done.stdout
    target = load_target(site)
    assert set(target.faults) == {"haproxy-hang", "keepalived-hang"}, "the lab has no systemd"
    assert {node.name: node for node in target.nodes}["web1"].access_log is not None
    fired = drill(ssh_lab, tmp_path / "runs", "--fault", "keepalived-hang", "--arm", target=site)
    assert fired.run["fault"]["victim"] == "lb1"
    assert fired.verdict["verdict"] in ("MEASURED", "INVALID", "INCONCLUSIVE", "FAILED"), fired.verdict["reasons"]


def test_a_file_that_is_there_is_not_overwritten(ssh_lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "site.toml").write_text("mine", encoding="utf-8")
    done = init(ssh_lab, tmp_path / "site.toml", "lb1", "lb2")
    assert done.returncode == 2
    assert "already exists" in done.stderr
    assert (tmp_path / "site.toml").read_text(encoding="utf-8") == "mine"


def test_a_password_in_the_url_is_not_written(ssh_lab: Lab, tmp_path: Path) -> None:
    done = init(ssh_lab, tmp_path / "site.toml", "lb1", "lb2", "--url", "http://ops:s3cret@198.18.0.50/")
    assert done.returncode == 2
    assert "contains a user name" in done.stderr and "s3cret" not in done.stdout + done.stderr
    assert not list(tmp_path.iterdir())


def test_a_node_that_ssh_does_not_reach_is_one_line(ssh_lab: Lab, tmp_path: Path) -> None:
    done = init(ssh_lab, tmp_path / "site.toml", "lb1", "198.18.0.99")
    assert done.returncode == 2
    assert done.stderr.startswith("switchover: 198.18.0.99: the node survey did not finish")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "site.toml").exists()
