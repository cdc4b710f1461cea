"""Mechanisms: the faults and changes that the lab can run and Switchover can predict."""

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
"""The fields of mechanisms that both Python and Java need. The key is the name of the mechanism."""
TEXTS = tomllib.loads(read_table("faults.toml"))
"""The descriptions of each fault by its name."""


class Commands(NamedTuple):
    """The commands that run, undo and prove a mechanism in the lab."""

    kill: tuple[str, ...]
    heal: tuple[str, ...]
    verify_down: tuple[str, ...]
    verify_healed: tuple[str, ...] | None = None


Theory = Callable[[KeepalivedSettings | None, KeepalivedSettings | None], Prediction]
"""A function that predicts an outage from the settings of the master and the settings of the backup."""

LabNeed = Callable[[LabCommands], str | None]
"""A function that returns the reason why a lab cannot run a mechanism. None: the lab can run it."""


def always(prediction: Prediction) -> Theory:
    """Return a theory that predicts this outage for all settings."""
    return lambda _master, _backup: prediction


def pair_theory(theory: Callable[[Pair], Prediction]) -> Theory:
    """Return a theory that needs the settings of both nodes. If the settings of a node are missing, the prediction is
    unknown."""

    def predict(master: KeepalivedSettings | None, backup: KeepalivedSettings | None) -> Prediction:
        pair = Pair.of(master, backup)
        return pair if isinstance(pair, Prediction) else theory(pair)

    return predict


CHANGE_COST = always(nothing("a change should cause no outage"))
UNDO_COST = always(nothing("the undo of a change should cause no outage"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A fault or a change. `switchover faults` prints the descriptions of the faults."""

    name: str
    commands: Callable[[LabCommands], Commands]
    summary: str = ""
    does: str = ""
    """The exact action, and the process or link that the action affects."""
    proof: str = ""
    heals: str = ""
    expectation: str = ""
    """The effects that should happen, and the effects that should not happen."""
    predict: Theory = CHANGE_COST
    """Predicts the outage that the mechanism causes."""
    failback: Theory = UNDO_COST
    """Predicts the outage that the heal causes. `settled_s`: the time from the heal until the address is back."""
    is_change: bool = False
    """True: the mechanism should lose no request, so `switchover change` runs it, too."""
    needs: tuple[LabNeed, ...] = ()
    """The requirements of the mechanism. A lab that fails a requirement cannot run the mechanism."""
    lab_window_s: tuple[float, float] | None = None
    """The outage in the lab, in seconds. It is set if the outage depends on settings that are not Keepalived's
    settings."""
    kind: str = "master"
    """The kind of victim: `master` or `backend`."""
    victim: str | None = None
    """The backend of the lab that is the victim. None: the master is the victim."""
    cuts_the_way: bool = False
    """True: the mechanism may make a real node unreachable, so this node needs a dead-man."""
    heals_itself: bool = False
    """True: the mechanism leaves nothing to heal, so `verify_healed` succeeds without a heal."""
    sources: Sequence[str] = ()
    """The sources that can confirm the effect independently of the fault's commands, as in `fault.sources` of
    run.json. Probes can always confirm the effect."""

    @classmethod
    def of(cls, name: str, commands: Callable[[LabCommands], Commands], **more: Any) -> "Mechanism":
        """Create the mechanism from its fields and descriptions in the tables."""
        return cls(name=name, commands=commands, **TRAITS.get(name, {}), **TEXTS.get(name, {}), **more)

    def applies(self, lab: LabCommands) -> str | None:
        """Return the reason why this lab cannot run the mechanism. None: the lab can run it."""
        return next((why for need in self.needs if (why := need(lab)) is not None), None)

    def recipe(self, lab: LabCommands) -> FaultRecipe:
        """Return the recipe for this lab. For a fault of a balancer, `ready` checks that the backup's Keepalived
        runs. For a fault of a backend, `ready` checks that another backend runs."""
        stand_in = ("web2", "backend") if self.victim else (BACKUP, "keepalived")
        ready = lab.service(*stand_in, "status")
        return FaultRecipe(self.name, *self.commands(lab), ready=ready, predict_s=self.lab_window_s)


def service_verb(
    service: str, verb: str, *, undo: str, down: int, host: str = MASTER
) -> Callable[[LabCommands], Commands]:
    """Return commands that run one verb of a host's service. The fault is proved if `status` of this service exits
    with `down`."""
    return lambda lab: Commands(
        kill=lab.service(host, service, verb),
        heal=lab.service(host, service, undo),
        verify_down=lab.service_is(host, service, down),
        verify_healed=lab.service(host, service, "status"),
    )


def needs_proxy(lab: LabCommands) -> str | None:
    """Return a reason if the lab's balancer nodes run no proxy."""
    if lab.balancer not in ("redirect", "none"):
        return None
    return f"balancer {lab.balancer!r}: there is no proxy on the balancer nodes"


def needs_haproxy(lab: LabCommands) -> str | None:
    """Return a reason if the lab's balancer nodes do not run HAProxy."""
    return None if lab.balancer == "haproxy" else f"balancer {lab.balancer!r}: only HAProxy has a runtime socket"
