"""Readers of what balancers, kernels and Keepalived say."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from fuzz.target import Target, in_pieces
from switchover.predict import haproxy_promise as haproxy
from switchover.predict import nginx_promise as nginx
from switchover.predict.keepalived import read_conf
from switchover.process.stream import LineSplitter
from switchover.telemetry.address_list import local_to_utc_ns, parse_address_line
from switchover.telemetry.advert import parse_advert
from switchover.telemetry.exporters import parse_page
from switchover.telemetry.haproxy import counters_fell, parse_answer
from switchover.telemetry.keepalived import parse_notification
from switchover.telemetry.scrapers import parse_status

NOWHERE = Path("/nonexistent")
"""What a configuration includes from beside itself is not there."""


def _haproxy_answer(data: bytes) -> None:
    snapshot = parse_answer(data[1:], page=data[:1] == b"p")
    counters_fell(snapshot, snapshot)


def _lines(data: bytes) -> Iterator[str]:
    lines = LineSplitter()
    return (line.text for piece in in_pieces(data) for line in lines.feed(piece, 0))


def _fifo(data: bytes) -> None:
    for line in _lines(data):
        parse_notification(line)


def _ip_monitor(data: bytes) -> None:
    for line in _lines(data):
        found = parse_address_line(line)
        if found is not None and found.stamp_ns is not None:
            local_to_utc_ns(found.stamp_ns, 1_795_233_377_000_000_000)


def _keepalived_conf(data: bytes) -> None:
    conf = read_conf(NOWHERE / "keepalived.conf", data.decode("utf-8", "replace"))
    for instance in conf.instances:
        conf.instance(instance.name)


TARGETS: Mapping[str, Target] = {
    "haproxy-answer": Target(_haproxy_answer),
    "nginx-status": Target(parse_status, longest=512),
    "prometheus-page": Target(parse_page),
    "fifo": Target(_fifo, longest=1024),
    "ip-monitor": Target(_ip_monitor, longest=1024),
    "vrrp-advert": Target(parse_advert, longest=256),
    "keepalived-conf": Target(_keepalived_conf),
    "haproxy-cfg": Target(lambda data: haproxy.promise_of([("haproxy.cfg", data.decode("utf-8", "replace"))])),
    "nginx-conf": Target(lambda data: nginx.promise_of(NOWHERE / "nginx.conf", data.decode("utf-8", "replace"))),
}
