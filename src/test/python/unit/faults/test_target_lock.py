"""Two runs against one pair: the second is refused, and told who has it."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.contract import FOLDER
from switchover.faults.preflight import lock as target_lock
from switchover.faults.preflight.lock import (
    FOLDERS,
    lock_file,
    lock_files,
    lock_folder,
    lock_target,
    node_keys,
    process_keys,
)
from switchover.model.errors import FaultError
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import Command
from switchover.telemetry.haproxy import parse_answer

VECTORS = json.loads((FOLDER / "lock_keys.json").read_text(encoding="utf-8"))
HOLD = """
import sys
from switchover.faults.preflight import lock as target_lock
from switchover.target.model import Endpoint, Node, Target
from pathlib import Path
from typing import Any
target_lock.FOLDERS = (Path(sys.argv[1]),)
nodes = tuple(Node(host, "balancer", host=host) for host in sys.argv[2:])
try:
    with target_lock.lock_target(Target(Endpoint("http://198.18.0.50/"), nodes=nodes), "of-another"):
        print("locked", flush=True)
        sys.stdin.read()
except Exception as error:
    print(error, flush=True)
"""
"""Holds the locks of hosts in a folder until its input ends."""


def pair(*hosts: str) -> Target:
    nodes = tuple(Node(f"n{number}", "balancer", host=host) for number, host in enumerate(hosts))
    return Target(Endpoint("http://198.18.0.50/"), nodes=nodes)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is everybody's, as /run/lock is."""
    made = tmp_path / "locks"
    made.mkdir()
    made.chmod(0o1777)
    monkeypatch.setattr(target_lock, "FOLDERS", (made,))
    return made


@contextmanager
def another_process(folder: Path, *hosts: str, prefix: Sequence[str] = (), **environment: str) -> Iterator[str]:
    """What a process that wants the locks, in an environment of its own, says."""
    package = str(Path(target_lock.__file__).parents[3])
    process = subprocess.Popen(
        [*prefix, sys.executable, "-c", HOLD, str(folder), *hosts],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        umask=0o077,
        env={"PYTHONPATH": package} | environment,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate()


def test_a_second_run_is_told_which_process_and_run_has_the_nodes() -> None:
    with lock_target(pair("198.18.0.2", "198.18.0.3"), "run-1"):
        with pytest.raises(FaultError, match=f"in use: process {os.getpid()} holds the lock for run run-1"):
            lock_target(pair("198.18.0.3", "198.18.0.9"), "run-2").__enter__()
        with lock_target(pair("198.18.0.8"), "run-3"):
            pass
    with lock_target(pair("198.18.0.3", "198.18.0.2"), "run-4"):
        pass


@pytest.mark.parametrize("vector", VECTORS["hosts"], ids=lambda vector: vector["host"])
def test_a_host_has_the_keys_that_java_gives_it(vector: dict[str, list[str]]) -> None:
    assert list(node_keys(str(vector["host"]), vector["addresses"])) == vector["keys"]


@pytest.mark.parametrize("vector", VECTORS["files"], ids=lambda vector: vector["key"])
def test_a_key_has_the_file_that_java_gives_it(vector: dict[str, str]) -> None:
    assert lock_file(vector["key"]) == vector["file"]


def test_the_folders_are_those_of_java() -> None:
    assert [str(path) for path in FOLDERS] == VECTORS["folders"]


@pytest.mark.parametrize("one, other", VECTORS["same"])
def test_one_host_in_two_spellings_is_one(one: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"lb1.example.net": ("192.0.2.1", "2001:db8::1"), "localhost": ("::1", "127.0.0.1")}
    monkeypatch.setattr(target_lock, "known_addresses", lambda host, _timeout_s: known.get(host, (host,)))
    with lock_target(pair(one), "run-1"), pytest.raises(FaultError, match="for run run-1"):
        lock_target(pair(other), "run-2").__enter__()


def test_a_name_without_an_address_is_known_by_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_lock, "known_addresses", lambda *_: ())
    with lock_target(pair("lb1"), "run-1"), pytest.raises(FaultError, match="for run run-1"):
        lock_target(pair("LB1."), "run-2").__enter__()


def identified(host: str, *command: str) -> Target:
    node = Node("n0", "balancer", host=host, machine_id=Command(command))
    return Target(Endpoint("http://198.18.0.50/"), nodes=(node,))


def test_a_node_is_known_by_what_it_says_of_itself() -> None:
    one, other = identified("198.18.0.2", "echo", "0A1B"), identified("198.18.0.3", "echo", "0a1b")
    with lock_target(one, "run-1"), pytest.raises(FaultError, match="for run run-1"):
        lock_target(other, "run-2").__enter__()


@pytest.mark.parametrize(
    ("command", "why"), [("true", "printed nothing"), ("false", "exit status 1"), ("yes", "4,?096 bytes")]
)
def test_a_node_that_does_not_say_what_it_is_called_is_not_locked(command: str, why: str) -> None:
    with pytest.raises(
        FaultError, match=f"n0 cannot be locked for this run, because the command machine_id failed: .*{why}"
    ):
        lock_target(identified("198.18.0.2", command), "run-1").__enter__()


def test_the_folder_is_the_first_that_is_everybodys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, open_to_all = tmp_path / "own", tmp_path / "all"
    own.mkdir(mode=0o755)
    open_to_all.mkdir()
    open_to_all.chmod(0o1777)
    monkeypatch.setattr(target_lock, "FOLDERS", (tmp_path / "missing", own, open_to_all))
    assert lock_folder() == open_to_all
    monkeypatch.setattr(target_lock, "FOLDERS", (own,))
    with pytest.raises(FaultError, match=r"none of .*own is a folder that all users may write to \(mode 1777\)"):
        lock_folder()


def test_no_variable_of_the_environment_moves_the_locks(folder: Path, tmp_path: Path) -> None:
    with lock_target(pair("198.18.0.2"), "run-1"):
        for environment in ({}, {"XDG_RUNTIME_DIR": str(tmp_path)}, {"TMPDIR": str(tmp_path), "HOME": "/"}):
            with another_process(folder, "198.18.0.2", **environment) as said:
                assert "holds the lock for run run-1" in said


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs to become other users")
def test_users_keep_each_other_out_whoever_made_the_file() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # pytest's own are closed to other users
        Path(name).chmod(0o1777)
        exclude_each_other(Path(name))


def exclude_each_other(folder: Path) -> None:
    one, other = (("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups") for uid in (65531, 65532))
    python = sys.executable
    if subprocess.run([*one, python, "-c", "import switchover.faults.preflight.lock"], check=False).returncode != 0:
        pytest.skip("another user cannot read this Python's packages")
    for first, second in ((one, other), ((), one)):
        for path in folder.iterdir():
            path.unlink()
        with another_process(folder, "198.18.0.2", prefix=first) as said:
            assert said == "locked"
            with another_process(folder, "198.18.0.2", prefix=second) as refused:
                assert "holds the lock for run of-another" in refused
        with another_process(folder, "198.18.0.2", prefix=second) as said:
            assert said == "locked"


def test_a_lab_has_its_own_locks_and_without_balancers_the_nodes_are_locked(folder: Path, tmp_path: Path) -> None:
    node = Node("n0", "backend", host="198.18.0.2", haproxy=Command(("false",)))
    target = Target(Endpoint("http://198.18.0.50/"), nodes=(node,))
    shared, own = lock_files(target), lock_files(replace(target, lab=tmp_path))
    assert [path.name for path in shared] == [path.name for path in own] == sorted(path.name for path in own)
    assert {path.parent for path in shared} == {folder} and {path.parent for path in own} == {tmp_path}
    assert {*shared.values(), *own.values()} == {"n0"}
    assert lock_files(pair()) == {}


def lock_path(host: str) -> Path:
    """The first file that is locked for it."""
    return next(iter(lock_files(pair(host))))


@pytest.mark.parametrize(
    "plant, why",
    [
        (lambda path, _: os.mkfifo(path), "plain file with one name"),
        (lambda path, _: path.mkdir(), "plain file with one name"),
        (lambda path, own: path.symlink_to(own), "plain file with one name"),
        (lambda path, own: os.link(own, path), "several hard links"),
    ],
    ids=["fifo", "folder", "symbolic link", "hard link"],
)
def test_what_another_user_has_put_there_is_neither_waited_for_nor_written_to(
    plant: Callable[[Path, Path], None], why: str, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.write_text("mine")
    path = lock_path("198.18.0.2")
    plant(path, own)
    with pytest.raises(FaultError, match=f"cannot be locked for this run: .*{why}.*: remove this file"):
        lock_target(pair("198.18.0.2"), "run-1").__enter__()
    assert own.read_text() == "mine"


def test_a_lock_whose_file_was_removed_meanwhile_is_taken_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    path = lock_path("198.18.0.2")
    take = fcntl.flock
    removed: list[Path] = []

    def remove_once(descriptor: int, operation: int) -> None:
        if not removed:
            path.unlink()
            removed.append(path)
        take(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", remove_once)
    with lock_target(pair("198.18.0.2"), "run-1") as lock:
        assert os.path.samestat(os.fstat(lock[0]), path.stat())


@pytest.mark.parametrize("text", ["", "[", '{"pid": "x", "run": 1}', "[" * 5000, '{"pid": 1, "run": "a\\u001b[2Jb"}'])
def test_what_others_wrote_into_a_lock_file_does_no_harm(text: str) -> None:
    with lock_target(pair("198.18.0.2"), "run-1"):
        lock_path("198.18.0.2").write_text(text)
        with pytest.raises(FaultError, match="holds the lock") as refused:
            lock_target(pair("198.18.0.2"), "run-2").__enter__()
        assert str(refused.value).isprintable()


@pytest.mark.parametrize("vector", VECTORS["processes"])
def test_the_process_that_answers_has_the_key_that_java_gives_it(vector: dict[str, Any]) -> None:
    assert list(process_keys(parse_answer(vector["answer"].encode()))) == vector["keys"]


def test_two_users_who_call_the_same_nodes_otherwise_are_told_by_their_haproxys(tmp_path: Path) -> None:
    (tmp_path / "stats").write_text(VECTORS["processes"][0]["answer"], encoding="utf-8")
    one, other = (
        Target(Endpoint("http://198.18.0.50/"), nodes=(Node(name, "balancer", haproxy=source),))
        for name, source in (
            ("lb1.invalid", Command(("cat", str(tmp_path / "stats")))),
            ("left.invalid", Command(("tail", "-n", "99", str(tmp_path / "stats")))),
        )
    )
    with lock_target(one, "run-1"), pytest.raises(FaultError, match=r"left\.invalid is in use.*for run run-1"):
        lock_target(other, "run-2").__enter__()
