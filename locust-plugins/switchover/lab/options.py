"""The lab's knobs as command line options, shared by `lab up` and `drill`."""

import argparse

from switchover.errors import UsageError
from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.spec import LabSpec

DEFAULTS = LabSpec()


def spec_options() -> argparse.ArgumentParser:
    """A parser to be another's parent. Its defaults are the lab's; values are judged by `spec_from_arguments`."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    lab = parser.add_argument_group("the lab")
    lab.add_argument("--balancer", default=DEFAULTS.balancer, metavar="KIND", help="haproxy (default) or nginx")
    lab.add_argument("--mode", default=DEFAULTS.mode, metavar="MODE", help="http")
    lab.add_argument("--algorithm", default=DEFAULTS.algorithm, metavar="NAME", help="default %(default)s")
    lab.add_argument("--weights", default="", metavar="N,N,…", help="one a backend (default all 1)")
    lab.add_argument("--backends", type=int, default=DEFAULTS.backends, metavar="N", help="default %(default)s")
    lab.add_argument("--backend-kind", default=DEFAULTS.backend_kind, metavar="KIND", help="nginx (default) or app")
    lab.add_argument("--work", default="", metavar="N,N,…", help="matrix products for each answer, one number an app")
    lab.add_argument("--keep-alive", action=argparse.BooleanOptionalAction, default=DEFAULTS.keepalive)
    lab.add_argument("--body-bytes", type=int, default=DEFAULTS.body_bytes, metavar="N", help="default %(default)s")
    lab.add_argument("--retries", type=int, default=DEFAULTS.retries, metavar="N", help="default %(default)s")
    lab.add_argument("--redispatch", action=argparse.BooleanOptionalAction, default=DEFAULTS.redispatch)
    lab.add_argument("--supervised", action="store_true", help="a dead balancer is started again after 100 ms")
    lab.add_argument(
        "--keepalived",
        default="",
        metavar="KEY=VALUE,…",
        help="advert_int, priority (101/100), version, preempt, check (process, http, none), weight, unicast, …",
    )
    return parser


def spec_from_arguments(arguments: argparse.Namespace) -> LabSpec:
    """Raises UsageError with one line about the first value that is wrong."""
    return LabSpec(
        balancer=arguments.balancer,
        mode=arguments.mode,
        algorithm=arguments.algorithm,
        backends=arguments.backends,
        backend_kind=arguments.backend_kind,
        weights=_numbers("--weights", arguments.weights),
        work=_numbers("--work", arguments.work),
        keepalive=arguments.keep_alive,
        body_bytes=arguments.body_bytes,
        retries=arguments.retries,
        redispatch=arguments.redispatch,
        supervised=arguments.supervised,
        keepalived=parse_keepalived(arguments.keepalived),
    )


def _numbers(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"{option} {text!r}: must be whole numbers with commas between, such as 3,1,1") from None
