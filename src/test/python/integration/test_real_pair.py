"""`switchover init` on two Debian nodes with systemd: two names, then a drill with the file as it was written."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from support.checkout import CHECKOUT
from switchover.target.reader import load_target

pytestmark = pytest.mark.long

TOOL = CHECKOUT / "tools/real-pair"
ROOT = CHECKOUT / "build/real-pair-root"
NAME = f"pair{os.getpid()}"


def run(*command: str, timeout_s: float = 300) -> "subprocess.CompletedProcess[str]":
    variables: Mapping[str, str] = {**os.environ, "NAME": NAME}
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env=variables,
    )


def switchover(folder: Path, *statuses: str) -> "subprocess.CompletedProcess[str]":
    command = (sys.executable, "-m", "switchover", *statuses)
    return run("ip", "netns", "exec", f"{NAME}-client", "env", "-C", str(folder), *command)


@pytest.fixture
def real_pair(tmp_path: Path) -> Iterator[Path]:
    """The folder of a running pair."""
    if os.geteuid():
        pytest.skip("only root can start nodes with systemd")
    for tool in ("debootstrap", "systemd-nspawn"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    if not (ROOT / "usr/sbin/keepalived").exists():
        made = run(str(TOOL), "root", str(ROOT), timeout_s=900)
        if made.returncode:
            shutil.rmtree(ROOT, ignore_errors=True)
            pytest.skip(f"debootstrap failed: {made.stdout[-200:]}{made.stderr[-200:]}")
    folder = tmp_path / "pair"
    try:
        started = run(str(TOOL), "up", str(folder), str(ROOT))
        assert not started.returncode, started.stderr
        yield folder
    finally:
        ended = run(str(TOOL), "down", str(folder))
        shutil.rmtree(folder / "lb1", ignore_errors=True)
        shutil.rmtree(folder / "lb2", ignore_errors=True)
    assert not ended.returncode, ended.stderr


def test_what_init_wrote_drills_a_pair_with_systemd(real_pair: Path, tmp_path: Path) -> None:
    done = switchover(tmp_path, "init", "lb1", "lb2", "--ssh-config", str(real_pair / "ssh_config"))
    assert done.returncode == 0, done.stdout + done.stderr
    names = {"keepalived-stop", "haproxy-crash", "haproxy-stop", "haproxy-kill", "haproxy-hang"}
    assert names <= set(load_target(tmp_path / "site.toml").faults)
    for fault, status in (("haproxy-crash", "MEASURED"), ("keepalived-stop", "MEASURED")):
        fired = switchover(tmp_path, "drill", "--target", "site.toml", "--fault", fault, "--arm")
        assert fired.returncode == 0 and status in fired.stdout, fired.stdout + fired.stderr
