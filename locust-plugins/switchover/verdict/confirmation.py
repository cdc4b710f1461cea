"""Evidence that the fault had an effect, from sources that are independent of the fault's commands. A command with a
mistyped service name kills nothing, but a wrong check may still confirm the kill. If a source contradicts a command,
the source decides."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec.structs import replace

from switchover.evidence.node_life import NodeLife
from switchover.evidence.ownership import MASTER
from switchover.evidence.requests.store import sql_text
from switchover.faults.catalogue import fault_named
from switchover.figures.events import Events
from switchover.rundir.run_directory import Run
from switchover.telemetry.balancers import BalancerState
from switchover.verdict.record import Check, Confirmation


class SourceKind(StrEnum):
    """A kind of source that shows the effect of a fault, independently of the commands of the fault."""

    GENERATION = "generation"
    """The process that answers on the victim ended, or a new process answers."""
    FRONTEND = "frontend"
    """A frontend of the victim changed its status."""
    SERVER = "server"
    """A balancer marked the victim down or sent fewer requests to the victim, or the victim's responses took
    longer."""
    OWNER = "owner"
    """A node other than the victim became owner of the address."""
    SCRAPES = "scrapes"
    """The victim stopped answering scrapes."""
    PROBES = "probes"
    """Probes or requests were impaired, or another balancer answered. If neither was observed, the effect is
    unknown."""


CERTAIN = frozenset({SourceKind.GENERATION, SourceKind.FRONTEND, SourceKind.SCRAPES})
"""Sources that observe the fault directly. If one of these sources denies an effect, the fault counts as denied. A
denial by any other source counts only if no source confirms an effect: the address may stay because the backup is
broken."""
POSSIBLE = {
    True: (SourceKind.SERVER, SourceKind.PROBES),
    False: (SourceKind.GENERATION, SourceKind.FRONTEND, SourceKind.SCRAPES, SourceKind.OWNER, SourceKind.PROBES),
}
"""The sources that are checked if a fault's description names no source. The key True is for faults of backends, and
False for faults of balancers."""
LESS = 0.5
"""A backend counts as removed if its share of responses falls below this part of its share before the fault."""
SLOWER, SLOWER_US = 2.0, 20_000
"""A backend counts as slower if its responses take longer by both this factor and this number of microseconds."""


class Evidence(NamedTuple):
    """The evidence in a run for an effect of the fault, in the time between the fault and its heal."""

    events: Events

    def check(self, kind: SourceKind) -> Check:
        holds, text = getattr(self, f"_{kind.value}")()
        return Check(name=kind.value, holds=holds, text=text)

    @property
    def _victim(self) -> str:
        fault = self.events.run.fault
        return (fault.victim or fault.master or "") if fault else ""

    @property
    def _is_within(self) -> str:
        return f"start_us >= {self.events.since_us} AND start_us < {self.events.horizon_us}"

    @property
    def _life(self) -> NodeLife:
        return self.events.lives.get(self._victim) or NodeLife(self._victim, ())

    @property
    def _states(self) -> tuple[BalancerState | None, Sequence[BalancerState]]:
        """The last scrape of the victim before the fault, and its scrapes between the fault and the heal."""
        since_us, horizon_us = self.events.since_us, self.events.horizon_us
        return self._life.last_before(since_us), self._life.between(since_us, horizon_us)

    def new_process_us(self) -> int | None:
        """Return the time of the first scrape of a new process on the victim between the fault and its heal."""
        before, states = self._states
        return next((state.at_us for state in states if before and state.generation != before.generation), None)

    def _generation(self) -> tuple[bool | None, str]:
        if self.new_process_us() is not None:
            return True, f"another process answered on {self._victim}"
        is_silent = self._life.is_silent_at(self.events.horizon_us, self.events.since_us)
        stopped = f"the process on {self._victim} stopped answering"
        return self._is_seen(is_silent, stopped, f"the same process on {self._victim} answered all the time")

    def _scrapes(self) -> tuple[bool | None, str]:
        is_silent = self._life.is_silent_between(self.events.since_us, self.events.horizon_us)
        stopped = f"{self._victim} stopped answering scrapes"
        return self._is_seen(is_silent, stopped, f"{self._victim} answered its scrapes all the time")

    def _is_seen(self, is_silent: bool, stopped: str, answered: str) -> tuple[bool | None, str]:
        if self._states[0] is None:
            return None, f"{self._victim} was not scraped before the fault"
        killed_us = self.events.run.plan.fired_to_us or self.events.since_us
        if not is_silent and not self._life.between(killed_us, self.events.horizon_us):
            return None, f"{self._victim} was not scraped between the fault and its heal"
        return is_silent, stopped if is_silent else answered

    def _frontend(self) -> tuple[bool | None, str]:
        before, states = self._states
        if before is None or not before.frontends or not states:
            return None, f"no frontend of {self._victim} was seen before and after the fault"
        for state in states:
            for name, status in state.frontends.items():
                if before.frontends.get(name, status) != status:
                    return True, f"{self._victim}: frontend {name} became {status}"
        return False, f"every frontend of {self._victim} kept its status"

    def _server(self) -> tuple[bool | None, str]:
        victim, was_scraped = self._victim, False
        for life in self.events.lives.values():
            before = life.last_before(self.events.since_us)
            for state in life.between(self.events.since_us, self.events.horizon_us):
                for name, status in state.servers.items():
                    if before is None or name.rpartition("/")[2] != victim:
                        continue
                    was_scraped = True
                    if name in before.servers_up and name not in state.servers_up:
                        return True, f"{life.node}: {victim} became {status}"
        share, slower = self._answers_of(victim)
        if share is None and was_scraped:
            return False, f"{victim} stayed up"
        if share is None:
            return None, f"{victim} sent no response before the fault"
        if share < LESS:
            return True, f"the share of {victim} fell to {share:.0%} of its share before the fault"
        if slower:
            return True, f"the responses of {victim} took longer than before"
        return False, f"{victim} answered as before"

    def _answers_of(self, backend: str) -> tuple[float | None, bool]:
        """Return the backend's share of responses relative to its share before the fault, and True if the backend
        became slower."""
        own = f"backend = {sql_text(backend)}"
        (own_before, all_before, took_before), (own_after, all_after, took_after) = (
            self.events.requests.row(
                f"SELECT count(*) FILTER ({own}), count(*) FILTER (backend <> ''), "
                f"avg(end_us - start_us) FILTER ({own} AND success) FROM {{requests}} WHERE {when}"
            )
            for when in (f"end_us < {self.events.since_us}", self._is_within)
        )
        if not own_before or not all_after:
            return None, False
        share = (own_after / all_after) / (own_before / all_before)
        slower = took_after is not None and took_before is not None
        return share, slower and took_after > max(SLOWER * took_before, took_before + SLOWER_US)

    def _owner(self) -> tuple[bool | None, str]:
        events, fault = self.events, self.events.run.fault
        other_nodes = sorted(events.ownership.nodes - {(fault and fault.master) or ""})
        for node in other_nodes:
            for change in events.ownership.of(node):
                is_owner = change.holds or change.state == MASTER
                if is_owner and events.since_us <= change.at_us < events.horizon_us:
                    return True, f"{node} got the address"
        if not other_nodes or any(cut.phase == "hold" for cut in self.events.run.truncated):
            return (
                None,
                "unknown: no ownership source on the other nodes, or the fault was too short to see the address move",
            )
        return False, f"{' and '.join(other_nodes)} never got the address"

    def _probes(self) -> tuple[bool | None, str]:
        if self.events.outage is not None and self.events.outage.gaps:
            return True, f"{self.events.outage.impaired:,} probes were impaired"
        within, before = self._is_within, f"end_us < {self.events.since_us}"
        failed, named_before, new = self.events.requests.row(
            f"SELECT count(*) FILTER (NOT success AND error <> 'generator' AND {within}), "
            f"count(*) FILTER (balancer <> '' AND {before}), "
            f"count(*) FILTER (balancer <> '' AND {within} AND balancer NOT IN "
            f"(SELECT balancer FROM {{requests}} WHERE {before})) FROM {{requests}}"
        )
        if named_before and new:
            return True, "another balancer answered"
        return (True, f"{failed:,} requests failed") if failed else (None, "no request was impaired")


def restart_seen(events: Events) -> str | None:
    """Return a text about a restart of the victim by its supervisor; None if the fault is confirmed or no process is
    new. The first scrape of the new process is an upper bound of the time of the restart."""
    run = events.run
    victim = run.fault.victim or run.fault.master if run.fault else None
    new_us = Evidence(events).new_process_us()
    if run.plan.confirmed_us is not None or run.plan.fired_to_us is None or new_us is None:
        return None
    after_s = max(new_us - run.plan.fired_to_us, 0) / 1e6
    return f"the balancer on {victim} was killed, and its supervisor restarted it within {after_s:.2f} s"


def source_kinds(run: Run) -> Sequence[SourceKind]:
    """Return the sources that the run or the catalogue of faults names for the fault, followed by the probes."""
    fault = run.fault
    if fault is None:
        return ()
    named = [name for name in fault.sources if name in set(SourceKind)]
    kinds = [SourceKind(name) for name in named or fault_named(fault.name).sources]
    return [*(kind for kind in kinds if kind is not SourceKind.PROBES), SourceKind.PROBES]


def look_for_confirmation(evidence: Evidence) -> Confirmation:
    """Check the sources of the fault. If no source is named, `POSSIBLE` sources can confirm, but cannot deny, an
    effect."""
    kinds, fault = source_kinds(evidence.events.run), evidence.events.run.fault
    if len(kinds) > 1:
        checks = [evidence.check(kind) for kind in kinds]
    else:
        is_of_backend = fault is not None and fault.kind == "backend"
        checks = [replace(check, holds=check.holds or None) for check in map(evidence.check, POSSIBLE[is_of_backend])]
    return Confirmation(seen=_seen(checks), checks=checks)


def _seen(checks: Sequence[Check]) -> bool | None:
    """Return True if a source confirms an effect, and False if a source denies an effect; None: unknown."""
    holds = {check.name: check.holds for check in checks}
    if any(holds.get(kind) is False for kind in CERTAIN):
        return False
    if True in holds.values():
        return True
    return False if False in holds.values() else None
