"""PID 1 of the lab: `supervisor SUPERVISOR.json`. The supervisor makes the bridge, starts the hosts, and prints
"ready", or one line with the error. When the process that started the lab ends, stdin closes, and the supervisor ends
the lab."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from switchover.lab.addresses import Host, bridge_batch
from switchover.lab.capability import NAMESPACES, propagation, run_or_refuse
from switchover.lab.host_agent import Agent, apply_sysctls, search_path
from switchover.lab.service import last_line
from switchover.model.errors import LabError

LOCKS = Path("/run/lock")
"""The folder with the lock files of runs (`faults/preflight/lock.py`)."""


def require_process_1() -> None:
    """Exit unless this process is PID 1. Otherwise, kill(-1) would kill all processes of this user."""
    if os.getpid() != 1:
        sys.exit("the lab's supervisor must be process 1 of new namespaces: start a lab with 'switchover lab up'")


def end_with_the_caller(directory: Path) -> None:
    while os.read(0, 4096):
        pass
    end(directory)


def end(directory: Path) -> None:
    """Kill all processes of this pid namespace and its child namespaces, and then remove the directory."""
    require_process_1()
    with contextlib.suppress(ProcessLookupError):  # there may be no other process
        os.kill(-1, signal.SIGKILL)
    shutil.rmtree(directory, ignore_errors=True)
    os._exit(0)


def mount_own_locks() -> None:
    """Mount a lock folder that only the hosts of this lab share, because all labs have the same addresses."""
    if LOCKS.is_dir() and propagation() == "private":
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "mode=1777,size=1m", "locks", str(LOCKS)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=False,
        )


def build(plan: dict[str, Any]) -> None:
    started = []
    for entry in plan["hosts"]:
        agent = [sys.executable, "-S", "-P", "-m", "switchover.lab.host_agent", entry["description"]]
        command = [plan["unshare"], *NAMESPACES, "--propagation", propagation(), "--", *agent]
        with Path(entry["log"]).open("ab") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, start_new_session=True
            )
        started.append(process)
    pids = {}
    for entry, process in zip(plan["hosts"], started, strict=True):
        assert process.stdout is not None
        with process.stdout:
            if process.stdout.readline() != b"ready\n":
                raise LabError(f"host {entry['name']} does not start: {last_line(Path(entry['log']))}")
        pids[Host(entry["name"], entry["address"])] = process.pid
        process.returncode = 0  # this process reaps all processes, so Popen must not reap any
    run_or_refuse((plan["ip"], "-batch", "-"), "the lab's network", bridge_batch(pids, plan["relayed"]))


def main(arguments: list[str]) -> None:
    require_process_1()
    plan = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    directory = Path(plan["directory"])
    threading.Thread(target=end_with_the_caller, args=(directory,), daemon=True).start()
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    os.environ["PATH"] = search_path(os.environ.get("PATH", os.defpath))
    apply_sysctls(plan["sysctls"])
    mount_own_locks()
    try:
        build(plan)
        agent = Agent(plan["socket"], plan["services"])
    except (LabError, OSError) as error:
        print(error, flush=True)
        end(directory)
        return
    print("ready", flush=True)
    agent.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
