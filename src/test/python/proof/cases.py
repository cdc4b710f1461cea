"""Which drills prove what."""

from collections.abc import Sequence
from dataclasses import dataclass

from switchover.lab.keepalived_options import parse_keepalived
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

CASES: tuple[Case, ...] = (
    Case("haproxy-kill", "haproxy-kill", TRUTH_REPEATS),
    Case("node-down", "node-down", TRUTH_REPEATS),
    Case("haproxy-stop", "haproxy-stop", TABLE_REPEATS),
    Case("haproxy-hang, check=http", "haproxy-hang", TABLE_REPEATS, keepalived="check=http"),
    Case("haproxy-reload", "haproxy-reload", TABLE_REPEATS),
    Case("haproxy-drain, check=http", "haproxy-drain", TABLE_REPEATS, keepalived="check=http"),
    Case("keepalived-stop", "keepalived-stop", TABLE_REPEATS),
    Case("keepalived-kill", "keepalived-kill", TABLE_REPEATS),
    Case("keepalived-hang", "keepalived-hang", TABLE_REPEATS),
    Case("partition", "partition", TABLE_REPEATS),
    Case("backend-kill", "backend-kill", TABLE_REPEATS),
    Case("backend-slow", "backend-slow", TABLE_REPEATS),
    Case("haproxy-kill, weight 0", "haproxy-kill", TABLE_REPEATS, keepalived="weight=0"),
    Case("node-down, VRRPv3 at 100 ms", "node-down", TABLE_REPEATS, keepalived="version=3,advert_int=0.1"),
    Case("haproxy-kill, no check", "haproxy-kill", TABLE_REPEATS, keepalived="check=none"),
    Case("haproxy-kill, Nginx balancers", "haproxy-kill", TABLE_REPEATS, balancer="nginx"),
)
