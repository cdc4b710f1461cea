"""The record of a mechanism: a fault or a change that the lab can do and theory can predict."""

import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from switchover.faults.lab_commands import BACKUP, MASTER, LabCommands
from switchover.model.vrrp import KeepalivedSettings
from switchover.predict.prediction import Pair, Prediction, nothing
from switchover.tables import read_table
from switchover.target.model import FaultRecipe

TRAITS = json.loads(read_table("faults.json"))
"""The traits of each mechanism by its name: the fields of `Mechanism` that both languages need."""
TEXTS = tomllib.loads(read_table("faults.toml"))
"""The descriptions of each fault by its name."""


class Commands(NamedTuple):
    """The commands by which the lab does and undoes a mechanism."""

    kill: tuple[str, ...]
    heal: tuple[str, ...]
    verify_down: tuple[str, ...]
    verify_healed: tuple[str, ...] | None = None


Theory = Callable[[KeepalivedSettings | None, KeepalivedSettings | None], Prediction]
"""Predicts an outage from the settings of the master and of the backup."""

LabNeed = Callable[[LabCommands], str | None]
"""Returns the reason why a lab cannot do a mechanism. None: it can."""


def always(prediction: Prediction) -> Theory:
    """A prediction that depends on no settings."""
    return lambda _master, _backup: prediction


def of_pair(theory: Callable[[Pair], Prediction]) -> Theory:
    """A prediction that needs the settings of both nodes, and settings that work together."""

    def predict(master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        pair = Pair.of(master, backup)
        return pair if isinstance(pair, Prediction) else theory(pair)

    return predict


CHANGE_COST = always(nothing("a change is to cost nothing"))
UNDO_COST = always(nothing("taking a change back is to cost nothing"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A fault or a change. `switchover faults` prints the texts of faults."""

    name: str
    commands: Callable[[LabCommands], Commands]
    summary: str = ""
    does: str = ""
    """The exact action, and the process or link that it acts on."""
    proof: str = ""
    heals: str = ""
    expectation: str = ""
    """The effect that a user should expect, and what should not happen."""
    predict: Theory = CHANGE_COST
    """The outage that the mechanism causes."""
    failback: Theory = UNDO_COST
    """The outage that the heal causes. `settled_s` is the time when the address is back."""
    is_change: bool = False
    """The mechanism should cost nothing, so `switchover change` runs it, too."""
    needs: tuple[LabNeed, ...] = ()
    """The first need that a lab does not meet is the reason why the lab cannot do it."""
    lab_window_s: tuple[float, float] | None = None
    """The outage in the lab, if settings other than Keepalived's decide it."""
    kind: str = "master"
    """The kind of victim: `master` or `backend`."""
    victim: str | None = None
    """The backend of the lab that it acts on; None: it acts on the master."""
    cuts_the_way: bool = False
    """The mechanism may make a real node unreachable until it heals by itself, so it needs a dead-man there."""
    heals_itself: bool = False
    """The mechanism leaves nothing broken, so `verify_healed` could not detect it."""
    sources: Sequence[str] = ()
    """The sources that see the effect without its commands, as in `fault.sources` of run.json. Probes always see
    it."""

    @classmethod
    def of(cls, name: str, commands: Callable[[LabCommands], Commands], **more: Any) -> "Mechanism":
        """Return the mechanism with its traits and texts from the tables."""
        return cls(name=name, commands=commands, **TRAITS.get(name, {}), **TEXTS.get(name, {}), **more)

    def applies(self, lab: LabCommands) -> str | None:
        """Return the reason why this lab cannot do it, or None."""
        return next((why for need in self.needs if (why := need(lab)) is not None), None)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        """Return the commands for this lab. `ready` checks that the backup's Keepalived, or another backend, runs."""
        stand_in = ("web2", "backend") if self.victim else (BACKUP, "keepalived")
        ready = lab.service(*stand_in, "status")
        return FaultRecipe(self.name, *self.commands(lab), ready=ready, predict_s=self.lab_window_s)


def service_verb(
    service: str, verb: str, *, undo: str, down: int, host: str = MASTER
) -> Callable[[LabCommands], Commands]:
    """Return commands that are one verb of a service of the host. Its status `down` is the proof."""
    return lambda lab: Commands(
        kill=lab.service(host, service, verb),
        heal=lab.service(host, service, undo),
        verify_down=lab.service_is(host, service, down),
        verify_healed=lab.service(host, service, "status"),
    )


def needs_proxy(lab: LabCommands) -> str | None:
    """Return the reason why a lab without a proxy in front cannot lose it."""
    if lab.balancer not in ("redirect", "none"):
        return None
    return f"balancer {lab.balancer!r}: there is no proxy on the balancer nodes"


def needs_haproxy(lab: LabCommands) -> str | None:
    """Return the reason why a lab without HAProxy cannot use its runtime socket."""
    return None if lab.balancer == "haproxy" else f"balancer {lab.balancer!r}: only HAProxy has a runtime socket"
