"""Which versions of the balancers' programs a run was made with, as far as they tell."""

import time
from collections.abc import Sequence

from switchover.model.errors import TelemetryError
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Node, Target
from switchover.telemetry.haproxy import HaproxyReader


def balancer_versions(target: Target) -> dict[str, str]:
    """By program. A lab knows its own; elsewhere each HAProxy is asked. Different ones are joined: `2.6.12/2.8.3`."""
    if target.lab is not None:
        return LabDirectory(target.lab).versions()
    found = sorted({version for version in map(_haproxy_version, _with_haproxy(target)) if version})
    return {"haproxy": "/".join(found)} if found else {}


def _with_haproxy(target: Target) -> Sequence[Node]:
    return [node for node in target.nodes if node.role == "balancer" and node.haproxy is not None]


def _haproxy_version(node: Node) -> str:
    """Empty where it gives no answer: that is said where the run depends on it."""
    assert node.haproxy is not None
    try:
        return HaproxyReader(node.haproxy).read(time.time()).version
    except TelemetryError:
        return ""
