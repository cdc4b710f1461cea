"""The lab's knobs as command line options, shared by `lab up` and `drill`."""

import argparse
from dataclasses import fields
from typing import Any

from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.spec import LabSpec
from switchover.model.argument import argument
from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s

DEFAULTS = LabSpec()


def spec_options() -> argparse.ArgumentParser:
    """A parser to be another's parent. Its defaults are the lab's; values are judged by `spec_from_arguments`."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    lab = parser.add_argument_group("the lab")
    lab.add_argument(
        "--balancer",
        default=DEFAULTS.balancer,
        metavar="KIND",
        help="haproxy (default), nginx, caddy, traefik, envoy, redirect (302), none",
    )
    lab.add_argument("--mode", default=DEFAULTS.mode, metavar="MODE", help="http (default), https, tcp, tcp-https")
    lab.add_argument(
        "--algorithm",
        default=DEFAULTS.algorithm,
        metavar="NAME",
        help="roundrobin (default), leastconn, source, uri, random; HAProxy also static-rr, first",
    )
    lab.add_argument(
        "--weights", default="", metavar="N,N,…", help="a weight for each backend: 3,1,1 (default all 1)"
    )
    lab.add_argument(
        "--backends", type=int, default=DEFAULTS.backends, metavar="N", help="1 to 29 (default %(default)s)"
    )
    lab.add_argument(
        "--backend-kind", default=DEFAULTS.backend_kind, metavar="KIND", help="nginx (default), apache, app"
    )
    lab.add_argument(
        "--work", default="", metavar="N,N,…", help="matrix products for each answer, a number for each app"
    )
    lab.add_argument(
        "--service-ms",
        default="",
        metavar="T,T,…",
        help="how long each app takes for an answer, one at a time",
    )
    lab.add_argument(
        "--keep-alive",
        action=argparse.BooleanOptionalAction,
        default=DEFAULTS.keepalive,
        help="whether connections outlive an answer, on both sides of the balancer (default: they do)",
    )
    lab.add_argument("--server-close", action="store_true", help="a new connection to the backend for each request")
    lab.add_argument("--cipher", default="", metavar="NAME", help="with https, the one cipher of TLS 1.2: AES256-SHA")
    lab.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="processes of Nginx or threads of Envoy (default 1), threads of HAProxy (default one a processor)",
    )
    lab.add_argument(
        "--max-connections",
        type=int,
        default=0,
        metavar="N",
        help="limit for each worker of Nginx, or for HAProxy (default by the limit of open files)",
    )
    lab.add_argument(
        "--round-trip-ms",
        type=float,
        default=0.0,
        metavar="T",
        help="added between the client and the others (default 0)",
    )
    lab.add_argument(
        "--client-addresses",
        type=int,
        default=0,
        metavar="N",
        help="further addresses of the client: 198.19.1.2, 198.19.2.2, …",
    )
    lab.add_argument(
        "--body-bytes",
        type=int,
        default=DEFAULTS.body_bytes,
        metavar="N",
        help="size of an answer (default %(default)s)",
    )
    lab.add_argument(
        "--retries",
        type=int,
        default=DEFAULTS.retries,
        metavar="N",
        help="how often the balancer tries again when a backend refused (default %(default)s)",
    )
    lab.add_argument(
        "--redispatch",
        action=argparse.BooleanOptionalAction,
        default=DEFAULTS.redispatch,
        help="whether a retry may go to another backend (default: it may)",
    )
    lab.add_argument("--sticky", action="store_true", help="HAProxy's cookie SRV keeps a client at its backend")
    lab.add_argument("--supervised", action="store_true", help="a dead balancer is started again after 100 ms")
    lab.add_argument("--ssh", action="store_true", help="an ssh server on each host; the lab prints how to log in")
    lab.add_argument("--patient-paths", action="store_true", help="the backends also serve what --patient keeps open")
    lab.add_argument(
        "--hard-stop-after",
        type=argument(parse_duration_s),
        default=0.0,
        metavar="T",
        help="how long an old process may stay after a reload (default: as long as its connections)",
    )
    lab.add_argument(
        "--idle-close-on-response",
        action="store_true",
        help="HAProxy's option: after a reload idle clients are asked to close in their next answer",
    )
    lab.add_argument(
        "--expose-fd",
        action=argparse.BooleanOptionalAction,
        default=DEFAULTS.expose_fd,
        help="whether HAProxy hands its listening sockets over at a reload (default: it does)",
    )
    lab.add_argument(
        "--keepalived",
        default="",
        metavar="KEY=VALUE,…",
        help="such as version=3,advert_int=0.1: advert_int (1), priority (101/100), version (2), preempt (yes), "
        "preempt_delay, down_timer_adverts (3), unicast (no), check (process, http, none) and its interval (1), "
        "timeout, fall (1), rise (1), weight (-20; 0: FAULT)",
    )
    return parser


def spec_from_arguments(arguments: argparse.Namespace) -> LabSpec:
    """Raises UsageError with one line about the first value that is wrong."""
    read: dict[str, Any] = {
        "weights": _numbers("--weights", arguments.weights),
        "work": _numbers("--work", arguments.work),
        "service_ms": _times("--service-ms", arguments.service_ms),
        "keepalive": arguments.keep_alive,
        "keepalived": parse_keepalived(arguments.keepalived),
        "patient": arguments.patient_paths,
        "hard_stop_after_s": arguments.hard_stop_after,
    }
    names = [field.name for field in fields(LabSpec) if field.name not in read]
    return LabSpec(**read, **{name: getattr(arguments, name) for name in names})


def _numbers(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"{option} {text!r}: must be whole numbers with commas between, such as 3,1,1") from None


def _times(option: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"{option} {text!r}: must be milliseconds with commas between, such as 6.77,24.4") from None
