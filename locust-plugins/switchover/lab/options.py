"""The lab's knobs as command line options, shared by `lab up` and `drill`."""

import argparse
from collections.abc import Callable
from typing import Any

from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.spec import LabSpec
from switchover.model.argument import argument
from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s

DEFAULTS = LabSpec()

KNOBS = (
    ("balancer", "KIND", "haproxy (default), nginx, caddy, traefik, envoy, redirect (302), none"),
    ("mode", "MODE", "http (default), https, tcp, tcp-https"),
    ("algorithm", "NAME", "roundrobin (default), leastconn, source, uri, random; HAProxy also static-rr, first"),
    ("weights", "N,N,…", "a weight for each backend: 3,1,1 (default all 1)"),
    ("backends", "N", "1 to 29 (default %(default)s)"),
    ("backend_kind", "KIND", "nginx (default), apache, app"),
    ("work", "N,N,…", "matrix products for each answer, a number for each app"),
    ("service_ms", "T,T,…", "how long each app takes for an answer, one at a time"),
    ("keepalive", "", "whether connections outlive an answer, on both sides of the balancer (default: they do)"),
    ("server_close", "", "a new connection to the backend for each request"),
    ("cipher", "NAME", "with https, the one cipher of TLS 1.2: AES256-SHA"),
    (
        "workers",
        "N",
        "processes of Nginx or threads of Envoy (default 1), threads of HAProxy (default one a processor)",
    ),
    (
        "max_connections",
        "N",
        "limit for each worker of Nginx, or for HAProxy (default by the limit of open files)",
    ),
    ("round_trip_ms", "T", "added between the client and the others (default 0)"),
    ("client_addresses", "N", "further addresses of the client: 198.19.1.2, 198.19.2.2, …"),
    ("body_bytes", "N", "size of an answer (default %(default)s)"),
    ("retries", "N", "how often the balancer tries again when a backend refused (default %(default)s)"),
    ("redispatch", "", "whether a retry may go to another backend (default: it may)"),
    ("sticky", "", "HAProxy's cookie SRV keeps a client at its backend"),
    ("supervised", "", "a dead balancer is started again after 100 ms"),
    ("ssh", "", "an ssh server on each host; the lab prints how to log in"),
    ("connections", "", "the backends also serve what --connections keeps open"),
    (
        "hard_stop_after_s",
        "T",
        "how long an old process may stay after a reload (default: as long as its connections)",
    ),
    (
        "idle_close_on_response",
        "",
        "HAProxy's option: after a reload idle clients are asked to close in their next answer",
    ),
    ("expose_fd", "", "whether HAProxy hands its listening sockets over at a reload (default: it does)"),
    (
        "keepalived",
        "KEY=VALUE,…",
        "such as version=3,advert_int=0.1: advert_int (1), priority (101/100), version (2), preempt (yes), "
        "preempt_delay, down_timer_adverts (3), unicast (no), check (process, http, none) and its interval (1), "
        "timeout, fall (1), rise (1), weight (-20; 0: FAULT)",
    ),
)
"""Field of LabSpec, metavar and help of each option; type and default are the field's."""
NAMES = {"keepalive": "keep_alive", "connections": "connection_paths", "hard_stop_after_s": "hard_stop_after"}
"""Options with another name than their field."""


def spec_options() -> argparse.ArgumentParser:
    """A parser to be another's parent. Its defaults are the lab's; values are judged by `spec_from_arguments`."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    lab = parser.add_argument_group("the lab")
    for field, metavar, text in KNOBS:
        option = "--" + NAMES.get(field, field).replace("_", "-")
        default = getattr(DEFAULTS, field)
        if default is True:
            lab.add_argument(option, action=argparse.BooleanOptionalAction, default=True, help=text)
        elif default is False:
            lab.add_argument(option, action="store_true", help=text)
        elif field == "hard_stop_after_s":
            lab.add_argument(option, type=argument(parse_duration_s), default=default, metavar=metavar, help=text)
        elif isinstance(default, int | float):
            lab.add_argument(option, type=type(default), default=default, metavar=metavar, help=text)
        else:
            lab.add_argument(option, default=default if isinstance(default, str) else "", metavar=metavar, help=text)
    return parser


def spec_from_arguments(arguments: argparse.Namespace) -> LabSpec:
    """Raises UsageError with one line about the first value that is wrong."""
    values: dict[str, Any] = {field: getattr(arguments, NAMES.get(field, field)) for field, _, _ in KNOBS}
    values["weights"] = _numbers("--weights", values["weights"], int, "whole numbers", "3,1,1")
    values["work"] = _numbers("--work", values["work"], int, "whole numbers", "3,1,1")
    values["service_ms"] = _numbers("--service-ms", values["service_ms"], float, "milliseconds", "6.77,24.4")
    values["keepalived"] = parse_keepalived(values["keepalived"])
    return LabSpec(**values)


def _numbers(option: str, text: str, read: Callable[[str], float], kind: str, example: str) -> tuple[float, ...]:
    try:
        return tuple(read(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"{option} {text!r}: must be {kind} with commas between, such as {example}") from None
