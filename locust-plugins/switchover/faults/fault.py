"""What every fault of the catalogue says about itself, and the words in which the lab does it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from switchover.faults.prediction import Pair, Prediction
from switchover.model.patient_kind import PatientKind
from switchover.model.vrrp import KeepalivedSettings
from switchover.target.model import FaultRecipe

MASTER, BACKUP = "{master}", "{backup}"
"""Filled in when the fault is fired: the node that holds the address, and the other one."""

VICTIM = "web1"
"""The backend that backend faults of the lab act on."""

STOPPED, FROZEN = 3, 4
"""Exit status of `--service NAME status` in the lab: no process runs, or all of them are stopped by SIGSTOP."""

RUNTIME_SOCKET = str(Path(__file__).parent / "runtime_socket.py")
NGINX_WORKERS = str(Path(__file__).parent / "nginx_workers.py")
NEXT_CONFIGURATION = str(Path(__file__).parent / "next_configuration.py")
HEALTH_PAGE = "http://127.0.0.1:8080/health"
"""Of the lab's Caddy, Traefik and Envoy, on their own node."""
VRRP_PRIORITY = str(Path(__file__).parent / "vrrp_priority.py")
SERVED_CERTIFICATE = str(Path(__file__).parent / "served_certificate.py")


@dataclass(frozen=True, slots=True)
class LabCommands:
    """How commands reach the lab's hosts: argument lists, as a target file holds them."""

    python: str
    exec_py: str
    directory: str
    balancer: str = "haproxy"
    """What the balancer nodes run: haproxy, nginx, caddy, traefik, envoy, redirect, or none. As a service it is
    always `balancer`."""
    backend_kind: str = "nginx"
    address: str = ""
    """The virtual one."""
    mode: str = "http"
    """What the balancers speak: http, https, tcp or tcp-https."""
    patient: bool = False
    """It serves what a patient load keeps open, and has a server beside the others."""

    def on(self, host: str, *command: str) -> tuple[str, ...]:
        """Run a command on a host; `host` may be `{master}` or `{backup}`."""
        return (*self._agent(host), "--", *command)

    def service(self, host: str, name: str, verb: str) -> tuple[str, ...]:
        """kill, stop, start, freeze, thaw, slow, reload, quit, or status of a service of a host."""
        return (*self._agent(host), "--service", name, verb)

    def noting_workers(self, node: str, note: str, *command: str) -> tuple[str, ...]:
        """Write down which workers of the node's Nginx serve, and then run a command there."""
        return self.on(node, *self._nginx_workers(node), "--note", note, *command)

    def has_other_workers(self, node: str, note: str) -> tuple[str, ...]:
        """Exit status 0 when none of the workers that were written down serves any more, and others do."""
        return self.on(node, *self._nginx_workers(node), "--other", note)

    def upgraded(self, node: str, verb: str) -> tuple[str, ...]:
        """--upgrade, --go-back or --upgraded: start the binary of the node's Nginx anew, or ask for that."""
        return self.on(node, *self._nginx_workers(node), verb)

    def _nginx_workers(self, node: str) -> tuple[str, ...]:
        return (self.python, "-I", "-S", NGINX_WORKERS, f"{self.directory}/{node}/nginx.pid")

    def with_next_configuration(self, node: str, file: str, *words: str) -> tuple[str, ...]:
        """Write a file of the node's balancer with the next number; `words` as next_configuration.py has them."""
        return self.on(node, *self._next_configuration(node, file), *words)

    def serves_next_configuration(self, node: str, file: str) -> tuple[str, ...]:
        """Exit status 0 when the balancer answers by what was written last."""
        return self.on(node, *self._next_configuration(node, file), "--serves", HEALTH_PAGE)

    def noting_process(self, node: str, file: str, *command: str) -> tuple[str, ...]:
        """Write down which process answers on the node, and then run a command there."""
        return self.on(node, *self._next_configuration(node, file), "--note", HEALTH_PAGE, *command)

    def has_other_process(self, node: str, file: str) -> tuple[str, ...]:
        """Exit status 0 when another process answers than was written down."""
        return self.on(node, *self._next_configuration(node, file), "--other", HEALTH_PAGE)

    def _next_configuration(self, node: str, file: str) -> tuple[str, ...]:
        return (self.python, "-I", "-S", NEXT_CONFIGURATION, f"{self.directory}/{node}/{file}")

    def bridge(self, *command: str) -> tuple[str, ...]:
        """Run a command where the hosts' links end; the port of lb1 is called br-lb1."""
        return self.on("bridge", *command)

    def service_is(self, host: str, name: str, status: int) -> tuple[str, ...]:
        """Exit status 0 when the service's status is `status`."""
        return ("sh", "-c", f'"$@"; [ $? -eq {status} ]', "sh", *self.service(host, name, "status"))

    def runtime(self, node: str, *arguments: str) -> tuple[str, ...]:
        """Ask HAProxy's runtime socket, which is a file that every host sees."""
        return (self.python, "-I", "-S", RUNTIME_SOCKET, f"{self.directory}/{node}/haproxy.sock", *arguments)

    def _agent(self, host: str) -> tuple[str, ...]:
        return (self.python, "-I", "-S", self.exec_py, f"{self.directory}/{host}/exec.sock")


LabNeed = Callable[[LabCommands], str | None]
"""Why a lab cannot do a fault; None: it can."""


class Fault(ABC):
    """A mechanism. Its texts are what `switchover faults` prints; its methods hold no state."""

    name: ClassVar[str]
    kind: ClassVar[str] = "master"
    """What it hits: `master` or `backend`."""
    summary: ClassVar[str]
    mechanism: ClassVar[str]
    """What is done to which process or link, exactly."""
    proof: ClassVar[str]
    heals: ClassVar[str]
    expectation: ClassVar[str]
    """What a user should expect to see, and what not."""
    cuts_the_way: ClassVar[bool] = False
    """A real node may be out of reach until it heals by itself: needs a dead-man there."""
    heals_itself: ClassVar[bool] = False
    """Nothing stays broken: there is no state for `verify_healed` to tell apart."""
    witnesses: ClassVar[tuple[str, ...]] = ()
    """What sees its effect without its commands, by the words of `fault.witnesses` in run.json; the probes always."""
    promises: ClassVar[Mapping[PatientKind, str]] = {}
    """As a change: what theory promises each kind of connection that is open. Empty: it is none."""
    lab_window_s: ClassVar[tuple[float, float] | None] = None
    """The outage in the lab, where settings other than Keepalived's decide it."""
    victim: ClassVar[str | None] = None
    """The lab's host that it acts on, where that is not the master."""
    needs: ClassVar[tuple[LabNeed, ...]] = ()
    """The first of them that says why is the reason that a lab cannot do it."""

    def traits(self) -> "FaultTraits":
        return FaultTraits(self.kind, self.victim, self.cuts_the_way, self.heals_itself, self.witnesses)

    def applies(self, lab: LabCommands) -> str | None:
        """None, or why this lab cannot do it."""
        return next((why for need in self.needs if (why := need(lab)) is not None), None)

    @abstractmethod
    def recipe(self, lab: LabCommands) -> FaultRecipe:
        """The commands by which the lab does it."""

    def recipe_of(
        self,
        lab: LabCommands,
        *,
        kill: tuple[str, ...],
        heal: tuple[str, ...],
        verify_down: tuple[str, ...],
        verify_healed: tuple[str, ...] | None = None,
    ) -> FaultRecipe:
        """It is ready when what is to stand in for the victim runs: the backup's Keepalived, or another backend."""
        stand_in = ("web2", "backend") if self.victim else (BACKUP, "keepalived")
        ready = lab.service(*stand_in, "status")
        return FaultRecipe(self.name, kill, heal, verify_down, verify_healed, ready)

    def service_recipe(self, lab: LabCommands, service: str, *, verb: str, undo: str, down: int) -> FaultRecipe:
        """A verb of one of the victim's services; `down` is the status that proves it."""
        host = self.victim or MASTER
        return self.recipe_of(
            lab,
            kill=lab.service(host, service, verb),
            heal=lab.service(host, service, undo),
            verify_down=lab.service_is(host, service, down),
            verify_healed=lab.service(host, service, "status"),
        )

    @abstractmethod
    def predict(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        """The outage that the fault causes."""

    @abstractmethod
    def failback(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        """The outage that the heal causes; `settled_s` says when the address is back."""


@dataclass(frozen=True, slots=True)
class FaultTraits:
    """What JMeter's half must know of a fault, as `faults.json` has it; each means what it means at `Fault`."""

    kind: str
    victim: str | None
    cuts_the_way: bool
    heals_itself: bool
    witnesses: tuple[str, ...]


class PairFault(Fault):
    """A fault whose predictions need both nodes' settings, and settings that work together."""

    def predict(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        pair = Pair.of(master, backup)
        return pair if isinstance(pair, Prediction) else self.predict_pair(pair)

    def failback(self, master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        pair = Pair.of(master, backup)
        return pair if isinstance(pair, Prediction) else self.failback_pair(pair)

    @abstractmethod
    def predict_pair(self, pair: Pair) -> Prediction: ...

    @abstractmethod
    def failback_pair(self, pair: Pair) -> Prediction: ...


def needs_proxy(lab: LabCommands) -> str | None:
    """Why a lab without a proxy in front cannot lose it."""
    if lab.balancer not in ("redirect", "none"):
        return None
    return f"balancer {lab.balancer!r}: there is no proxy on the balancer nodes"


def needs_haproxy(lab: LabCommands) -> str | None:
    """Why a lab without HAProxy cannot do what goes through its runtime socket."""
    return None if lab.balancer == "haproxy" else f"balancer {lab.balancer!r}: only HAProxy has a runtime socket"
