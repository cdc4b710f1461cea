"""One heap for all threads, nothing in reserve, and nothing of it for the commands of a target."""

import ctypes
import os
import subprocess
import sys
import textwrap

import pytest

from switchover.process.heap import one_heap

THREADS = """
    import ctypes, threading

    all_hold_memory = threading.Barrier(5)

    def hold_memory():
        memory = bytearray(2000)
        all_hold_memory.wait(10)

    threads = [threading.Thread(target=hold_memory) for _ in range(4)]
    for thread in threads:
        thread.start()
    all_hold_memory.wait(10)
    for thread in threads:
        thread.join()
    libc = ctypes.CDLL(None)
    libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
    libc.fflush(None)
"""
COMMAND = """
    import os, subprocess
    from switchover.process.heap import keep_from_commands

    keep_from_commands()
    subprocess.run(["env"])
"""


def said(program: str, environment: dict[str, str]) -> str:
    command = [sys.executable, "-c", textwrap.dedent(program)]
    environment = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30, env=environment).stdout


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="another C library than glibc")
def test_threads_share_one_heap() -> None:
    assert said(THREADS, {}).count("<heap nr=") > 1
    assert said(THREADS, one_heap()).count("<heap nr=") == 1


def test_a_command_does_not_inherit_it() -> None:
    assert "GLIBC_TUNABLES" not in said(COMMAND, one_heap())


def test_tunables_that_somebody_chose_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=1")
    assert one_heap() == {}
    assert "GLIBC_TUNABLES=glibc.malloc.check=1" in said(COMMAND, one_heap())
