"""Clients that have changed too much are left alone, with one clear warning."""

import subprocess
import sys

PRELUDE = """
import logging
logging.basicConfig(level=logging.WARNING, format="%(message)s")
import locust
from geventhttpclient.connectionpool import ConnectionPool
from urllib3.connection import HTTPConnection
"""
ASK = """
from locust.env import Environment
class Fast(locust.FastHttpUser): host = "http://127.0.0.1:9"
class Http(locust.HttpUser): host = "http://127.0.0.1:9"
environment = Environment()
def say(response, exception, **_):
    print(type(exception).__name__, getattr(response, "switchover_facts", None) is not None)
environment.events.request.add_listener(say)
for user in (Http, Fast):
    user(environment).client.get("/")
"""


def watched(change: str) -> tuple[list[str], list[str]]:
    """What is said by users whose clients were changed like this before the plugin came, and what was warned of."""
    script = f"{PRELUDE}{change}\nimport switchover.locust\n{ASK}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), [line for line in done.stderr.splitlines() if line.startswith("Switchover")]


def test_clients_as_they_are_need_no_warning() -> None:
    assert watched("") == (["ConnectionRefusedError True"] * 2, [])


def test_a_client_without_a_function_that_is_needed_is_left_alone() -> None:
    change = """
make = ConnectionPool._create_socket
ConnectionPool.get_socket = lambda pool: make(pool)
del ConnectionPool._create_socket
"""
    said, warnings = watched(change)
    assert warnings == [
        "Switchover: FastHttpUser's client cannot be watched, so resends stay hidden: it has no "
        "ConnectionPool._create_socket"
    ]
    assert said == ["ConnectionRefusedError True", "ConnectionRefusedError False"]


def test_another_http_connection_is_left_alone() -> None:
    said, warnings = watched("HTTPConnection.response_class = type('Mine', (HTTPConnection.response_class,), {})")
    assert warnings == [
        "Switchover: HttpUser's client cannot be watched, so truncated headers count as success: it has "
        "its own response_class"
    ]
    assert said == ["ConnectionRefusedError False", "ConnectionRefusedError True"]
