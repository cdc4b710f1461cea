"""A process that takes Locust's users through cases and tells what was recorded of each request.

    python -m support.client_cases < ORDER

Locust patches the process that it is imported in, so tests run this one; `run_cases` does it for them. The order is
JSON: `plugin` and `timeouts`, whether and how the clients are watched; and `cases` by name, all at the
same time, each with `user`, a class of client_users.py, `attributes` of it, and the `steps` of one new user:

    {"get": URL, "method": "POST", "with": {keyword arguments of the client's `request`}}
    {"get": URL, "with": {"catch_response": true}, "failure": "why"}      a with-block, empty but for the failure
    {"get": URL, "times": 5}                                              so many at the same time
    {"get": URL, "given_up_by": "Timeout"}                                by the test; "GreenletExit": by a stop
    {"rest": URL}                                                         through the user's `rest`
    {"plain": URL}                                                        requests.get, which must succeed
    {"until": COUNTS_URL, "of": BEHAVIOUR, "ended": N}                    the server has ended so many connections

The answer is JSON, by name `cases`: `events`, what the `request` event told with the facts of it, and `statistics`,
Locust's.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

PATIENCE_S = 30.0
GIVE_UP_S = 2.0
Told = dict[str, Any]


def case(user: str, *steps: Told, **attributes: Any) -> Told:
    return {"user": user, "steps": steps, "attributes": attributes}


def run_cases(cases: dict[str, Told], **order: Any) -> Told:
    """What a process of its own tells of them."""
    here = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "support.client_cases"],
        input=json.dumps({"cases": cases, **order}),
        capture_output=True,
        text=True,
        timeout=10 * PATIENCE_S,
        cwd=here,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join([str(here), *filter(None, sys.path)])),
    )
    assert done.returncode == 0, done.stderr
    told: Told = json.loads(done.stdout)
    return told


def main() -> None:
    import gevent
    import locust  # noqa: F401 - patches sockets, before anything else takes them

    from support import client_users

    order = json.load(sys.stdin)
    kind_of = _watch(order) if order.get("plugin", True) else None
    running = {}
    for name, ordered in order["cases"].items():
        user_class = type(ordered["user"], (getattr(client_users, ordered["user"]),), ordered["attributes"])
        running[name] = gevent.spawn(_run, user_class, ordered["steps"], kind_of)
    told: Told = {"cases": {name: greenlet.get() for name, greenlet in running.items()}}
    json.dump(told, sys.stdout)


def _watch(order: Told) -> Any:
    """With the clients watched; the kind of a failure is then told as the recorder tells it."""
    from switchover.locust.clients import install
    from switchover.locust.clients.timeouts import configure
    from switchover.locust.recording.failures import kind_of
    from switchover.model.clock import Clock

    install()
    connect_s, read_s = order.get("timeouts", (PATIENCE_S, PATIENCE_S))
    configure(connect_s, read_s, Clock.of_process())
    return kind_of


def _run(user_class: Any, steps: list[Told], kind_of: Any) -> Told:
    from gevent.pool import Pool
    from locust.env import Environment

    environment = Environment()
    runner = environment.create_local_runner()
    events: list[Told] = []
    environment.events.request.add_listener(lambda **event: events.append(_told(kind_of, **event)))
    given_up = {step["get"] for step in steps if "given_up_by" in step}
    if given_up:
        from switchover.locust.clients.unreported import UNREPORTED

        UNREPORTED.add_listener(
            lambda url, **event: events.append(_told(kind_of, url=url, **event)) if url in given_up else None
        )
    user = user_class(environment)
    for step in steps:
        if "until" in step:
            _wait(step)
            continue
        pool = Pool()
        for _ in range(step.get("times", 1)):
            pool.spawn(_step, user, step)
        pool.join()
    runner.quit()
    total = environment.stats.total
    return {"events": events, "statistics": [total.num_requests, total.num_failures, total.total_content_length]}


def _step(user: Any, step: Told) -> None:
    import gevent
    import requests

    if "given_up_by" in step:
        kind = getattr(gevent, step["given_up_by"])
        with suppress(kind), gevent.Timeout(GIVE_UP_S, None if kind is gevent.Timeout else kind):
            user.client.get(step["get"])
        return
    if "plain" in step:
        assert requests.get(step["plain"], timeout=PATIENCE_S).ok
        return
    if "rest" in step:
        with user.rest("GET", step["rest"]):
            return
    outcome = user.client.request(step.get("method", "GET"), step["get"], **step.get("with", {}))
    if step.get("with", {}).get("catch_response"):
        with outcome as response:
            if "failure" in step:
                response.failure(step["failure"])


def plain_facts(facts: Any) -> Told:
    """The facts as JSON can have them."""
    plain = asdict(facts)
    for leg, known in zip(plain["legs"], facts.legs, strict=True):
        leg["headers"] = dict(known.headers)
    return plain


def _told(kind_of: Any, response: Any, exception: BaseException | None, **event: Any) -> Told:
    facts = getattr(response, "switchover_facts", None)
    kind = None
    if exception is not None and kind_of is not None:
        kind = getattr(facts, "kind", None) or kind_of(exception, response)
    return {
        "name": event["name"],
        "url": event["url"],
        "method": event["request_type"],
        "exception": None if exception is None else type(exception).__name__,
        "status": response.status_code,
        "length": event["response_length"],
        "response_time_us": event["response_time"] * 1000,
        "kind": kind,
        "facts": None if facts is None else plain_facts(facts),
    }


def _wait(step: Told) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while True:
        with urllib.request.urlopen(step["until"], timeout=PATIENCE_S) as answer:
            if json.load(answer)[step["of"]]["ended"] >= step["ended"]:
                return
        assert time.monotonic() < give_up, step
        time.sleep(0.01)


if __name__ == "__main__":
    main()
