import os
import subprocess
from pathlib import Path

import pytest

from switchover.lab.capability import MachineCheck, find_programs, namespace_flags, needed_programs, propagation
from switchover.lab.spec import LabSpec
from switchover.model.errors import LabError


def test_a_finding_without_advice_is_good() -> None:
    assert MachineCheck("namespaces", "allowed").good
    assert not MachineCheck("namespaces", "refused", "run it with sudo").good


def test_a_lab_needs_only_the_programs_that_it_runs() -> None:
    assert "nginx" not in needed_programs(LabSpec(backend_kind="app"))
    assert {"nginx", "keepalived"} <= set(needed_programs(LabSpec(balancer="nginx", backend_kind="app")))


def test_missing_programs_are_one_line_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("switchover.lab.capability.find_program", lambda name: None)
    with pytest.raises(
        LabError, match=r"needs haproxy, keepalived \(not installed\): apt-get install haproxy keepalived"
    ):
        find_programs(("haproxy", "keepalived"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's mounts reach the host")
def test_a_mount_made_on_a_host_of_the_lab_does_not_reach_the_machine(tmp_path: Path) -> None:
    """The machine's mounts are shared, as systemd makes them; here in a mount namespace of the test's own."""
    mount = f"mount -t tmpfs lab {tmp_path}"
    inside = " ".join(("unshare", *namespace_flags(), "--", mount))
    script = (
        f"{inside} && ! grep {tmp_path} /proc/self/mountinfo && {mount} && grep -q {tmp_path} /proc/self/mountinfo"
    )
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "shared", "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_where_the_root_is_no_mount_point_nothing_can_be_made_private(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text("22 27 0:21 / /proc rw - proc proc rw\n", encoding="utf-8")
    assert propagation(mounts) == "unchanged"
    mounts.write_text("27 1 254:0 / / rw shared:1 - ext4 /dev/root rw\n", encoding="utf-8")
    assert propagation(mounts) == "private"
