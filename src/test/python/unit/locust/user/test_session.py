"""The interface of `BalancerHttpUser`'s client, as users of Locust's own know it."""

import gzip
import socket
import threading
from typing import Any

import pytest

from support.balancer_client import BalancerClient
from support.misbehaving import MisbehavingServer
from support.servers import Behaviour, tcp_server


@pytest.fixture
def site(server: MisbehavingServer) -> str:
    return server.url("site", "")


def scripted(*answers: bytes, asked: list[bytes] | None = None) -> Behaviour:
    """Answers the requests of all connections in turn, each when it is there with the body that it announces."""
    left = list(answers)

    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.settimeout(30)
        buffer = b""
        while left:
            while b"\r\n\r\n" not in buffer or len(buffer.partition(b"\r\n\r\n")[2]) < _announced(buffer):
                data = connection.recv(65536)
                if not data:
                    return
                buffer += data
            if asked is not None:
                asked.append(buffer)
            buffer = b""
            connection.sendall(left.pop(0))

    return behave


def _announced(request: bytes) -> int:
    for line in request.partition(b"\r\n\r\n")[0].split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


def page(body: bytes = b"", *headers: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]).encode() + body


def test_the_event_says_what_locusts_own_users_say(client: BalancerClient, site: str) -> None:
    code = """
        shopper = user(host=url, context=lambda self: {"who": "me", "what": "user"})
        before = time.time()
        shopper.client.get("/chunked?x=1")
        shopper.client.post("/echo", name="echo", data="12345", context={"what": "call"})
        result = {"events": events, "before": before, "after": time.time()}
    """
    found = client.run(code, url=site)
    first, second = found["events"]
    assert set(first) == {
        "request_type", "name", "response_time", "response_length", "context", "exception", "start_time", "url",
    }  # fmt: skip
    assert (first["request_type"], first["name"], first["url"]) == ("GET", "/chunked?x=1", f"{site}/chunked?x=1")
    assert (first["response_length"], first["exception"]) == (5, None)
    assert found["before"] - 1 < first["start_time"] < found["after"] + 1
    assert 0 < first["response_time"] < 60_000
    assert (second["request_type"], second["name"]) == ("POST", "echo")
    assert first["context"] == {"who": "me", "what": "user"}
    assert second["context"] == {"who": "me", "what": "call"}


def test_the_with_block_has_the_last_word(client: BalancerClient, site: str) -> None:
    code = """
        from locust.exception import RescheduleTask, ResponseError
        client = user(host=url).client
        with client.get("/", name="good", catch_response=True) as response:
            assert not events
        with client.get("/", name="marked bad", catch_response=True) as response:
            response.failure("no good")
        with client.get("/status/404", name="bad", catch_response=True):
            pass
        with client.get("/status/404", name="marked good", catch_response=True) as response:
            response.success()
        with client.get("/", name="response error", catch_response=True):
            raise ResponseError("told")
        with client.get("/status/500", name="raised for status", catch_response=True) as response:
            response.raise_for_status()
        try:
            with client.get("/", name="defect", catch_response=True):
                raise KeyError("oops")
        except KeyError:
            pass
        try:
            with client.get("/", name="left", catch_response=True):
                raise RescheduleTask
        except RescheduleTask:
            pass
        try:
            with client.get("/", name="left bad", catch_response=True) as response:
                response.failure(ValueError("worse"))
                raise RescheduleTask
        except RescheduleTask:
            pass
        result = {event["name"]: event["exception"] for event in events}
    """
    assert client.run(code, url=site) == {
        "good": None,
        "marked bad": "no good",
        "bad": "status: 404",
        "marked good": None,
        "response error": "told",
        "raised for status": "status: 500",
        "defect": "'oops'",
        "left": None,
        "left bad": "worse",
    }


def test_redirects_are_legs_of_their_own_and_the_sample_spans_them(client: BalancerClient, site: str) -> None:
    code = """
        client = user(host=url).client
        response = client.get("/redirect/3")
        result = told(response), events, [one.url for one in response.history], response.elapsed.total_seconds()
    """
    found, events, history, last_s = client.run(code, url=site)
    assert (found["status"], found["text"], found["url"]) == (200, "hello", f"{site}/")
    assert [(leg["status"], leg["headers"]["X-Backend"]) for leg in found["legs"]] == [
        (302, "web3"), (302, "web2"), (302, "web1"),
    ]  # fmt: skip
    assert history == [f"{site}/redirect/{left}" for left in (3, 2, 1)]
    assert [leg["stream"] for leg in found["legs"]] == ["fresh", "kept", "kept"]
    assert (found["stream"], found["attempts"]) == ("kept", 1)
    times = [time for leg in found["legs"] for time in (leg["start_us"], leg["end_us"])]
    assert [found["start_us"], *times, found["end_us"]] == sorted([found["start_us"], *times, found["end_us"]])
    assert found["start_us"] == found["legs"][0]["start_us"]
    assert found["latency_us"] > times[-1] - times[0]
    (event,) = events
    assert (event["name"], event["url"]) == ("/redirect/3", f"{site}/redirect/3")
    assert event["response_time"] * 1000 == pytest.approx(found["end_us"] - found["start_us"], abs=2)
    assert last_s * 1e6 <= found["end_us"] - times[-1] + 2


def test_a_redirect_whose_goal_nobody_waits_for_is_told_all_the_same(
    client: BalancerClient, server: MisbehavingServer
) -> None:
    """The server that sent us on has answered, and counted it."""
    code = """
        import urllib.request
        from switchover.locust.clients.unreported import UNREPORTED
        heard = []
        def listen(response, **event):
            heard.append((event["url"], vars(response.switchover_facts)))
        UNREPORTED.add_listener(listen)
        def asked_there():
            return json.load(urllib.request.urlopen(counts))["read_timeout"]["requests"]
        before, asking = asked_there(), gevent.getcurrent()
        def time_out():
            while asked_there() == before:
                gevent.sleep(0.01)
            gevent.kill(asking, gevent.Timeout())
        gevent.spawn(time_out)
        try:
            user(host=url, timeout_read=60).client.get(path)
        except gevent.Timeout:
            pass
        UNREPORTED.remove_listener(listen)
        ((url, facts),) = heard
        result = facts["kind"], url, facts["start_us"], facts["end_us"], facts["attempts"], [
            (leg.status, leg.start_us, leg.headers["X-Backend"], leg.end_us) for leg in facts["legs"]
        ], events
    """
    hanging = server.url("read_timeout")
    found = client.run(code, url=server.url("site", ""), path=f"/to?{hanging}", counts=server.counts_url)
    kind, url, start_us, end_us, attempts, legs, events = found
    assert (kind, url, attempts, events) == ("read_timeout", hanging, 1, [])
    ((status, leg_start_us, backend, leg_end_us),) = legs
    assert (status, leg_start_us, backend) == (302, start_us, "web1")
    assert start_us < leg_end_us < end_us


def test_secrets_do_not_follow_a_redirect_to_another_host(client: BalancerClient) -> None:
    there: list[bytes] = []
    back: list[bytes] = []
    with tcp_server(scripted(page(), asked=there)) as other:
        elsewhere = page(b"", f"Location: http://127.0.0.1:{other}/", status="302 Found")
        with tcp_server(scripted(elsewhere, asked=back)) as port:
            code = """
                client = user(host=url, default_headers={"X-Own": "hush"}).client
                client.headers["X-Token"] = "hush"
                client.get("/", headers=given, auth=("user", "pass"))
            """
            given = {"Accept-Language": "de", "X-Api-Key": "hush", "Cookie": "given=1"}
            client.run(code, url=f"http://127.0.0.1:{port}", given=given)
    assert b"\r\nAuthorization: Basic " in back[0]
    assert b"\r\nCookie: given=1\r\n" in back[0]
    assert all(b"\r\n%s: hush\r\n" % name in back[0] for name in (b"X-Api-Key", b"X-Own", b"X-Token"))
    assert b"\r\nAccept-Language: de\r\n" in there[0]
    assert not any(secret in there[0] for secret in (b"Authorization", b"Cookie", b"hush"))


def test_a_cookie_set_by_hand_stays_with_the_host_of_the_user(client: BalancerClient) -> None:
    asked: list[bytes] = []
    with tcp_server(scripted(page(), page(), page(), asked=asked)) as port:
        code = """
            client = user(host=f"http://127.0.0.1:{port}").client
            client.cookies.set("mine", "1")
            client.cookies.set("theirs", "2", domain="localhost.local")
            client.get("/")
            client.get(f"http://localhost:{port}/")
            client.cookies.update({"mine": "3"})
            client.get("/")
        """
        client.run(code, port=port)
    sent = [request.partition(b"Cookie: ")[2].partition(b"\r\n")[0].decode() for request in asked]
    assert sent == ["mine=1", "theirs=2", "mine=3"]


def test_cookies_are_kept_sent_and_forgotten(client: BalancerClient, site: str) -> None:
    code = """
        client = user(host=url).client
        def sent(path="/echo", **options):
            return client.get(path, **options).json()["cookie"]
        result = [sent()]
        assert client.get("/set?backend=web1").cookies["backend"] == "web1"
        result.append(sent())
        client.get("/set?basket=3")
        result.append("; ".join(sorted(sent().split("; "))))
        result.append("; ".join(sorted(sent(cookies={"basket": "4", "extra": "x"}).split("; "))))
        client.get("/set?backend=;Max-Age=0")
        result.append(sent())
        client.cookies.set("mine", "1")
        result.append("; ".join(sorted(sent().split("; "))))
        client.cookies.clear()
        result.append(sent())
        result.append(user(host=url).client.get("/echo").json()["cookie"])
        result.append(sent(headers={"cookie": "by=hand"}))
    """
    assert client.run(code, url=site) == [
        "", "backend=web1", "backend=web1; basket=3", "backend=web1; basket=4; extra=x",
        "basket=3", "basket=3; mine=1", "", "", "by=hand",
    ]  # fmt: skip


def test_a_cookie_that_expires_is_no_longer_sent(client: BalancerClient, site: str) -> None:
    # A machine that takes a second between the two requests is asked again.
    code = """
        client, result, set_at = user(host=url).client, [""], 0.0
        while not result[0] and time.monotonic() - set_at >= 1:
            set_at = time.monotonic()
            client.get("/set?short=1;Max-Age=1")
            result = [client.get("/echo").json()["cookie"]]
        until = time.monotonic() + 20
        while client.get("/echo").json()["cookie"] and time.monotonic() < until:
            time.sleep(0.05)
        result.append(client.get("/echo").json()["cookie"])
    """
    assert client.run(code, url=site) == ["short=1", ""]


def test_headers_and_credentials_of_the_user(client: BalancerClient) -> None:
    asked: list[bytes] = []
    with tcp_server(scripted(*[page()] * 5, asked=asked)) as port:
        code = """
            client = user(host=url, default_headers={"X-Class": "1"}).client
            client.auth = ("user", "pass")
            client.get("/")
            client.headers["X-Token"] = "abc"
            client.headers.update({"x-class": "2"})
            client.get("/")
            del client.headers["x-token"]
            client.get("/")
            client.auth = ("other", "pass")
            client.get("/")
            client.auth = None
            client.get("/", auth=("third", "pass"))
            result = [event["url"] for event in events]
        """
        urls = client.run(code, url=f"http://127.0.0.1:{port}")
    assert set(urls) == {f"http://127.0.0.1:{port}/"}
    assert [b"X-Token: abc" in request for request in asked] == [False, True, False, False, False]
    assert [b"X-Class: 1" in request for request in asked] == [True, False, False, False, False]
    assert [b"x-class: 2" in request for request in asked] == [False, True, True, True, True]
    credentials = [request.partition(b"Authorization: Basic ")[2].partition(b"\r\n")[0] for request in asked]
    assert credentials == [b"dXNlcjpwYXNz"] * 3 + [b"b3RoZXI6cGFzcw==", b"dGhpcmQ6cGFzcw=="]


def test_packed_bodies_are_unpacked_and_counted_as_they_came(client: BalancerClient) -> None:
    packed = gzip.compress(b"hello " * 100)
    answers = (
        page(packed, "Content-Encoding: gzip"),
        page(packed[:-3], "Content-Encoding: gzip"),
        page(b"", "Content-Encoding: gzip"),
        page(gzip.compress(b"x" * 100_000), "Content-Encoding: gzip"),
    )
    with tcp_server(scripted(*answers)) as port:
        code = """
            from switchover.locust.user.errors import BodyNotKeptError
            client = user(host=url, max_kept_body=5000).client
            good, broken, empty, large = [client.get("/") for _ in range(4)]
            try:
                large.content
            except BodyNotKeptError as error:
                refused = str(error)
            result = len(good.content), told(broken)["kind"], empty.content == b"", large.ok, refused, [
                event["response_length"] for event in events
            ]
        """
        found = client.run(code, url=f"http://127.0.0.1:{port}")
    assert found[:4] == [600, "protocol", True, True]
    assert "larger than 5000 bytes" in found[4]
    assert found[5][:2] == [len(packed), len(packed) - 3]


def test_an_answer_to_half_of_a_request_is_an_answer(client: BalancerClient) -> None:
    """A balancer refuses an upload as soon as it has seen its head, and reads no further."""

    def refuses(connection: socket.socket, over: threading.Event) -> None:
        connection.settimeout(30)
        connection.recv(1000)
        connection.sendall(page(b"too much", status="413 Too Large"))
        over.wait()

    with tcp_server(refuses) as port:
        code = "result = told(user(host=url).client.post('/', data=b'x' * 50_000_000))"
        found = client.run(code, url=f"http://127.0.0.1:{port}")
    assert (found["status"], found["text"], found["kind"]) == (413, "too much", None)
    assert 0 < found["sent_bytes"] < 50_000_000
    assert found["attempts"] == 1


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"timeout_read": 0}, "timeout_read"),
        ({"timeout_connect": None}, "timeout_connect"),
        ({"timeout_read": "5"}, "timeout_read"),
        ({"connection": "new"}, "connection"),
        ({"ca": "/no/such.pem"}, "cannot read CA certificates in /no/such.pem"),
        ({"host": None}, "You must specify the base host"),
        ({"host": "http://u:p@shop.example"}, "the URL contains credentials: set client.auth instead"),
        ({"host": "shop.example"}, "host is 'shop.example': write http://"),
        ({"default_headers": {"X": "a\r\nb"}}, "default_headers"),
    ],
)
def test_attributes_that_cannot_be_stop_the_test_with_a_line(
    client: BalancerClient, attributes: dict[str, Any], says: str
) -> None:
    code = """
        try:
            user(**{"host": "http://127.0.0.1:1", **attributes})
        except locust.exception.StopTest as error:
            result = str(error)
    """
    said = client.run(code, attributes=attributes)
    assert says in said
    assert "\n" not in said
