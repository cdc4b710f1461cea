"""All mechanisms by name, and the mechanism of a fault that only a target file knows."""

from collections.abc import Mapping
from typing import NoReturn

from switchover.faults.lab_commands import LabCommands
from switchover.faults.mechanism import Mechanism, always
from switchover.faults.mechanisms import backends, changes, haproxy, keepalived, network
from switchover.model.errors import FaultError
from switchover.predict.prediction import unknown

_FAULTS = (*haproxy.FAULTS, *keepalived.FAULTS, *network.FAULTS, *backends.FAULTS)

CATALOGUE: Mapping[str, Mechanism] = {fault.name: fault for fault in _FAULTS}
"""The mechanisms that the lab can run. A fault of the same name in a target file brings its own commands and gets our
prediction."""

CHANGES: Mapping[str, Mechanism] = {one.name: one for one in (*_FAULTS, *changes.CHANGES) if one.is_change}
"""The mechanisms that the lab can run as a change. A target file may define a change of the same name."""


def _refuse(_lab: LabCommands) -> NoReturn:
    raise FaultError("exec has no built-in commands: write a [fault.NAME] into the target file")


EXEC = Mechanism.of(
    name="exec",
    needs=(lambda _lab: "its commands are in a target file, and the lab has none",),
    commands=_refuse,
    predict=always(
        unknown(
            "only faults named as in 'switchover faults' are predicted: call it [fault.haproxy-kill], say, if that "
            "is what it does, or add predict = {low = …, high = …} to it"
        )
    ),
    failback=always(unknown("nothing is known of how the target fails back")),
)
"""The mechanism of a `[fault.NAME]` that no entry of the catalogue names."""


def fault_named(name: str) -> Mechanism:
    return CATALOGUE.get(name) or CHANGES.get(name, EXEC)
