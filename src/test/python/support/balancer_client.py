"""`BalancerHttpUser` in a process of its own, because Locust patches the process it is imported into.

    with balancer_client() as client:
        client.run("result = told(user(host=url).client.get('/'))", url=server.url("site"))

The code is run with the given values and these names:

    user(**attributes)      a user of a class with these attributes, as Locust makes one
    told(response)          what the response and its facts say, as far as JSON has it
    events                  the `request` events so far, as dicts, without response and context
    gevent, locust, time, json

and what it leaves in `result` is returned. An exception comes back as an `AssertionError` with its traceback.

    python -m support.balancer_client    the process itself: a line of JSON for each piece of code, and for its result
"""

import contextlib
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import switchover


class BalancerClient:
    """The running process, seen from the test."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, *code: str, **values: Any) -> Any:
        """Pieces of code, each with an indentation of its own."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        text = "".join(dedent(piece) for piece in code)
        self._process.stdin.write(json.dumps({"code": text, "values": values}, default=str) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the client's process has gone"
        answer = json.loads(line)
        assert answer["trace"] is None, answer["trace"]
        return answer["result"]

    @property
    def pid(self) -> int:
        return self._process.pid


@contextlib.contextmanager
def balancer_client() -> Iterator[BalancerClient]:
    """The process, for as long as the block lasts."""
    path = os.pathsep.join((str(Path(switchover.__file__).parents[1]), str(Path(__file__).parents[1])))
    process = subprocess.Popen(
        [sys.executable, "-W", "error::ResourceWarning", "-m", "support.balancer_client"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        yield BalancerClient(process)
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait(30)
        process.stdout.close()


def main() -> None:
    import time
    import traceback

    from support.client_cases import plain_facts

    importlib.import_module("switchover.locust")  # Before Locust, or the whole plugin takes part.

    import gevent
    import locust
    from locust.env import Environment

    from switchover.locust import BalancerHttpUser

    environment = Environment()
    events: list[dict[str, Any]] = []
    users: list[Any] = []

    def listen(*, response: Any, context: Any, exception: Any, **event: Any) -> None:
        events.append({**event, "context": context, "exception": None if exception is None else str(exception)})

    def user(**attributes: Any) -> Any:
        made = type("Shopper", (BalancerHttpUser,), {"abstract": False, **attributes})(environment)
        users.append(made)
        return made

    def told(response: Any) -> dict[str, Any]:
        return {
            "status": response.status_code,
            "text": response.text[:1000],
            "headers": dict(response.headers),
            "error": None if response.error is None else str(response.error),
            "url": response.url,
            **plain_facts(response.switchover_facts),
        }

    environment.events.request.add_listener(listen)
    names = {
        "user": user,
        "told": told,
        "events": events,
        "gevent": gevent,
        "locust": locust,
        "time": time,
        "json": json,
    }
    for line in sys.stdin:
        asked = json.loads(line)
        space = {**names, **asked["values"], "result": None}
        answer: dict[str, Any] = {"result": None, "trace": None}
        try:
            exec(asked["code"], space)
            answer["result"] = space["result"]
        except BaseException:
            answer["trace"] = traceback.format_exc()
        print(json.dumps(answer), flush=True)
        for made in users:
            made.client.close()
        users.clear()
        events.clear()


if __name__ == "__main__":
    main()
