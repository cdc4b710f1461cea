"""The conductor's process: a spec and then commands on stdin; its state, and at last the verdict, on stdout.

Stdin ends when the parent closes it and when the parent dies, however it dies: then the run is ended in order, healed
and judged, so that no fault and no process is left over.
"""

import io
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from switchover.analysis import Verdict
from switchover.analysis.budget import parse_budget
from switchover.analysis.verdict_json import to_json
from switchover.drill.drill import Drill
from switchover.drill.finish import conclude
from switchover.drill.prepare import PreparedFault, prepare_fault, refuse_known_problems
from switchover.drill.probe_settings import probe_settings
from switchover.drill.remote.commands import RemoteCommand, RemoteCommands, RemotePlan, Verb
from switchover.drill.remote.parent import COLOUR_VARIABLE
from switchover.drill.remote.reporter import Reporter
from switchover.drill.remote.spec import ConductSpec
from switchover.drill.streaming import export_metrics, stream, streamed_line
from switchover.metronome.spec import check_url
from switchover.model.clock import Clock
from switchover.model.errors import FaultError, SwitchoverError
from switchover.process.json_child import say
from switchover.report.console import summary
from switchover.report.github import tell_github
from switchover.report.screen import screen_text
from switchover.rundir.run_directory import Run
from switchover.rundir.run_facts import versions
from switchover.streaming.influx.destination import choose_database
from switchover.target.model import Endpoint, Target
from switchover.target.reader import load_target

ARM_OPTION = "--switchover-arm"
"""What arms a fault, as those know it who start a load."""
ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C reaches all processes of the terminal: the parent gets it, and says when to finish."""


class ParentsLoad:
    """Made by the parent, who starts and ends it and writes `load.json`."""

    generator = "locust"
    died: str | None = None

    def __init__(self) -> None:
        self.pid: int | None = os.getppid()

    def start(self, directory: Path, clock: Clock) -> None:
        """It begins when the parent says so."""

    def stop(self) -> str | None:
        return None


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        spec = ConductSpec.from_json(sys.stdin.readline())
        say({"finished": _conduct(spec)})
    except SwitchoverError as error:
        say({"error": str(error)})
        return error.exit_code
    return 0


def _conduct(spec: ConductSpec) -> dict[str, Any]:
    for text in spec.budgets:
        parse_budget(text)
    target = _target(spec)
    refuse_known_problems(target, spec.budgets)
    database = choose_database(spec.influx, target.influx, os.environ)
    settings = probe_settings(
        target, rate=spec.probe_rate, kept_rate=spec.kept_rate, timeouts_s=spec.timeouts, late_s=spec.late_s
    )
    prepared = (
        None
        if spec.fault is None
        else prepare_fault(
            target, spec.fault, arm=spec.arm or spec.rehearse, option=ARM_OPTION, allow_last_one=spec.last_one
        )
    )
    run = Run(
        id=spec.run,
        name=spec.name,
        versions=versions(),
        command=list(spec.command),
        settings={"budgets": list(spec.budgets)},
        seed=spec.seed,
    )
    offered = _offered(spec, target)
    reporter = Reporter(run, offered, armed=spec.arm or target.lab is not None)

    def prepare_now(name: str, owners: Mapping[str, bool | None]) -> PreparedFault:
        if target.faults and not offered:
            raise FaultError(f"{name} does not fire: --switchover-fault did not name it")
        return prepare_fault(
            target,
            name,
            arm=spec.arm or spec.rehearse,
            option=ARM_OPTION,
            allow_last_one=spec.last_one,
            owners=owners,
        )

    commands = RemoteCommands()
    plan = RemotePlan(
        commands, spec, Clock.of_process(), prepare=prepare_now, ready=reporter.start, observer=reporter
    )
    drill = Drill(
        target,
        prepared,
        settings,
        plan,
        observer=reporter,
        load=ParentsLoad(),
        scrape_interval_s=spec.scrape_s,
        ending=ENDING,
        last_one_option="--switchover-last-one",
    )
    streaming = stream(spec.directory, database, target, reporter.note, wait_s=spec.influx_wait_s)
    threading.Thread(target=_listen, args=(commands, run), name="commands", daemon=True).start()
    try:
        with export_metrics(spec.directory, spec.prometheus, target, reporter.note):
            drill.run(spec.directory, run)
            if not reporter.is_started:
                raise SwitchoverError((run.fault and run.fault.error) or "the run did not begin")
            reporter.phase("judging", 0.0)
            verdict = conclude(drill, spec.directory, run, target, reporter.note, streaming)
            streaming = None
    finally:
        if streaming is not None:
            streaming.abandon()
        reporter.stop()
    return {
        "verdict": to_json(verdict),
        "exit_code": verdict.exit_code,
        "warnings": list(verdict.warnings),
        "summary": render_summary(verdict, streamed_line(run, spec.directory)),
    }


def _offered(spec: ConductSpec, target: Target) -> list[str]:
    """What may be asked for while the run is on: of a real target only what the command line named."""
    if spec.fault is not None:
        return [spec.fault]
    return sorted(target.faults) if target.lab is not None else []


def _target(spec: ConductSpec) -> Target:
    if spec.target_file is not None:
        return load_target(spec.target_file)
    url = spec.url or ""
    if spec.probe_rate != 0:
        check_url(url)
    return Target(Endpoint(url))


def _listen(commands: RemoteCommands, run: Run) -> None:
    """What the parent says; its end is the end of the run."""
    verbs = {verb.value: verb for verb in Verb}
    for line in sys.stdin:
        try:
            message = json.loads(line)
            verb = verbs[message["do"]]
            commands.put(RemoteCommand(verb, message.get("name"), message.get("at_us")))
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
        if verb is Verb.FINISH:
            return
    run.stopped = "the process that made the load went away before it had said that the run is over"
    run.warnings.append(run.stopped)
    commands.put(RemoteCommand(Verb.FINISH))


def render_summary(verdict: Verdict, streamed: str) -> str:
    """What the parent prints when all is over; the last of it is for GitHub, where it listens."""
    commands = io.StringIO()
    tell_github(verdict, stream=commands)
    parts = (_screen(verdict).rstrip("\n"), streamed, commands.getvalue().rstrip("\n"))
    return "\n".join(filter(None, parts)) + "\n"


def _screen(verdict: Verdict) -> str:
    console = Console(
        file=io.StringIO(),
        width=shutil.get_terminal_size().columns,
        force_terminal=bool(os.environ.get(COLOUR_VARIABLE)),
    )
    return screen_text(summary(verdict), console)
