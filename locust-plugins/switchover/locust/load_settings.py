"""The settings of the load in load.json."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from locust import argument_parser
from locust.env import Environment

from switchover.locust.clients import client_facts
from switchover.locust.options import Options
from switchover.locust.run_report import public_words
from switchover.model.redaction import public_url

PACKAGES = ("locust", "gevent", "requests", "urllib3", "geventhttpclient")


def host_of(environment: Environment) -> str | None:
    hosts = [environment.host, *(user_class.host for user_class in environment.user_classes)]
    return next((str(host) for host in hosts if host), None)


def load_settings(environment: Environment, options: Options) -> dict[str, Any]:
    runner, typed = environment.runner, environment.parsed_options
    host = host_of(environment)
    return {
        "users": runner.target_user_count if runner else None,
        "spawn_rate": getattr(typed, "spawn_rate", None),
        "run_time_s": getattr(typed, "run_time", None),
        "stop_timeout_s": environment.stop_timeout,
        "shape": type(environment.shape_class).__name__ if environment.shape_class else None,
        "host": public_url(host) if host else None,
        "plan": [Path(name).name for name in environment.parsed_locustfiles or []],
        "user_classes": [user_class.__name__ for user_class in environment.user_classes],
        "clients": client_facts(environment.user_classes),
        "versions": {"python": platform.python_version(), **_versions()},
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def command_line() -> tuple[str, ...]:
    parser = argument_parser.get_empty_argument_parser()
    argument_parser.setup_parser_arguments(parser)
    return public_words(sys.argv, parser._option_string_actions)
