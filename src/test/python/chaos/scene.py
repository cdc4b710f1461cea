"""One drill that meets with misfortunes: its files, its process, and what may be touched of it."""

import json
import os
import random
import signal
import subprocess
import time
import tomllib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from chaos import begin
from support.remains import lives, marked
from support.waiting import wait_for
from switchover.lab import addresses, control
from switchover.lab.lab import Lab

ENDS_WITHIN_S = 180.0
"""A command that hangs has 15 s, and each is tried twice."""
ENDS_BESIDE_S = 30.0
"""A worker whose master has ended, and a server, which would stay."""


@dataclass
class Scene:
    lab: Lab
    folder: Path
    chance: random.Random
    target: dict[str, Any] = field(init=False)
    """What the lab's target file will say; changed before the drill begins."""
    options: list[str] = field(default_factory=list)
    prefix: list[str] = field(default_factory=list)
    """What the drill is started by, such as a limit."""
    runners: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    beside: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    """Workers and servers: no drill."""
    outs: list[Path] = field(default_factory=list)
    was_ended: bool = False
    """The drill itself was ended by force: it has no exit code of its own and judges nothing."""
    others_ask: bool = False
    """The pair is not the drill's alone: answers that it has not counted are nobody's mistake."""

    def __post_init__(self) -> None:
        self.target = tomllib.loads(self.lab.target_file.read_text(encoding="utf-8"))
        for name in ("home", "tmp", "cwd"):
            (self.folder / name).mkdir()

    @property
    def elsewhere(self) -> list[Path]:
        """Folders in which a drill has no business to leave anything."""
        return [self.folder / "home", self.folder / "tmp", self.folder / "cwd"]

    @property
    def runs(self) -> list[Path]:
        return sorted(path.parent for out in self.outs for path in out.glob("*/run.json"))

    def node(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = next(node for node in self.target["node"] if node["name"] == name)
        return found

    def start(self, fault: str, generator: str, out: Path | None = None) -> None:
        self.lab.target_file.write_text(tomli_w.dumps(self.target), encoding="utf-8")
        out = out or self.folder / "runs"
        self.outs.append(out)
        if generator == "locust with workers":
            statuses = begin.locust_with_workers(self, fault, out)
        elif generator == "jmeter with servers":
            statuses = begin.jmeter_with_servers(self, fault, out)
        else:
            statuses = [*self.prefix, *begin.drill(self, fault, generator, out)]
        self.runners.append(self._popen(out.name, statuses))

    def start_beside(self, name: str, statuses: list[str]) -> None:
        self.beside.append(self._popen(name, statuses))

    def _popen(self, name: str, statuses: list[str]) -> "subprocess.Popen[bytes]":
        environment = os.environ | {
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "NO_COLOR": "1",
        }
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                self.lab.exec_argv("client", statuses),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                cwd=self.folder / "cwd",
            )

    @property
    def have_ended(self) -> bool:
        return all(runner.poll() is not None for runner in self.runners)

    def wait_for_run(self) -> None:
        """As the client sees it, which may have a disk of its own there."""
        looks = f"ls -d {self.folder}/runs/*/ 2>/dev/null; true"
        wait_for(lambda: bool(self.in_client("sh", "-c", looks)) or self.have_ended, "the run's directory")

    def processes(self, *statuses: str) -> list[int]:
        """The processes of the drill whose command line has all of these words, by pid."""
        found = []
        for pid in sorted(marked(self.folder)):
            line = command_line(pid)
            if "exec.py" not in line and all(status in line for status in statuses) and lives(pid):
                found.append(pid)
        return found

    def signal(self, number: int, *statuses: str, at_most: int | None = None) -> list[int]:
        """Sends it to these, and returns whom it was sent to."""
        sent = []
        for pid in self.processes(*statuses)[:at_most]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
            sent.append(pid)
        return sent

    def stop_for(self, seconds: float, *statuses: str) -> None:
        """SIGSTOP, and SIGCONT so much later."""
        stopped = self.signal(signal.SIGSTOP, *statuses)
        time.sleep(seconds)
        for pid in stopped:
            if lives(pid):
                os.kill(pid, signal.SIGCONT)

    def in_client(self, *statuses: str) -> str:
        status, said = control.run(self.lab.layout.socket(addresses.CLIENT), statuses)
        assert status == 0, said
        return said

    def await_end(self) -> list[str]:
        """What did not end in time, and was ended."""
        give_up, late = time.monotonic() + ENDS_WITHIN_S, []
        for runner in self.runners:
            try:
                runner.wait(max(0.1, give_up - time.monotonic()))
            except subprocess.TimeoutExpired:
                late.append(f"the drill had not ended after {ENDS_WITHIN_S:g} s")
                runner.kill()
                runner.wait()
        self._end_beside()
        return late

    def _end_beside(self) -> None:
        """JMeter's servers stay where nobody ends them; a worker of Locust ends with its master."""
        self.signal(signal.SIGTERM, "ApacheJMeter", " -s ")
        for process in self.beside:
            try:
                process.wait(ENDS_BESIDE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def said(self) -> str:
        logs = [self.folder / f"{out.name}.log" for out in self.outs]
        return "\n".join(log.read_text(encoding="utf-8", errors="replace") for log in logs)

    def verdicts(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        for run in self.runs:
            path = run / "verdict.json"
            if path.exists():
                yield run, json.loads(path.read_text(encoding="utf-8"))


Act = Generator[None, None, None]
"""Yields twice: when what it needs is there, before the drill begins; and when it has struck. What is behind the
second `yield` mends it, after the drill has ended."""
Misfortune = Callable[[Scene], Act]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""
