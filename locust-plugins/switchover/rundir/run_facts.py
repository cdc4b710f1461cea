"""Collect the facts that a run records before it starts: the target without its secrets, and the versions of
programs."""

import os
import sys

from switchover import __version__
from switchover.rundir.run_records import TargetFacts
from switchover.target.model import Target


def target_facts(target: Target) -> TargetFacts:
    """Return the facts of the target that a report needs, without secrets."""
    endpoint = target.endpoint
    nodes = [
        {
            "name": node.name,
            "role": node.role,
            "host": node.host,
            "haproxy": node.haproxy is not None,
            "nginx": node.nginx is not None,
            "vip_owner": bool(node.vip_owner),
            "access_log": node.access_log is not None,
        }
        for node in target.nodes
    ]
    return TargetFacts.of(
        {
            "url": endpoint.public_url,
            "expect": str(endpoint.expect),
            "dedicated": endpoint.dedicated,
            "aliases": dict(target.identity.aliases),
            "nodes": nodes,
            "lab": target.lab is not None,
        }
    )


def versions() -> dict[str, str]:
    return {"switchover": __version__, "python": sys.version.split()[0], "kernel": os.uname().release}
