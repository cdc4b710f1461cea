"""The lab of an ordinary user, without sudo and without entries in /etc/subuid."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import switchover

pytestmark = pytest.mark.integration

SOMEBODY = 54321
"""A user id that means nothing here."""
NO_PRIVILEGES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
DRILL = """
import subprocess, sys, time
from switchover.model.errors import LabError
from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.spec import LabSpec
from switchover.lab.lab import Lab
spec = LabSpec(keepalived=parse_keepalived("version=3,advert_int=100ms"))
lab = Lab(spec)
try:
    lab.start()
except LabError as error:
    sys.exit(str(error))
with lab:
    def answer():
        get = ["python3", "-c", "import urllib.request as u; print(u.urlopen('http://198.18.0.50/').headers['X-Balancer'])"]
        return subprocess.run(lab.exec_argv("client", get), capture_output=True, text=True).stdout.strip()
    print(answer())
    print(*lab.service("lb1", "haproxy", "kill"))
    deadline = time.monotonic() + 30
    while answer() != "lb2" and time.monotonic() < deadline:
        time.sleep(0.05)
    print(answer())
"""


def as_somebody(*command: str) -> list[str]:
    if os.geteuid() != 0:
        return list(command)
    identity = (f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups", "--inh-caps=-all")
    return ["setpriv", *identity, *command]


@pytest.fixture(scope="module")
def python() -> str:
    """A Python that this user may run: the one of a root's virtual environment may be closed to others."""
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    for candidate in (sys.executable, "/usr/bin/python3"):
        # by way of a shell: what setpriv runs itself is still found with root's eyes
        attempt = as_somebody("sh", "-c", 'exec "$0" -c "$1"', candidate, check)
        if subprocess.run(attempt, capture_output=True, check=False).returncode == 0:
            return candidate
    pytest.fail("an ordinary user needs a Python of 3.11 or newer: apt-get install python3")


@pytest.fixture
def home(short_folder: Path) -> Iterator[Path]:
    """A folder of that user, with the package in it."""
    library = short_folder / "library"
    shutil.copytree(
        Path(switchover.__file__).parent, library / "switchover", ignore=shutil.ignore_patterns("__pycache__")
    )
    found = find_spec("tomli_w")
    assert found is not None
    assert found.origin is not None
    shutil.copytree(Path(found.origin).parent, library / "tomli_w")
    subprocess.run(["chmod", "-R", "a+rX", str(short_folder)], check=True)
    if os.geteuid() == 0:
        os.chown(short_folder, SOMEBODY, SOMEBODY)
    yield short_folder


def environment(home: Path) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), "PYTHONPATH": str(home / "library")}


def user_namespaces_are_possible() -> bool:
    """Never in a chroot, for one (unshare(2): EPERM), whatever the machine around it allows."""
    return subprocess.run(as_somebody("unshare", "--user", "true"), capture_output=True, check=False).returncode == 0


def test_an_ordinary_user_has_a_pair_that_fails_over_by_its_check_or_is_told_what_to_do(
    home: Path, python: str
) -> None:
    command = as_somebody(python, "-c", DRILL)
    done = subprocess.run(command, env=environment(home), cwd="/", capture_output=True, text=True, check=False)
    if user_namespaces_are_possible():
        before, killed, after, end = done.stdout.split("\n")
        assert (done.stderr, before, after, end) == ("", "lb1", "lb2", "")
        assert killed.startswith("0 haproxy killed between ")
    else:
        assert done.stderr.count("\n") == 1
        assert "run it with sudo" in done.stderr


def test_where_namespaces_are_forbidden_one_line_says_what_to_do(home: Path, python: str) -> None:
    script = "from switchover.lab.capability import check; print(check())"
    forbid = f'echo 0 >/proc/sys/user/max_user_namespaces && exec {" ".join(NO_PRIVILEGES)} "$@"'
    inside = [python, "-c", script]
    if user_namespaces_are_possible():
        inside = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh", *inside]
    done = subprocess.run(
        as_somebody(*inside), env=environment(home), cwd="/", capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert "through a user namespace" in done.stdout
    assert "run it with sudo" in done.stdout
    if user_namespaces_are_possible():
        assert "sysctl -w user.max_user_namespaces=10000" in done.stdout
    assert done.stdout.count("\n") == 1
