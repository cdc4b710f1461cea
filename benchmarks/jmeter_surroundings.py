"""What JMeter's contestants need besides: a balancer that is probed and scraped, and a place for points."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from surroundings import free_port, nginx, wait_for

HAPROXY = """
global
    nbthread 1
    stats socket {directory}/haproxy.sock level user
defaults
    mode http
    timeout connect 1s
    timeout client 5s
    timeout server 5s
frontend shop
    bind 127.0.0.1:{port}
    http-response set-header X-Backend %s
    default_backend web
backend web
    server web1 127.0.0.1:{nginx}
"""
TARGET = """
[target]
url = "http://127.0.0.1:{port}/"

[[node]]
name = "lb1"
role = "balancer"
haproxy = "unix:{directory}/haproxy.sock"
clock = "shared"

[[node]]
name = "web1"
role = "backend"
nginx = "http://127.0.0.1:{nginx}/status"
clock = "shared"
"""


@dataclass(frozen=True, slots=True)
class Balancer:
    """A pair of HAProxy and Nginx, which is under no load."""

    target_file: Path
    write_url: str
    """Takes points as an InfluxDB does, with 204, and forgets them."""


@contextlib.contextmanager
def balancer(directory: Path, core: int) -> Iterator[Balancer]:
    """On that core."""
    binary = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if binary is None:
        sys.exit("haproxy is not installed: apt-get install haproxy")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        with nginx(directory) as backend:
            names = {"directory": directory, "port": free_port(), "nginx": backend}
            config, target = directory / "haproxy.cfg", directory / "target.toml"
            config.write_text(HAPROXY.format(**names))
            target.write_text(TARGET.format(**names))
            with (directory / "haproxy.log").open("wb") as log:
                process = subprocess.Popen([binary, "-db", "-f", str(config)], stdout=log, stderr=log)
            try:
                wait_for(int(names["port"]), process, directory / "haproxy.log")
                yield Balancer(target, f"http://127.0.0.1:{backend}/write?db=benchmark")
            finally:
                process.terminate()
                process.wait()
    finally:
        os.sched_setaffinity(0, before)
