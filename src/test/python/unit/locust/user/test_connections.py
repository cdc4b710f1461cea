"""The connections of `BalancerHttpUser`: how many, from where, and how they end."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.balancer_client import BalancerClient
from support.ports import own_address
from support.servers import Behaviour, tcp_server
from switchover.http.timestamps import PacketStamps

PAGE = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nContent-Length: 5\r\n\r\nhello"
PATIENCE_S = 30.0
TIME_WAIT = "06"


class Watched:
    """A server of pages that writes down who connected, and how each connection ended: `fin` or `rst`."""

    def __init__(self, place: Path | None) -> None:
        """In `place` is a file `hanging` when a request has come that will never be answered, and `answered` when one
        is that asks for it."""
        self.peers: list[str] = []
        self.ends: list[str] = []
        self._place = place

    def __call__(self, connection: socket.socket, over: threading.Event) -> None:
        with contextlib.suppress(OSError):  # it was reset before anybody could look
            self.peers.append(connection.getpeername()[0])
        connection.settimeout(PATIENCE_S)
        end = "fin"
        try:
            while data := connection.recv(65536):
                if data.startswith(b"GET /hang"):
                    self._mark("hanging")
                elif data.startswith(b"GET /answered"):
                    connection.sendall(PAGE)
                    self._mark("answered")
                elif data.startswith(b"GET /slow"):
                    over.wait(0.2)
                    connection.sendall(PAGE)
                else:
                    connection.sendall(PAGE)
        except ConnectionResetError:
            end = "rst"
        self.ends.append(end)

    def _mark(self, name: str) -> None:
        if self._place is not None:
            (self._place / name).touch()

    def wait_for_ends(self, number: int) -> list[str]:
        until(lambda: len(self.ends) >= number)
        return self.ends


def until(found: Callable[[], Any]) -> Any:
    give_up = time.monotonic() + PATIENCE_S
    while not (value := found()):
        assert time.monotonic() < give_up, "it never came about"
        time.sleep(0.01)
    return value


@contextlib.contextmanager
def watched(place: Path | None = None, address: str = "127.0.0.1") -> Iterator[tuple[Watched, str]]:
    behave = Watched(place)
    with tcp_server(behave, address) as port:
        yield behave, f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def time_waits(address: str) -> int:
    """Connections to it whose ports we hold after their end (proc(5): net/tcp, as the processor has it)."""
    (number,) = struct.unpack("=I", socket.inet_aton(address))
    lines = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(remote.startswith(f"{number:08X}:") and state == TIME_WAIT for _, _, remote, state, *_ in lines)


def test_a_user_keeps_its_connection_and_another_has_its_own(client: BalancerClient) -> None:
    with watched() as (server, url):
        code = """
            one, other = user(host=url).client, user(host=url).client
            result = [told(each.get("/"))["stream"] for each in (one, other) * 10]
        """
        streams = client.run(code, url=url)
        assert streams == ["fresh", "fresh"] + ["kept"] * 18
        assert len(server.peers) == 2


def test_fresh_connections_are_fresh_and_hold_no_port_after_their_end(client: BalancerClient) -> None:
    address = own_address()
    with watched(address=address) as (server, url):
        code = "c = user(host=url, connection='fresh').client; result = [told(c.get('/')) for _ in range(20)]"
        found = client.run(code, url=url)
        assert {one["stream"] for one in found} == {"fresh"}
        assert all(0 < one["connect_us"] <= one["latency_us"] <= one["end_us"] - one["start_us"] for one in found)
        assert server.wait_for_ends(20) == ["rst"] * 20
        assert time_waits(address) == 0


LIFE = """
    from gevent.pool import Group
    class Shopper(type(user(host=url))):
        @locust.task
        def shop(self):
            self.client.get(path)
            self.asked = True
            gevent.sleep(1000)
    shopper = Shopper(user(host=url).environment)
    shopper.asked = False
    group = Group()
    greenlet = shopper.start(group)
"""


def test_a_user_that_is_killed_while_it_waits_leaves_no_connection(client: BalancerClient, tmp_path: Path) -> None:
    with watched(tmp_path) as (server, url):
        code = """
            import os
            while not os.path.exists(hanging):
                gevent.sleep(0.01)
            shopper.stop(force=True)
            greenlet.join(30)
            result = [greenlet.dead, len(events)]
        """
        # Nothing came of the request, and nothing is said of it, as with Locust's own users.
        assert client.run(LIFE, code, url=url, path="/hang", hanging=tmp_path / "hanging") == [True, 0]
        assert server.wait_for_ends(1) == ["rst"]


def test_a_timeout_of_the_tests_own_goes_through_and_closes_the_connection(
    client: BalancerClient, tmp_path: Path
) -> None:
    with watched(tmp_path) as (server, url):
        code = """
            import os
            client, asking = user(host=url).client, gevent.getcurrent()
            def time_out():
                while not os.path.exists(hanging):
                    gevent.sleep(0.01)
                gevent.kill(asking, gevent.Timeout())
            gevent.spawn(time_out)
            try:
                client.get("/hang")
            except gevent.Timeout:
                result = told(client.get("/"))["stream"]
        """
        assert client.run(code, url=url, hanging=tmp_path / "hanging") == "fresh"
        # The threads of the two connections may be told of their ends in either order.
        assert sorted(server.wait_for_ends(2)) == ["fin", "rst"]


@pytest.mark.skipif(not PacketStamps.available(), reason="the kernel stamps nothing here")
@pytest.mark.parametrize(("timeout_s", "busy_s"), [(30.0, 0.0), (3.0, 3.0)])
def test_what_a_busy_load_generator_takes_to_come_round_to_an_answer_is_no_part_of_it(
    client: BalancerClient, tmp_path: Path, timeout_s: float, busy_s: float
) -> None:
    """It is busy until the answer has come, and for half a second after that, and so long at least."""
    with watched(tmp_path) as (_, url):
        code = """
            import os
            from gevent.monkey import get_original
            client = user(host=url, timeout_read=timeout_s).client
            client.get("/")
            began = time.monotonic()
            asking = gevent.spawn(client.get, "/answered")
            gevent.sleep(0)
            while not os.path.exists(answered) or time.monotonic() - began < busy_s:
                get_original("time", "sleep")(0.01)
            get_original("time", "sleep")(0.5)
            result = told(asking.get()), time.monotonic() - began
        """
        found, took_s = client.run(code, url=url, timeout_s=timeout_s, busy_s=busy_s, answered=tmp_path / "answered")
    assert (found["stream"], found["kind"], found["text"]) == ("kept", None, "hello")
    assert 0 < found["latency_us"] <= found["end_us"] - found["start_us"] < (took_s - 0.5) * 1e6


def test_ipv6(client: BalancerClient) -> None:
    with watched(address="::1") as (_, url):
        code = "result = user(host=url).client.get('/').text"
        assert client.run(code, url=url) == "hello"


NAMES = """
    import socket
    from switchover.locust.user import address_book as lookup
    asked = []
    real = socket.getaddrinfo
    def getaddrinfo(host, port, *arguments, **options):
        if not host.endswith(".example"):
            return real(host, port, *arguments, **options)
        asked.append(host)
        gevent.sleep(0.01)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]
    socket.getaddrinfo = getaddrinfo
    url = f"http://{name}.example:{port}"
"""


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def test_a_name_is_looked_up_once_for_all_users_and_again_when_it_is_old(client: BalancerClient) -> None:
    with watched() as (_, url):
        code = """
            def everybody():
                shoppers = [user(host=url).client for _ in range(10)]
                gevent.joinall([gevent.spawn(shopper.get, "/") for shopper in shoppers])
            everybody()
            everybody()
            result = [len(asked)]
            lookup._AGE_NS = 0
            lookup.ADDRESSES._known.clear()
            everybody()
            user(host=url).client.get("/")
            result += [len(asked), {event["exception"] for event in events} == {None}]
            lookup._AGE_NS = round(lookup.AGE_S * 1e9)
            socket.getaddrinfo = real
        """
        found = client.run(NAMES, code, name="once", addresses=["127.0.0.1"], port=port_of(url))
        assert found == [1, 3, True]


def test_the_next_address_of_a_name_is_tried_where_nobody_listens(client: BalancerClient) -> None:
    with watched() as (_, url):
        code = """
            client = user(host=url, connection="fresh").client
            result = [told(client.get("/")) for _ in range(2)]
            result = [(one["kind"], one["attempts"]) for one in result]
            socket.getaddrinfo = real
        """
        addresses = ["127.0.0.9", "127.0.0.1"]
        found = client.run(NAMES, code, name="several", addresses=addresses, port=port_of(url))
        assert found == [[None, 1], [None, 1]]


def test_requests_leave_nothing_that_only_the_garbage_collector_finds(client: BalancerClient) -> None:
    """Locust runs for hours: what each request leaves behind would grow, and collecting it would stop all users."""

    def varied() -> Behaviour:
        answers = [
            PAGE,
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
            b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n",
            b"garbage\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
            b"HTTP/1.1 302 Found\r\nLocation: /0\r\nContent-Length: 0\r\n\r\n",
        ]

        def behave(connection: socket.socket, over: threading.Event) -> None:
            with contextlib.suppress(ConnectionError):
                while data := connection.recv(65536):
                    number = int(data.partition(b"/")[2].partition(b" ")[0])
                    if number < len(answers):
                        connection.sendall(answers[number])
                    if number == 6:
                        return

        return behave

    code = """
        import gc
        clients = [user(host=url, connection=kind, timeout_read=0.05).client for kind in ("kept", "fresh")]
        def ask():
            for client in clients:
                for number in range(9):
                    client.get(f"/{number}")
        ask()
        gc.collect()
        gc.disable()
        before = len(events)
        ask()
        ask()
        result = [gc.collect(), len(events) - before]
        gc.enable()
    """
    with tcp_server(varied()) as port:
        unreachable, requests = client.run(code, url=f"http://127.0.0.1:{port}")
    assert requests == 36
    assert unreachable == 0
