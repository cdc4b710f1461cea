"""The lab of an ordinary user, without sudo and without entries in /etc/subuid."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import switchover
from support.drilling import assert_word

SOMEBODY = 54321
"""A user id that means nothing here."""
NO_PRIVILEGES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
BASE = Path(sys.base_prefix).resolve()
PACKAGES = {"package": Path(switchover.__file__).parents[1], "library": Path(sysconfig.get_path("purelib"))}


def as_somebody(home: Path, *command: str) -> list[str]:
    """The command as an ordinary user, who may not see root's Python: it is mounted below the user's home."""
    if os.geteuid() != 0:
        return list(command)
    mounts = [f"mount --bind {source} {home / name}" for name, source in {**PACKAGES, "python": BASE}.items()]
    become = f"setpriv --reuid={SOMEBODY} --regid={SOMEBODY} --clear-groups --inh-caps=-all"
    return ["unshare", "--mount", "sh", "-ec", "; ".join([*mounts, f'exec {become} "$@"']), "sh", *command]


@pytest.fixture
def home(short_folder: Path) -> Path:
    """A folder of that user."""
    for name in (*PACKAGES, "python"):
        (short_folder / name).mkdir()
    if os.geteuid() == 0:
        os.chown(short_folder, SOMEBODY, SOMEBODY)
    return short_folder


def python_of(home: Path) -> str:
    if os.geteuid() != 0:
        return sys.executable
    return str(home / "python" / Path(sys.executable).resolve().relative_to(BASE))


def as_seen_by(home: Path) -> dict[str, str]:
    """The environment of that user."""
    packages = ":".join(str(home / name) for name in PACKAGES)
    own = (
        {}
        if os.geteuid()
        else {
            "PYTHONHOME": str(home / "python"),
            "LD_LIBRARY_PATH": str(home / "python" / "lib"),
            "PYTHONPATH": packages,
        }
    )
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home), "TMPDIR": str(home), **own}


def run_as_somebody(home: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    words = as_somebody(home, *command)
    return subprocess.run(words, env=as_seen_by(home), cwd="/", capture_output=True, text=True, check=False)


def user_namespaces_are_possible(home: Path) -> bool:
    """Never in a chroot, for one (unshare(2): EPERM), whatever the machine around it allows."""
    return run_as_somebody(home, "unshare", "--user", "true").returncode == 0


def test_an_ordinary_user_drills_or_is_told_what_to_do(home: Path) -> None:
    options = ("--fault", "haproxy-kill", "--generator", "none", "--baseline", "2s", "--probe-rate", "100", "--json")
    command = (python_of(home), "-m", "switchover", "drill", *options, "--out", str(home / "runs"))
    done = run_as_somebody(home, *command)
    if not user_namespaces_are_possible(home):
        assert done.stderr.count("\n") == 1 and "run it with sudo" in done.stderr
        return
    assert done.stdout, done.stderr
    verdict = json.loads(done.stdout)
    assert_word(verdict, "MEASURED")
    assert verdict["accounting"]["unaccounted"] == 0
    owners = {path.stat().st_uid for path in (home / "runs").glob("*/*")}
    assert owners == {os.geteuid() or SOMEBODY}


def test_where_namespaces_are_forbidden_one_line_says_what_to_do(home: Path) -> None:
    script = "from switchover.lab.capability import check; print(check())"
    forbid = f'echo 0 >/proc/sys/user/max_user_namespaces && exec {" ".join(NO_PRIVILEGES)} "$@"'
    command = [python_of(home), "-c", script]
    possible = user_namespaces_are_possible(home)
    if possible:
        command = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh", *command]
    done = run_as_somebody(home, *command)
    assert done.stderr == ""
    assert "through a user namespace" in done.stdout
    assert "run it with sudo" in done.stdout
    if possible:
        assert "sysctl -w user.max_user_namespaces=10000" in done.stdout
    assert done.stdout.count("\n") == 1
