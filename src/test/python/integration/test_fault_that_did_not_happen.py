"""A fault that did not happen never ends in a pass."""

import tomllib
from pathlib import Path

import pytest
import tomli_w

from support.drilling import drill
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

pytestmark = pytest.mark.integration


def with_fault(lab: Lab, folder: Path, **fault: list[str]) -> Path:
    """A copy of the lab's target file with a fault of our own: for us it is a real target."""
    values = tomllib.loads(lab.target_file.read_text(encoding="utf-8"))
    values["fault"] = {"mine": {"ready": ["true"], **fault}}
    path = folder / "target.toml"
    path.write_text(tomli_w.dumps(values), encoding="utf-8")
    return path


def test_a_typo_in_an_exec_fault_is_not_done(lab: Lab, tmp_path: Path) -> None:
    target = with_fault(lab, tmp_path, kill=["systemctll", "kill", "haproxy"], verify_down=["false"], heal=["true"])
    done = drill(lab, tmp_path / "runs", "--fault", "mine", "--arm", target=target)
    assert done.code == 2
    assert done.verdict["word"] == "NOT FIRED"
    assert "systemctll" in " ".join(reason["text"] for reason in done.verdict["reasons"])


@pytest.mark.core
def test_a_kill_that_hits_nothing_is_not_done(lab: Lab, tmp_path: Path) -> None:
    target = with_fault(lab, tmp_path, kill=["true"], verify_down=["false"], heal=["true"])
    done = drill(lab, tmp_path / "runs", "--fault", "mine", "--arm", target=target)
    assert done.code == 2
    assert "not confirmed" in " ".join(reason["text"] for reason in done.verdict["reasons"])


def test_a_balancer_that_its_supervisor_brings_back_is_not_done(tmp_path: Path) -> None:
    with Lab(LabSpec(supervised=True)) as supervised:
        done = drill(supervised, tmp_path, "--fault", "haproxy-kill")
    assert done.code == 2
    assert "not confirmed" in " ".join(reason["text"] for reason in done.verdict["reasons"])
