"""One drill, from its settings to its verdict, for the command line, the plugins and the studies."""

import os
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from switchover import __version__
from switchover.drill.drill import Drill
from switchover.drill.loads import choose_held_loads
from switchover.drill.options import DrillSettings
from switchover.drill.plan import NewPlan
from switchover.drill.prepare import prepare_fault, refuse_known_problems
from switchover.drill.wait import DrillObserver
from switchover.model.errors import SwitchoverError
from switchover.predict.nodes import keepalived_facts
from switchover.report.history.usual import with_usual_limits
from switchover.report.make_report import Verdict, make_report
from switchover.rundir.run_directory import CurrentRun, Run, create_run_directory, run_id
from switchover.rundir.run_records import RunSettings, TargetFacts
from switchover.streaming.influx.destination import choose_database
from switchover.streaming.influx.shipper import ShipperAccount, streamed
from switchover.streaming.parent import Streaming, check_metrics
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Target
from switchover.telemetry.balancers import balancer_facts
from switchover.verdict.limit import limits_of


@dataclass(frozen=True, slots=True)
class Conducted:
    directory: Path
    run: Run
    verdict: Verdict | None
    """None: the run was not judged."""
    interrupted: bool

    @property
    def streamed(self) -> str:
        """One line with the result of the streaming. Empty: the run streamed no points."""
        account = self.run.streaming
        return "" if account is None else streamed(ShipperAccount(**account), self.directory)


def conduct(settings: DrillSettings, new_plan: NewPlan, observer: DrillObserver, target: Target) -> Conducted:
    """Run one drill. A refused drill raises an error before the run directory is created."""
    refuse_known_problems(target, settings.limits)
    database = choose_database(settings.influx, target.influx, os.environ)
    check_metrics(settings.prometheus)
    prepared = prepare_fault(target, settings.fault, settings) if settings.fault else None
    kept = choose_held_loads(settings, target)
    plan = new_plan(prepared)
    run = _describe(settings, target)
    directory = settings.directory or create_run_directory(settings.out, run.id)
    run.id = directory.name
    note = observer.note
    current = CurrentRun(directory, run, note)
    verdict = None
    wait_s, lab = settings.influx_wait_s, target.lab
    with Streaming(directory, database, settings.prometheus, note, wait_s=wait_s, lab=lab) as streaming:
        drill = Drill(target, prepared, plan, observer, settings, kept)
        drill.run(current)
        with drill.writing_report():
            if target.lab is not None:
                keep_config(target.lab, directory, note)
            if plan.is_judged:
                observer.phase("judging", 0.0)
                verdict = conclude(current, streaming)
    return Conducted(directory, run, verdict, drill.interrupted)


def _describe(settings: DrillSettings, target: Target) -> Run:
    """Return the description of the run, without the plan and the fault, which the drill adds. The final id is the
    name of the run directory."""
    name = settings.name or settings.what or "measure"
    balancer_versions, aliases = balancer_facts(target)
    facts = target_facts(target)
    facts["aliases"] = {**aliases, **facts["aliases"]}
    if target.source is not None:
        facts["file"] = str(target.source.absolute())
    if keepalived := keepalived_facts(target):
        facts["keepalived"] = keepalived
    versions = {"switchover": __version__, "python": sys.version.split()[0], "kernel": os.uname().release}
    return Run(
        id=run_id(name),
        name=name,
        versions={**versions, **balancer_versions},
        command=list(settings.command),
        settings=RunSettings.of({"limits": list(settings.limits)}),
        target=TargetFacts.of(facts),
        seed=settings.seed,
    )


def target_facts(target: Target) -> dict[str, Any]:
    """Return the facts of the target that a report needs, without secrets."""
    endpoint = target.endpoint
    nodes = [
        {
            "name": node.name,
            "role": node.role,
            "host": node.host,
            "haproxy": node.haproxy is not None,
            "nginx": node.nginx is not None,
            "vip_owner": bool(node.vip_owner),
            "access_log": node.access_log is not None,
        }
        for node in target.nodes
    ]
    return {
        "url": endpoint.public_url,
        "expect": str(endpoint.expect),
        "dedicated": endpoint.dedicated,
        "aliases": target.identity.aliases,
        "nodes": nodes,
        "lab": target.lab is not None,
    }


def conduct_all(
    settings: DrillSettings, new_plan: NewPlan, observer: DrillObserver, target: Target
) -> list[Conducted]:
    """Run `settings.repeat` drills. Stop early if a drill is interrupted or refused."""
    done: list[Conducted] = []
    for number in range(1, settings.repeat + 1):
        if settings.repeat > 1:
            observer.note(f"drill {number} of {settings.repeat}")
        try:
            done.append(conduct(settings, new_plan, observer, target))
        except SwitchoverError as error:
            if not done:
                raise
            observer.note(f"no more drills: {error}")
            break
        if settings.repeat > 1 and done[-1].streamed:
            observer.note(done[-1].streamed)
        if done[-1].interrupted:
            break
    return done


def conclude(current: CurrentRun, streaming: Streaming | None = None) -> Verdict:
    """Judge the run, write its report, and record in run.json how many points were sent to a database."""
    directory, run = current.directory, current.run
    limits = with_usual_limits(limits_of(run), run, directory)
    verdict = make_report(directory, run=run if current.unsaved else None, limits=limits)
    if any(limit.note for limit in limits):
        # Record the current value of the limit `usual`, so that later reports use the same value.
        run.settings |= {"limits": [limit.written for limit in limits]}
    account = streaming.finish() if streaming is not None else None
    if account is not None:
        run.streaming = asdict(account)
    current.save()
    return verdict


def keep_config(lab: Path, directory: Path, note: Callable[[str], None]) -> None:
    """Copy the lab's configuration into the run directory, so that the report can show it. If the copy fails, only a
    note is printed."""
    try:
        LabDirectory(lab).copy_config(directory / "config")
    except (OSError, SwitchoverError) as error:
        note(f"the lab's configuration was not copied to {directory / 'config'}: {error}")
