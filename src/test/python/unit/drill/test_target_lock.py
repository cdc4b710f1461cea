"""Two runs against one pair: the second is refused, and told who has it."""

import os
from pathlib import Path

import pytest

from switchover.drill.target_lock import TargetLock, lock_directory
from switchover.model.errors import FaultError
from switchover.target.model import Endpoint, Node, Target


def pair(*hosts: str) -> Target:
    nodes = tuple(Node(f"n{number}", "balancer", host=host) for number, host in enumerate(hosts))
    return Target(Endpoint("http://198.18.0.50/"), nodes=nodes)


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


def test_a_second_run_is_told_which_process_and_run_has_the_nodes() -> None:
    with TargetLock(pair("198.18.0.2", "198.18.0.3"), "run-1"):
        with pytest.raises(FaultError, match=f"in use: process {os.getpid()} has it for run run-1"):
            TargetLock(pair("198.18.0.3", "198.18.0.9"), "run-2").__enter__()
        with TargetLock(pair("198.18.0.8"), "run-3"):
            pass
    with TargetLock(pair("198.18.0.3", "198.18.0.2"), "run-4"):
        pass


def test_balancers_on_one_host_have_one_lock() -> None:
    with TargetLock(pair("127.0.0.1", "127.0.0.1"), "run-1"), pytest.raises(FaultError, match="for run run-1"):
        TargetLock(pair("127.0.0.1"), "run-2").__enter__()


def test_what_a_watchdog_has_inherited_stays_locked() -> None:
    with TargetLock(pair("198.18.0.2"), "run-1") as lock:
        inherited = [os.dup(descriptor) for descriptor in lock.descriptors]
    with pytest.raises(FaultError, match="in use"):
        TargetLock(pair("198.18.0.2"), "run-2").__enter__()
    for descriptor in inherited:
        os.close(descriptor)
    with TargetLock(pair("198.18.0.2"), "run-3"):
        pass


def test_a_directory_that_others_may_write_is_refused() -> None:
    lock_directory().mkdir(mode=0o755)
    with pytest.raises(FaultError, match="mode 0700"):
        TargetLock(pair("198.18.0.2"), "run-1").__enter__()
