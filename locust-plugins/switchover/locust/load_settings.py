"""The settings of the load, as load.json has them, and the command line without secrets."""

import platform
import sys
from collections.abc import Collection, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from locust import argument_parser
from locust.env import Environment

from switchover.locust.clients import client_facts
from switchover.locust.options import Options
from switchover.model.redaction import HIDDEN, public_text, public_url

OURS = "--switchover-"


def public_words(words: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """The command line without secrets; `known` are the options whose values are none.

    The values of the locustfile's own options are hidden, because one of them may be a password. URLs are shown
    without credentials and query values.
    """
    shown = [Path(words[0]).name] if words else []
    hide_next = False
    for word in words[1:]:
        if not word.startswith("-") or word == "-":
            shown.append(HIDDEN if hide_next else _public(word))
            hide_next = False
            continue
        name, equals, value = word.partition("=")
        is_known = name in known or name.startswith(OURS) or (name[:2] in known and not name.startswith("--"))
        shown.append(name + equals + (_public(value) if is_known else HIDDEN if equals else ""))
        hide_next = not is_known and not equals
    return tuple(shown)


def _public(text: str) -> str:
    return public_text(text) if "://" in text else text


PACKAGES = ("locust", "gevent", "requests", "urllib3", "geventhttpclient")


def host_of(environment: Environment) -> str | None:
    """The host that the users ask: Locust's own option, or the attribute of a user class."""
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
        "resends": options.resends,
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
    """The words of the command line, without secrets."""
    parser = argument_parser.get_empty_argument_parser()
    argument_parser.setup_parser_arguments(parser)
    return public_words(sys.argv, parser._option_string_actions)
