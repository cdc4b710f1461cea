"""Which drills prove what."""

from collections.abc import Sequence
from dataclasses import dataclass

from switchover.faults.catalogue import CATALOGUE
from switchover.lab.options import parse_keepalived
from switchover.lab.spec import LabSpec


@dataclass(frozen=True, slots=True)
class Case:
    """Drills of one fault in one kind of lab."""

    name: str
    fault: str
    repeats: int
    keepalived: str = ""
    balancer: str = "haproxy"
    options: Sequence[str] = ()

    @property
    def spec(self) -> LabSpec:
        return LabSpec(balancer=self.balancer, keepalived=parse_keepalived(self.keepalived))


TRUTH_REPEATS, TABLE_REPEATS = 20, 5
OFTEN = ("haproxy-kill", "node-down")
CHECKS = {"haproxy-hang": "check=http", "haproxy-drain": "check=http"}
"""The check without which the fault moves no address."""

CASES: tuple[Case, ...] = (
    *(Case(name, name, TRUTH_REPEATS) for name in OFTEN),
    *(
        Case(f"{name}, {CHECKS[name]}" if name in CHECKS else name, name, TABLE_REPEATS, CHECKS.get(name, ""))
        for name in CATALOGUE
        if name not in OFTEN
    ),
    Case("haproxy-kill, weight 0", "haproxy-kill", TABLE_REPEATS, keepalived="weight=0"),
    Case("node-down, VRRPv3 at 100 ms", "node-down", TABLE_REPEATS, keepalived="version=3,advert_int=0.1"),
    Case("haproxy-kill, no check", "haproxy-kill", TABLE_REPEATS, keepalived="check=none"),
    Case("haproxy-kill, Nginx balancers", "haproxy-kill", TABLE_REPEATS, balancer="nginx"),
)
