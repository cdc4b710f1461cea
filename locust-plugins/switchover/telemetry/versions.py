"""Which versions of the balancers' programs a run was made with, as far as they tell."""

import time

from switchover.model.errors import TelemetryError
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Node, Target
from switchover.telemetry.haproxy import HaproxyReader


def balancer_versions(target: Target) -> dict[str, str]:
    """By program. A lab knows its own; elsewhere each HAProxy is asked. Different ones are joined: `2.6.12/2.8.3`."""
    if target.lab is not None:
        return LabDirectory(target.lab).versions()
    found = sorted({version for version in map(_haproxy_version, target.balancers) if version})
    return {"haproxy": "/".join(found)} if found else {}


def _haproxy_version(node: Node) -> str:
    """Empty where it has none, or gives no answer: that is said where the run depends on it."""
    if node.haproxy is None:
        return ""
    try:
        return HaproxyReader(node.haproxy).read(time.time()).version
    except TelemetryError:
        return ""
