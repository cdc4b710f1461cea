"""Mechanisms: the faults and changes that the lab can run and Switchover can predict."""

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from switchover.model.vrrp import KeepalivedSettings
from switchover.predict.prediction import Pair, Prediction, nothing
from switchover.rundir.run_directory import FaultRun
from switchover.tables import read_table
from switchover.target.model import FaultRecipe

MASTER, BACKUP = "{master}", "{backup}"
"""The placeholders for the node that has the virtual address, and for the other balancer."""

VICTIM = "web1"

STOPPED, FROZEN = 3, 4
"""The exit statuses of `--service NAME status` in the lab. The first means that no process runs, the second that
SIGSTOP has stopped all processes."""

NODE_STATE = Path(__file__).parent / "on_node" / "node_state.py"


@dataclass(frozen=True, slots=True)
class LabCommands:
    """Builds commands for the hosts of one lab."""

    python: str
    exec_py: str
    directory: str
    balancer: str = "haproxy"
    """The program of the balancer nodes: haproxy, nginx, caddy, traefik, envoy, redirect, or none."""
    address: str = ""
    mode: str = "http"
    """The protocol of the balancers: http, https, tcp or tcp-https."""
    connections: bool = False
    """True: the lab serves held connections, and has one additional server that replaces a backend."""

    def on(self, host: str, *command: str) -> tuple[str, ...]:
        return (*self._agent(host), "--", *command)

    def bridge(self, *command: str) -> tuple[str, ...]:
        """Return `command` for the lab's bridge, the network namespace that has a port for each host, such as br-lb1
        for lb1."""
        return self.on("bridge", *command)

    def service(self, host: str, name: str, verb: str) -> tuple[str, ...]:
        """Return the command that runs a verb of a host's service, such as kill, start or status."""
        return (*self._agent(host), "--service", name, verb)

    def service_is(self, host: str, name: str, status: int) -> tuple[str, ...]:
        """Return a command that exits with 0 if the status of the service is `status`."""
        return ("sh", "-c", f'"$@"; [ $? -eq {status} ]', "sh", *self.service(host, name, "status"))

    def reload(self) -> tuple[str, ...]:
        return self.service(MASTER, "balancer", "reload")

    def runtime(self, *arguments: str) -> tuple[str, ...]:
        """Return a command that uses the runtime socket of the master's HAProxy."""
        return (*self.state_script, self.master_file("haproxy.sock"), *arguments)

    def state_at_master(self, file: str, *words: str) -> tuple[str, ...]:
        return self.on(MASTER, *self.state_script, self.master_file(file), *words)

    @property
    def state_script(self) -> tuple[str, ...]:
        return (self.python, "-I", "-S", str(NODE_STATE))

    def master_file(self, name: str) -> str:
        return f"{self.directory}/{MASTER}/{name}"

    def _agent(self, host: str) -> tuple[str, ...]:
        return (self.python, "-I", "-S", self.exec_py, f"{self.directory}/{host}/exec.sock")


TRAITS = json.loads(read_table("faults.json"))
"""The fields of each mechanism that both Python and Java need."""
TEXTS = tomllib.loads(read_table("faults.toml"))


class Commands(NamedTuple):
    """The lab's commands that start a fault or change, undo it, and verify its effect."""

    kill: tuple[str, ...]
    heal: tuple[str, ...]
    verify_down: tuple[str, ...]
    verify_healed: tuple[str, ...] | None = None


Theory = Prediction | Callable[[Pair], Prediction]
"""A fixed outage, or a function that predicts an outage from the settings of both nodes."""

LabNeed = Callable[[LabCommands], str | None]
"""Returns the reason why a lab cannot run a mechanism. None: the lab can run the
mechanism."""


CHANGE_COST = nothing("a change should cause no outage")
UNDO_COST = nothing("the undo of a change should cause no outage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A fault or a change. `switchover faults` prints the texts of this class."""

    name: str
    commands: Callable[[LabCommands], Commands]
    summary: str = ""
    does: str = ""
    """The exact action, and the process or link that the action affects."""
    proof: str = ""
    heals: str = ""
    expectation: str = ""
    """The effects that should happen, and the effects that should not happen."""
    outage: Theory = CHANGE_COST
    heal_outage: Theory = UNDO_COST
    is_change: bool = False
    """True: the mechanism should lose no request, so `switchover change` runs it, too."""
    needs: tuple[LabNeed, ...] = ()
    """The requirements of the mechanism. A lab that does not meet a requirement cannot run the mechanism."""
    lab_window_s: tuple[float, float] | None = None
    """The bounds of the outage in the lab, in seconds, if Keepalived's settings do not determine the outage."""
    kind: str = "master"
    """The kind of victim (the node that the fault affects): `master` or `backend`."""
    victim: str | None = None
    """The backend of the lab that is the victim. None: the master is the victim."""
    cuts_the_way: bool = False
    """True: the mechanism may make a real node unreachable, so the node needs a dead-man."""
    heals_itself: bool = False
    """True: the mechanism leaves nothing to heal, so `verify_healed` succeeds without a heal."""
    sources: Sequence[str] = ()
    """The sources that can confirm the effect without the fault's commands, as in `fault.sources` of run.json."""

    @classmethod
    def of(cls, name: str, commands: Callable[[LabCommands], Commands], **more: Any) -> "Mechanism":
        """Create the mechanism from its fields and descriptions in the tables."""
        return cls(name=name, commands=commands, **TRAITS.get(name, {}), **TEXTS.get(name, {}), **more)

    def predict(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return _ask(self.outage, master, backup)

    def failback(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        return _ask(self.heal_outage, master, backup)

    def applies(self, lab: LabCommands) -> str | None:
        """Return the reason why this lab cannot run the mechanism. None: the lab can run it."""
        return next((why for need in self.needs if (why := need(lab)) is not None), None)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        """Return the recipe for this lab. `ready` checks that the backup, or another backend, runs."""
        stand_in = ("web2", "backend") if self.victim else (BACKUP, "keepalived")
        ready = lab.service(*stand_in, "status")
        return FaultRecipe(self.name, *self.commands(lab), ready=ready, predict_s=self.lab_window_s)


def _ask(theory: Theory, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
    """Return the prediction of a theory. The prediction is unknown if the theory needs settings of a node that are
    not known."""
    if isinstance(theory, Prediction):
        return theory
    pair = Pair.of(master, backup)
    return pair if isinstance(pair, Prediction) else theory(pair)


def service_verb(
    service: str, verb: str, *, undo: str, down: int, host: str = MASTER
) -> Callable[[LabCommands], Commands]:
    """Return commands that run one verb of a host's service. The fault is proved if the service's command `status`
    exits with the code `down`."""
    return lambda lab: Commands(
        kill=lab.service(host, service, verb),
        heal=lab.service(host, service, undo),
        verify_down=lab.service_is(host, service, down),
        verify_healed=lab.service(host, service, "status"),
    )


def needs_proxy(lab: LabCommands) -> str | None:
    """Return why the fault is impossible, or None if the lab's balancer nodes run a proxy."""
    if lab.balancer not in ("redirect", "none"):
        return None
    return f"balancer {lab.balancer!r}: there is no proxy on the balancer nodes"


def needs_haproxy(lab: LabCommands) -> str | None:
    """Return why the fault is impossible, or None if the lab's balancer nodes run HAProxy."""
    return None if lab.balancer == "haproxy" else f"balancer {lab.balancer!r}: only HAProxy has a runtime socket"


@dataclass(frozen=True, slots=True)
class PreparedFault:
    """A fault that is ready to be armed."""

    recipe: FaultRecipe
    description: FaultRun
    switchover: Prediction
    failback: Prediction
    armed: bool
    advert_int_s: float
    """The master's advert interval in seconds. The kill happens at a random time within one interval."""
    allow_last_one: bool = False
    """True: the fault may fire even if no other balancer or backend can replace the victim."""
    last_one_option: str = "--allow-no-backup"
    """The option that sets `allow_last_one`, for messages."""

    @property
    def names(self) -> Mapping[str, str]:
        """The current values of the placeholders `{master}` and `{backup}`."""
        return {"master": self.description.master or "", "backup": self.description.backup or ""}
