"""A process that drives one of Locust's users through cases and tells what was recorded of each request.

    python -m support.client_cases http|fast < cases.json

Locust patches the process that it is imported in, so a test runs this one. A case is a list of steps, made by one
user; the answer is a JSON object by case, of lists of what the `request` event told and the facts that it came with.

    {"get": URL, "with": {...}}         a request; "method", and the keyword arguments of the client's `request`
    {"until": COUNTS_URL, "of": NAME, "ended": N}   wait until the server has ended so many connections
"""

import json
import sys
import time
import urllib.request
from dataclasses import asdict
from typing import Any

from locust import FastHttpUser, HttpUser
from locust.env import Environment

from switchover.locust.clients import ClientSettings, configure, install, reconnects
from switchover.locust.request_facts import FACTS

PATIENCE_S = 30.0
TIMEOUT_S = 1.0
"""What a hanging server costs a case; nothing else comes near it."""


class Http(HttpUser):
    host = "http://127.0.0.1"


class Fast(FastHttpUser):
    host = "http://127.0.0.1"


def main() -> None:
    kind = sys.argv[1]
    order = json.load(sys.stdin)
    install()
    configure(ClientSettings(order.get("resends", "off"), TIMEOUT_S, TIMEOUT_S))
    told = {}
    for name, steps in order["cases"].items():
        before = reconnects()
        told[name] = _run({"http": Http, "fast": Fast}[kind], steps, order.get("attributes", {}))
        told[name]["reconnects"] = reconnects() - before
    json.dump(told, sys.stdout)


def _run(user_class: Any, steps: list[dict[str, Any]], attributes: dict[str, Any]) -> dict[str, Any]:
    environment = Environment()
    events: list[dict[str, Any]] = []
    environment.events.request.add_listener(lambda **event: events.append(_told(**event)))
    user = type(user_class.__name__, (user_class,), attributes)(environment)
    for step in steps:
        if "until" in step:
            _wait(step)
            continue
        arguments = step.get("with", {})
        failure = arguments.pop("failure", None)
        with_block = arguments.get("catch_response")
        outcome = user.client.request(step.get("method", "GET"), step["get"], **arguments)
        if with_block:
            with outcome as response:
                if failure:
                    response.failure(failure)
    statistics = environment.stats.total
    return {
        "events": events,
        "statistics": [statistics.num_requests, statistics.num_failures, statistics.total_content_length],
    }


def _told(
    name: str,
    response: Any,
    exception: BaseException | None,
    response_time: float,
    response_length: int,
    start_time: float,
    **_: Any,
) -> dict[str, Any]:
    facts = getattr(response, FACTS)
    return {
        "name": name,
        "exception": None if exception is None else type(exception).__name__,
        "status": response.status_code,
        "length": response_length,
        "text": None if response.status_code == 0 else response.text,
        "response_time_us": response_time * 1000,
        "start_time_us": start_time * 1e6,
        "facts": {field: value for field, value in _all(facts).items()},
    }


def _all(facts: Any) -> dict[str, Any]:
    return asdict(facts)


def _wait(step: dict[str, Any]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        with urllib.request.urlopen(step["until"], timeout=PATIENCE_S) as answer:
            if json.load(answer)[step["of"]]["ended"] >= step["ended"]:
                return
        assert time.monotonic() < give_up, step
        time.sleep(0.01)


if __name__ == "__main__":
    main()
