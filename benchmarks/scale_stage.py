"""What stands around a load in `scale.py`: a HAProxy with as many servers as are wanted, all of them one Nginx.

HAProxy, its table of statistics and the names in its answers are real. That its servers are one Nginx changes nothing
of what is measured. One balancer stands there, not a pair: scraping a second one costs the same again.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from surroundings import free_port, nginx, wait_for

from switchover.target.telemetry_sources import UnixSocket
from switchover.telemetry.fetch import fetch
from switchover.telemetry.haproxy import REQUEST, parse_answer

HAPROXY = """
global
    nbthread 1
    maxconn 8000
    stats socket {directory}/haproxy.sock level user
defaults
    mode http
    timeout connect 1s
    timeout client 60s
    timeout server 60s
    default_backend web
frontend shop
    bind 127.0.0.1:{shop} backlog 8192
    http-response set-header X-Backend %s
frontend beside
    bind 127.0.0.1:{beside} backlog 8192
backend web
    balance roundrobin
{servers}
"""
TARGET = """
[target]
url = "http://127.0.0.1:{shop}/"

[[node]]
name = "lb1"
role = "balancer"
haproxy = "unix:{directory}/haproxy.sock"
clock = "shared"
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """A balancer and its servers."""

    target_file: Path
    socket: Path
    shop: str
    """Where the load goes that is recorded."""
    beside: str
    """Where another one goes, which is counted apart."""
    influx: str
    """Takes points as an InfluxDB does, with 204, and forgets them."""

    def count_beside(self) -> int:
        """Requests of the other load, by HAProxy's own count."""
        table = parse_answer(fetch(UnixSocket(str(self.socket)), REQUEST))
        return sum(row.numbers["req_tot"] for row in table.rows if row.key[:2] == ("beside", "FRONTEND"))


@contextlib.contextmanager
def pair(directory: Path, backends: int) -> Iterator[Pair]:
    binary = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if binary is None:
        sys.exit("haproxy is not installed: apt-get install haproxy")
    with nginx(directory) as port:
        servers = "\n".join(f"    server web{number} 127.0.0.1:{port}" for number in range(1, backends + 1))
        names = {"directory": directory, "shop": free_port(), "beside": free_port(), "servers": servers}
        config, target, log = (directory / name for name in ("haproxy.cfg", "target.toml", "haproxy.log"))
        config.write_text(HAPROXY.format(**names), encoding="utf-8")
        target.write_text(TARGET.format(**names), encoding="utf-8")
        with log.open("wb") as said:
            process = subprocess.Popen([binary, "-db", "-f", str(config)], stdout=said, stderr=said)
        try:
            wait_for(int(names["shop"]), process, log)
            yield Pair(
                target,
                directory / "haproxy.sock",
                f"http://127.0.0.1:{names['shop']}",
                f"http://127.0.0.1:{names['beside']}",
                f"http://127.0.0.1:{port}?db=scale",
            )
        finally:
            process.terminate()
            process.wait()
