"""The lab's knobs as command line options, shared by `lab up` and `drill`."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.spec import LabSpec
from switchover.model.argument import argument
from switchover.model.units import parse_duration_s

DEFAULTS = LabSpec()

KNOBS = (
    ("balancer", "KIND", "haproxy (default), nginx, caddy, traefik, envoy, redirect (302), none"),
    ("mode", "MODE", "http (default), https, tcp, tcp-https"),
    ("algorithm", "NAME", "roundrobin (default), leastconn, source, uri, random; HAProxy also static-rr, first"),
    ("weights", "N,N,…", "weight of each backend: 3,1,1 (default all 1)"),
    ("backends", "N", "number of backends, 1 to 29 (default %(default)s)"),
    ("backend_kind", "KIND", "nginx (default), apache, app"),
    ("work", "N,N,…", "number of matrix products that an app computes for each response; one number for each app"),
    (
        "service_ms",
        "T,T,…",
        "time in milliseconds that each app needs for a response; an app serves one request at a time",
    ),
    ("keepalive", "", "keep connections open on both sides of the balancer (default: yes)"),
    ("server_close", "", "open a new connection to the backend for each request"),
    ("cipher", "NAME", "with https: allow only this cipher of TLS 1.2, such as AES256-SHA"),
    (
        "workers",
        "N",
        "number of Nginx processes or Envoy threads (default 1), or of HAProxy threads (default: one per processor)",
    ),
    (
        "max_connections",
        "N",
        "most connections of each Nginx worker, or of HAProxy (default: derived from the limit of open files)",
    ),
    ("round_trip_ms", "T", "round-trip time between the client and the other hosts, in milliseconds (default 0)"),
    ("client_addresses", "N", "number of additional addresses of the client: 198.19.1.2, 198.19.2.2, …"),
    ("body_bytes", "N", "size of a response body, in bytes (default %(default)s)"),
    ("retries", "N", "retries of the balancer after a refused connection (default %(default)s)"),
    ("redispatch", "", "let a retry go to another backend (default: yes)"),
    ("sticky", "", "keep each client on its backend with HAProxy's cookie SRV"),
    ("supervised", "", "restart a dead balancer after 100 ms"),
    ("ssh", "", "run an ssh server on each host; the lab prints the login command"),
    ("connections", "", "let the backends serve the held connections of --connections"),
    (
        "hard_stop_after_s",
        "T",
        "longest time that an old process may run after a reload (default: no limit)",
    ),
    (
        "idle_close_on_response",
        "",
        "HAProxy's option: after a reload, an idle connection gets one more response, which asks the client to close",
    ),
    ("expose_fd", "", "let HAProxy pass its listening sockets to the new process (default: yes)"),
    (
        "keepalived",
        "KEY=VALUE,…",
        "settings of Keepalived, such as version=3,advert_int=0.1. Keys and defaults: advert_int (1), priority "
        "(101/100), version (2), preempt (yes), preempt_delay, down_timer_adverts (3), unicast (no), check "
        "(process; or http, none). For the check: interval (1), timeout, fall (1), rise (1), weight (-20; 0 "
        "means FAULT)",
    ),
)
"""Field of LabSpec, metavar and help of each option; type and default are the field's."""
NAMES = {"keepalive": "keep_alive", "connections": "connection_paths", "hard_stop_after_s": "hard_stop_after"}
"""Options with another name than their field."""


def _numbers(read: Callable[[str], float]) -> Callable[[str], tuple[float, ...]]:
    def numbers(text: str) -> tuple[float, ...]:
        return tuple(read(part) for part in text.split(","))

    return numbers


READERS: Mapping[str, Callable[[str], Any]] = {
    "weights": _numbers(int),
    "work": _numbers(int),
    "service_ms": _numbers(float),
    "hard_stop_after_s": argument(parse_duration_s),
    "keepalived": argument(parse_keepalived),
}
"""Readers of options whose type differs from their field's default."""


def spec_options() -> argparse.ArgumentParser:
    """A parser to be another's parent. Its defaults are the lab's; values are judged by `spec_from_arguments`."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    lab = parser.add_argument_group("the lab")
    for field, metavar, text in KNOBS:
        option = "--" + NAMES.get(field, field).replace("_", "-")
        default = getattr(DEFAULTS, field)
        if isinstance(default, bool):
            action = argparse.BooleanOptionalAction if default else "store_true"
            lab.add_argument(option, action=action, default=default, help=text)
        else:
            read = READERS.get(field, type(default))
            lab.add_argument(option, type=read, default=default, metavar=metavar, help=text)
    return parser


def spec_from_arguments(arguments: argparse.Namespace) -> LabSpec:
    """Raises UsageError with one line about the first value that is wrong."""
    return LabSpec(**{field: getattr(arguments, NAMES.get(field, field)) for field, _, _ in KNOBS})
