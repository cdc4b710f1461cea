"""One drill that meets with misfortunes: its files, its process, and what may be touched of it."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from support.remains import lives, marked
from support.waiting import wait_for
from switchover.lab import addresses, control
from switchover.lab.lab import Lab

PLAN = ("--baseline", "2s", "--hold", "7s", "--recover", "7s", "--probe-rate", "200", "--users", "5")
"""As short as physics allows: an outage of these faults ends 4.6 s after the kill, the address is back 3.6 s after
the heal."""
ENDS_WITHIN_S = 180.0
"""A command that hangs has 15 s, and each is tried twice."""


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
    outs: list[Path] = field(default_factory=list)
    was_ended: bool = False
    """The drill itself was ended by force: it has no exit code of its own and judges nothing."""

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
        words = [*self.prefix, sys.executable, "-m", "switchover", "drill", "--target", str(self.lab.target_file)]
        words += ["--fault", fault, "--generator", generator, "--out", str(out), *PLAN, *self.options]
        words += ["--seed", str(self.chance.randrange(1 << 30))]
        environment = os.environ | {
            "HOME": str(self.folder / "home"),
            "TMPDIR": str(self.folder / "tmp"),
            "NO_COLOR": "1",
        }
        with (self.folder / f"{out.name}.log").open("wb") as log:
            self.runners.append(
                subprocess.Popen(
                    self.lab.exec_argv("client", words),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=environment,
                    cwd=self.folder / "cwd",
                )
            )

    @property
    def have_ended(self) -> bool:
        return all(runner.poll() is not None for runner in self.runners)

    def wait_for_run(self) -> None:
        """As the client sees it, which may have a disk of its own there."""
        looks = f"ls {self.folder}/runs/*/run.json 2>/dev/null; true"
        wait_for(lambda: bool(self.in_client("sh", "-c", looks)) or self.have_ended, "the run's directory")

    def processes(self, *words: str) -> list[int]:
        """The processes of the drill whose command line has all of these words, by pid."""
        found = []
        for pid in sorted(marked(self.folder)):
            line = command_line(pid)
            if "exec.py" not in line and all(word in line for word in words) and lives(pid):
                found.append(pid)
        return found

    def signal(self, number: int, *words: str) -> list[int]:
        """Sends it to all of these, and returns whom it was sent to."""
        sent = []
        for pid in self.processes(*words):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
            sent.append(pid)
        return sent

    def stop_for(self, seconds: float, *words: str) -> None:
        """SIGSTOP, and SIGCONT so much later."""
        stopped = self.signal(signal.SIGSTOP, *words)
        time.sleep(seconds)
        for pid in stopped:
            if lives(pid):
                os.kill(pid, signal.SIGCONT)

    def in_client(self, *words: str) -> str:
        status, said = control.run(self.lab.layout.socket(addresses.CLIENT), words)
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
        return late

    def said(self) -> str:
        logs = [self.folder / f"{out.name}.log" for out in self.outs]
        return "\n".join(log.read_text(encoding="utf-8", errors="replace") for log in logs)

    def verdicts(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        for run in self.runs:
            path = run / "verdict.json"
            if path.exists():
                yield run, json.loads(path.read_text(encoding="utf-8"))


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""
