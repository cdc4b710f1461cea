"""The controller's process. It reads settings and commands from stdin, and writes the state and the verdict to
stdout. The end of stdin ends the run with a heal and a verdict."""

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from msgspec import MsgspecError, to_builtins
from msgspec.json import decode

from switchover.drill.conduct import Conducted, conduct
from switchover.drill.fire_and_heal import NO_FAULT
from switchover.drill.options import DrillSettings
from switchover.drill.plan import DrillPlan
from switchover.drill.prepare import prepare_fault
from switchover.drill.remote.parent import COLOUR_VARIABLE, ControllerState
from switchover.drill.remote.plans import RemoteCommand, RemotePlan
from switchover.faults.mechanism import PreparedFault
from switchover.model.clock import Clock
from switchover.model.errors import FaultError, SwitchoverError, UsageError
from switchover.prober import ProberProgress
from switchover.prober.spec import check_url
from switchover.process.json_child import send_message, send_or_drop
from switchover.report.console import final_text
from switchover.rundir.run_directory import Run
from switchover.target.model import Endpoint, Target
from switchover.target.reader import load_target

EVERY_S = 0.5
NOTES = 20
NOTE_LENGTH = 300
"""The maximum number of characters of a note to the parent."""


@dataclass
class Reporter:
    _faults: list[str]
    _armed: bool
    _phase: str = "starting"
    _holders: frozenset[str] = frozenset()
    _probes: ProberProgress | None = None
    _notes: deque[str] = field(default_factory=lambda: deque(maxlen=NOTES))
    _news: threading.Event = field(default_factory=threading.Event)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None

    def start(self, run: Run) -> None:
        self._thread = threading.Thread(target=self._report, args=(run,), name="reporter", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._news.set()
        if self._thread is not None:
            self._thread.join()

    def phase(self, name: str, seconds: float) -> None:
        self._phase = name
        self._news.set()

    def tick(self, left_s: float, probes: ProberProgress | None, holders: frozenset[str]) -> None:
        self._probes, self._holders = probes, holders

    def note(self, text: str) -> None:
        with self._lock:
            self._notes.append(text[:NOTE_LENGTH])
        self._news.set()

    def state(self, run: Run) -> ControllerState:
        plan, fault, probes = run.plan, run.fault, self._probes
        with self._lock:
            notes = list(self._notes)
        return ControllerState(
            phase=self._phase,
            holders=sorted(self._holders),
            probes=None if probes is None else asdict(probes),
            fired_us=plan.fired_from_us,
            confirmed_us=plan.confirmed_us,
            heal_us=plan.heal_from_us,
            healed_us=plan.healed_us,
            fault=fault.name if fault is not None and fault.name != NO_FAULT else None,
            faults=self._faults,
            armed=self._armed,
            error=fault.error if fault is not None else None,
            notes=notes,
        )

    def _report(self, run: Run) -> None:
        while not self._stopped.is_set():
            send_or_drop(to_builtins(self.state(run)))
            self._news.wait(EVERY_S)
            self._news.clear()


class ParentsLoad:
    """The load that the parent generates. The parent starts and ends this load, and describes the load in
    `load.json`."""

    generator = "locust"
    died: str | None = None

    def __init__(self) -> None:
        self.pid: int | None = os.getppid()

    def start(self, directory: Path, clock: Clock) -> None:
        """Do nothing, because the parent starts the load."""

    def stop(self) -> str | None:
        return None


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    send_message({"account": _conduct(DrillSettings.from_json(sys.stdin.readline()))})


def _conduct(settings: DrillSettings) -> dict[str, Any]:
    target = _target(settings)
    offered = _offered(settings, target)
    reporter = Reporter(offered, settings.arm or target.lab is not None)
    commands: SimpleQueue[RemoteCommand] = SimpleQueue()

    def prepare_now(name: str, owners: Mapping[str, bool | None]) -> PreparedFault:
        if target.faults and not offered:
            raise FaultError(f"{name} does not fire: it was not chosen with {settings.typed('fault')}")
        return prepare_fault(target, name, settings, owners)

    def begin(run: Run) -> None:
        send_message(to_builtins(reporter.state(run)))
        send_message({"ready": True})
        reporter.start(run)
        threading.Thread(target=_listen, args=(commands, run), name="commands", daemon=True).start()

    def new_plan(_prepared: PreparedFault | None) -> DrillPlan:
        return RemotePlan(commands, settings, prepare=prepare_now, ready=begin, load=ParentsLoad())

    try:
        return _finished(conduct(settings, new_plan, reporter, target))
    finally:
        reporter.stop()


def _finished(done: Conducted) -> dict[str, Any]:
    verdict = done.verdict
    if verdict is None:
        raise SwitchoverError((done.run.fault and done.run.fault.error) or "the run did not begin")
    return {
        "verdict": to_builtins(verdict.record),
        "exit_code": verdict.record.exit_code,
        "warnings": verdict.record.warnings,
        "summary": final_text(verdict, done.streamed, colours=bool(os.environ.get(COLOUR_VARIABLE))),
    }


def _offered(settings: DrillSettings, target: Target) -> list[str]:
    """Return the faults that the parent may request. At a real target, only the chosen fault may be requested."""
    if settings.fault is not None:
        return [settings.fault]
    return sorted(target.faults) if target.lab is not None else []


def _target(settings: DrillSettings) -> Target:
    """Return the target of the target file. Without a file, return a target without nodes and faults."""
    if settings.target is not None:
        return load_target(settings.target)
    if settings.probe_rate != 0:
        if not settings.url:
            raise UsageError("there is no URL to probe: add a target file, or the host of the load")
        check_url(settings.url)
    return Target(Endpoint(settings.url or ""))


def _listen(commands: "SimpleQueue[RemoteCommand]", run: Run) -> None:
    for line in sys.stdin:
        with suppress(MsgspecError):
            command = decode(line, type=RemoteCommand)
            commands.put(command)
            if command.do == "finish":
                return
    why = "the process of the load generator ended before it sent the command `finish`"
    run.record_stop(why)
    run.warnings.append(why)
    commands.put(RemoteCommand("finish"))
