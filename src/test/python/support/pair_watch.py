"""Looks at the pair from outside of a drill, many times a second: which balancer runs, does the address answer."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from support.hand_made_pair import runs_on
from switchover.lab import addresses, control
from switchover.lab.lab import Lab

LOOK_S = 0.05
ANSWER_S = 0.5
STAYS_WELL_S = 1.0
VICTIM, BACKUP = addresses.BALANCERS


@dataclass(frozen=True, slots=True)
class Look:
    """What was found at a moment of the monotonic clock."""

    at_s: float
    victim_runs: bool
    backup_runs: bool
    answers: bool


@dataclass(frozen=True, slots=True)
class Disturbance:
    """From the first look without the victim to the first after which it runs and the address answers."""

    from_s: float
    victim_down_s: float
    not_serving_s: float


class PairWatch:
    """`with PairWatch(lab) as watch:` looks; a host that no accident touches asks for the page."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self.looks: list[Look] = []

    def __enter__(self) -> "PairWatch":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def fired_at(self) -> float | None:
        """When the victim was first seen not to run."""
        return next((look.at_s for look in list(self.looks) if not look.victim_runs), None)

    def disturbances(self) -> list[Disturbance]:
        """Each time that the victim was down, with how long the pair needed to be well again."""
        return disturbances(self.looks)

    def both_were_down(self) -> bool:
        return any(not look.victim_runs and not look.backup_runs for look in self.looks)

    def _look_on(self) -> None:
        while not self._ended.wait(LOOK_S):
            answers = is_answered(self._lab)
            self.looks.append(Look(time.monotonic(), runs_on(self._lab, VICTIM), runs_on(self._lab, BACKUP), answers))


def disturbances(looks: Sequence[Look]) -> list[Disturbance]:
    """The pair is well again when it stays so for `STAYS_WELL_S`, or to the end."""
    found = []
    rest = list(looks)
    while rest:
        begin = rest.pop(0)
        if begin.victim_runs:
            continue
        is_up = next((look.at_s for look in rest if look.victim_runs), float("inf"))
        well_at = float("inf")
        while rest and (well_at == float("inf") or rest[0].at_s < well_at + STAYS_WELL_S):
            look = rest.pop(0)
            if not _is_well(look):
                well_at = float("inf")
            elif well_at == float("inf"):
                well_at = look.at_s
        found.append(Disturbance(begin.at_s, is_up - begin.at_s, well_at - begin.at_s))
    return found


def _is_well(look: Look) -> bool:
    return look.victim_runs and look.answers


def is_answered(lab: Lab) -> bool:
    """A good answer of the virtual address, asked for by the last of the backends."""
    agent = lab.layout.socket(addresses.backends(lab.spec.backends)[-1].name)
    connection = control.borrow_connection(agent, addresses.VIP, 80, ANSWER_S)
    if connection is None:
        return False
    with connection:
        connection.settimeout(ANSWER_S)
        try:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: pair\r\nConnection: close\r\n\r\n")
            return connection.recv(64).startswith(b"HTTP/1.1 200 ")
        except OSError:
            return False
