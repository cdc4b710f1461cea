"""An agent of the lab in a process of its own, without any namespace: commands and services on this machine."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from switchover.lab import control
from switchover.lab import exec as lab_exec

EXEC = Path(lab_exec.__file__)
SERVE = """
import json, sys
from switchover.lab.host_agent import Agent
agent = Agent(sys.argv[1], json.loads(sys.argv[2]))
print("ready", flush=True)
agent.serve_forever()
"""


@contextmanager
def running_agent(folder: Path, services: Sequence[Mapping[str, Any]] = ()) -> Iterator[Path]:
    """The socket of an agent that offers these services."""
    socket = folder / "exec.sock"
    command = [sys.executable, "-c", SERVE, str(socket), json.dumps(list(services))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield socket
        finally:
            for service in services:
                control.service_verb(socket, service["name"], "kill")  # its processes do not end with their agent
            process.kill()


def exec_argv(socket: Path, *statuses: str) -> list[str]:
    return [sys.executable, "-I", "-S", str(EXEC), str(socket), *statuses]


def execute(socket: Path, *statuses: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(exec_argv(socket, *statuses), input=text, capture_output=True, text=True, check=False)
