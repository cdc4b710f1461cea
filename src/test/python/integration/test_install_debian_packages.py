"""The tool that installs Debian packages, ended in the middle: services of this machine start as before.

`apt-get` is a stand-in that never ends, and /usr/sbin an empty folder in a mount namespace of the test's own: nothing
is installed, and the machine's own policy is not touched.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.checkout import CHECKOUT
from support.waiting import wait_for

pytestmark = pytest.mark.beside

TOOL = CHECKOUT / "tools" / "install-debian-packages"


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """A folder with an `apt-get` that says when it runs, and waits."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "apt-get").write_text(f"#!/bin/sh\ntouch {tmp_path}/runs\nexec sleep 60\n")
    (folder / "apt-get").chmod(0o755)
    return folder


@pytest.fixture
def namespace() -> Iterator[int]:
    """The process that holds a mount namespace in which /usr/sbin is empty."""
    if os.geteuid() != 0:
        pytest.skip("a mount namespace without a user namespace needs root")
    script = "mount -t tmpfs none /usr/sbin && echo ready && exec sleep 120"
    with subprocess.Popen(["unshare", "--mount", "sh", "-c", script], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"ready\n"
        yield holder.pid
        holder.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_ended_in_the_middle_it_leaves_no_policy_that_forbids_services(
    stand_in: Path, namespace: int, tmp_path: Path, number: signal.Signals
) -> None:
    policy = Path(f"/proc/{namespace}/root", "usr/sbin/policy-rc.d")
    command = ["nsenter", f"--target={namespace}", "--mount", str(TOOL), "no-such-package"]
    tool = subprocess.Popen(
        command, env={"PATH": f"{stand_in}:/usr/bin:/bin"}, start_new_session=True, stdout=subprocess.DEVNULL
    )
    with tool:
        wait_for(lambda: (tmp_path / "runs").exists())
        assert subprocess.run(["sh", policy]).returncode == 101
        if number == signal.SIGKILL:
            tool.kill()
        os.killpg(tool.pid, number)  # as a terminal does, or a job that is cancelled
    assert not policy.exists() or number == signal.SIGKILL
    if policy.exists():
        assert subprocess.run(["sh", policy]).returncode == 0
