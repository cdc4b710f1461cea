"""The interface of `BalancerHttpUser`'s client, as users of Locust's own know it."""

import gzip
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from support.balancer_client import BalancerClient, balancer_client
from support.misbehaving import MisbehavingServer, misbehaving
from support.servers import Behaviour, tcp_server


@pytest.fixture(scope="module")
def client() -> Iterator[BalancerClient]:
    with balancer_client() as running:
        yield running


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with misbehaving() as server:
        yield server.url("site", "")


@pytest.fixture(scope="module")
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


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


def test_names_of_requests(client: BalancerClient, site: str) -> None:
    code = """
        client = user(host=url).client
        with client.rename_request("renamed"):
            client.get("/")
            client.get("/", name="given")
        client.get(url + "/whole")
        result = [event["name"] for event in events]
    """
    assert client.run(code, url=site) == ["renamed", "given", f"{site}/whole"]


def test_all_methods(client: BalancerClient, site: str) -> None:
    code = """
        client = user(host=url).client
        result = [
            getattr(client, name)("/echo", data=None if name in ("get", "options") else "body").text
            for name in ("get", "post", "put", "patch", "delete", "options", "head")
        ]
        result.append(client.request("PROPFIND", "/echo").json()["method"])
        result = [text and json.loads(text) if text != "PROPFIND" else text for text in result]
    """
    found = client.run(code, url=site)
    assert [one["method"] for one in found[:6]] == ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    assert [one["body"] for one in found[:6]] == ["", "body", "body", "body", "body", ""]
    assert found[6:] == ["", "PROPFIND"]


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
        "bad": "status: 404 Not Found",
        "marked good": None,
        "response error": "told",
        "raised for status": "status: 500 Internal Server Error",
        "defect": "'oops'",
        "left": None,
        "left bad": "worse",
    }


def test_marking_needs_a_with_block(client: BalancerClient, site: str) -> None:
    code = """
        from locust.exception import LocustError
        client = user(host=url).client
        result = 0
        for wrong in (
            lambda: client.get("/").success(),
            lambda: client.get("/").failure("x"),
            lambda: client.get("/").__enter__(),
            lambda: client.get("/", catch_response=True).failure("x"),
        ):
            try:
                wrong()
            except LocustError:
                result += 1
        assert len(events) == 3
    """
    assert client.run(code, url=site) == 4


def test_the_rest_helper_of_fast_http_user_works(client: BalancerClient, site: str) -> None:
    code = """
        shopper = user(host=url)
        with shopper.rest("POST", "/echo", json={"a": 1}) as response:
            assert json.loads(response.js["body"]) == {"a": 1}
        with shopper.rest("GET", "/") as response:
            assert response.js is None
        result = [event["exception"] for event in events]
    """
    good, bad = client.run(code, url=site)
    assert good is None
    assert bad.startswith("Could not parse response as JSON")


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
    assert [leg["url"] for leg in found["legs"]] == history == [f"{site}/redirect/{left}" for left in (3, 2, 1)]
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


def test_redirects_end(client: BalancerClient, site: str) -> None:
    code = """
        client = user(host=url, max_redirects=4).client
        result = [told(client.get(path)) for path in ("/loop", "/to?ftp://elsewhere/", "/redirect/4", "/redirect/5")]
        result.append(told(client.get("/redirect/1", allow_redirects=False)))
    """
    loop, nowhere, enough, more, alone = client.run(code, url=site)
    assert (loop["kind"], loop["status"], len(loop["legs"])) == ("protocol", 302, 4)
    assert loop["error"] == "protocol: more than 4 redirects"
    assert (nowhere["kind"], nowhere["status"], nowhere["legs"]) == ("protocol", 302, [])
    assert (enough["status"], enough["error"]) == (200, None)
    assert (more["status"], more["kind"]) == (302, "protocol")
    assert (alone["status"], alone["error"], alone["legs"]) == (302, None, [])


def test_a_redirect_that_fails_on_the_way_keeps_its_legs(client: BalancerClient, server: MisbehavingServer) -> None:
    code = "result = told(user(host=url).client.get(path))"
    found = client.run(code, url=server.url("site", ""), path=f"/to?{server.url('refused')}")
    assert (found["kind"], found["attempts"], found["status"]) == ("refused", 0, 0)
    assert [leg["status"] for leg in found["legs"]] == [302]


def test_a_redirect_whose_goal_nobody_waits_for_is_told_all_the_same(
    client: BalancerClient, server: MisbehavingServer
) -> None:
    """The server that sent us on has answered, and counted it."""
    code = """
        import urllib.request
        from switchover.locust.clients import UNREPORTED
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


def test_a_redirect_with_credentials_that_cannot_be_sent_leads_nowhere(client: BalancerClient, site: str) -> None:
    """Basic authentication has no character for them here, and the server that sent us on has answered."""
    location = site.replace("http://", "http://user:%E2%82%AC@")
    found = client.run("result = told(user(host=url).client.get(path))", url=site, path=f"/to?{location}/")
    assert (found["kind"], found["status"], found["legs"]) == ("protocol", 302, [])


def test_a_post_becomes_a_get_and_leaves_its_body_behind(client: BalancerClient) -> None:
    asked: list[bytes] = []
    moved = page(b"", "Location: /next", status="303 See Other"), page(b"", "Location: /next", status="307 Again")
    with tcp_server(scripted(moved[0], page(), moved[1], page(), asked=asked)) as port:
        code = "client = user(host=url).client; client.post('/a', json=[1]); client.post('/b', json=[2])"
        client.run(code, url=f"http://127.0.0.1:{port}")
    assert [request.split(b" HTTP")[0] for request in asked] == [b"POST /a", b"GET /next", b"POST /b", b"POST /next"]
    assert b"\r\nContent-" not in asked[1]
    assert asked[3].endswith(b"\r\n\r\n[2]")


def test_secrets_do_not_follow_a_redirect_to_another_host(client: BalancerClient) -> None:
    there: list[bytes] = []
    back: list[bytes] = []
    with tcp_server(scripted(page(), asked=there)) as other:
        elsewhere = page(b"", f"Location: http://127.0.0.1:{other}/", status="302 Found")
        with tcp_server(scripted(elsewhere, asked=back)) as port:
            code = "user(host=url).client.get('/', headers=given, auth=('user', 'pass'))"
            given = {"Accept-Language": "de", "X-Api-Key": "hush", "Cookie": "given=1"}
            client.run(code, url=f"http://127.0.0.1:{port}", given=given)
    assert b"\r\nAuthorization: Basic " in back[0]
    assert b"\r\nCookie: given=1\r\n" in back[0]
    assert b"\r\nX-Api-Key: hush\r\n" in back[0]
    assert b"\r\nAccept-Language: de\r\n" in there[0]
    assert not any(secret in there[0] for secret in (b"Authorization", b"Cookie", b"hush"))


def test_headers_of_the_user_do_not_follow_a_redirect_to_another_host(client: BalancerClient) -> None:
    there: list[bytes] = []
    with tcp_server(scripted(page(), asked=there)) as other:
        elsewhere = page(b"", f"Location: http://127.0.0.1:{other}/", status="302 Found")
        with tcp_server(scripted(elsewhere)) as port:
            code = """
                client = user(host=url, default_headers={"X-Api-Key": "hush"}).client
                client.headers["X-Token"] = "hush"
                client.get("/")
            """
            client.run(code, url=f"http://127.0.0.1:{port}")
    assert b"hush" not in there[0]


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
        client.cookiejar.clear()
        result.append(sent())
        result.append(user(host=url).client.get("/echo").json()["cookie"])
        result.append(sent(headers={"cookie": "by=hand"}))
    """
    assert client.run(code, url=site) == [
        "", "backend=web1", "backend=web1; basket=3", "backend=web1; basket=4; extra=x",
        "basket=3", "basket=3; mine=1", "", "", "by=hand",
    ]  # fmt: skip


def test_a_cookie_that_every_answer_sets_changes_when_it_does(client: BalancerClient) -> None:
    asked: list[bytes] = []
    values = ["1", "1", "2", "1", "1", "1"]
    answers = [page(b"", f"Set-Cookie: at={value}; Path=/") for value in values]
    with tcp_server(scripted(*answers, page(), page(), asked=asked)) as port:
        code = """
            client = user(host=url).client
            for _ in range(6):
                client.get("/")
            client.cookies.clear()
            client.get("/")
            client.cookies.set("at", "mine")
            client.get("/")
        """
        client.run(code, url=f"http://127.0.0.1:{port}")
    sent = [request.partition(b"Cookie: at=")[2].partition(b"\r\n")[0].decode() for request in asked]
    assert sent == ["", *values[:5], "", "mine"]


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


def test_a_cookie_that_a_redirect_sets_is_sent_on_the_way(client: BalancerClient) -> None:
    asked: list[bytes] = []
    login = page(b"", "Set-Cookie: session=42; Path=/; HttpOnly", "Location: /home", status="302 Found")
    with tcp_server(scripted(login, page(b"in"), asked=asked)) as port:
        code = "result = told(user(host=url).client.post('/login', data={'user': 'me'}))['text']"
        assert client.run(code, url=f"http://127.0.0.1:{port}") == "in"
    assert b"\r\nCookie: session=42\r\n" in asked[1]


def test_headers_and_credentials_of_the_user(client: BalancerClient) -> None:
    asked: list[bytes] = []
    with tcp_server(scripted(*[page()] * 5, asked=asked)) as port:
        code = """
            client = user(host=url.replace("//", "//user:pass@"), default_headers={"X-Class": "1"}).client
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


def test_bodies_of_answers(client: BalancerClient, site: str) -> None:
    code = """
        client = user(host=url).client
        result = [told(client.get(path))["text"] for path in ("/chunked", "/unsized", "/close", "/", "/unsized")]
        result.append(len(client.get("/big?3000000").content))
        result.append([event["response_length"] for event in events])
    """
    *texts, size, lengths = client.run(code, url=site)
    assert texts == ["hello"] * 5
    assert size == 3_000_000
    assert lengths == [5, 5, 5, 5, 5, 3_000_000]


def test_head_reads_no_body_and_keeps_the_connection(client: BalancerClient, site: str) -> None:
    code = "client = user(host=url).client; result = [told(client.head('/')), told(client.get('/'))]"
    head, get = client.run(code, url=site)
    assert (head["text"], head["headers"]["Content-Length"], head["error"]) == ("", "5", None)
    assert (get["text"], get["stream"]) == ("hello", "kept")


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


def test_a_body_that_is_too_large_to_be_kept_is_counted(client: BalancerClient, site: str) -> None:
    code = """
        from switchover.locust.user.errors import BodyNotKeptError
        response = user(host=url, max_kept_body=1000).client.get("/big?1000000")
        try:
            response.text
        except BodyNotKeptError:
            result = [response.ok, events[0]["response_length"], events[0]["exception"]]
    """
    assert client.run(code, url=site) == [True, 1_000_000, None]


def test_texts_are_read_as_their_server_says(client: BalancerClient) -> None:
    answers = (
        page("grün".encode("latin-1"), "Content-Type: text/html; charset=ISO-8859-1"),
        page("grün".encode(), "Content-Type: text/html"),
        page("grün".encode(), "Content-Type: text/html; charset=no-such"),
        page(b'{"a": "gr\xc3\xbcn"}'),
        page(b"gr\xfcn"),
    )
    with tcp_server(scripted(*answers)) as port:
        code = """
            client = user(host=url).client
            result = [client.get("/") for _ in range(5)]
            result[4].encoding = "latin-1"
            result = [response.json()["a"] if "{" in response.text else response.text for response in result]
        """
        assert client.run(code, url=f"http://127.0.0.1:{port}") == ["grün"] * 5


def test_interim_answers_are_passed_over(client: BalancerClient) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    with tcp_server(scripted(b"HTTP/1.1 100 Continue\r\n\r\n" + hints + page(b"hello"))) as port:
        found = client.run("result = told(user(host=url).client.get('/'))", url=f"http://127.0.0.1:{port}")
    assert (found["status"], found["text"], found["kind"]) == (200, "hello", None)


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


def test_timeouts_of_a_request(client: BalancerClient, server: MisbehavingServer) -> None:
    code = """
        client = user(host=url).client
        started = time.monotonic()
        result = [told(client.get("/", timeout=0.1)), told(client.get("/", timeout=(5, 0.1)))]
        assert time.monotonic() - started < 20
    """
    for found in client.run(code, url=server.url("read_timeout", "")):
        assert found["kind"] == "read_timeout"


@pytest.mark.parametrize(
    ("attributes", "says"),
    [
        ({"timeout_read": 0}, "timeout_read is 0"),
        ({"timeout_connect": None}, "timeout_connect is None"),
        ({"timeout_read": "5"}, "timeout_read is '5'"),
        ({"connection": "new"}, "connection is 'new': write 'kept' or 'fresh'"),
        ({"max_redirects": -1}, "max_redirects is -1"),
        ({"ca": "/no/such.pem"}, "there is no file '/no/such.pem'"),
        ({"source_addresses": "127.0.0.2"}, "write a list of IP addresses"),
        ({"source_addresses": ["localhost"]}, "'localhost' does not appear to be an IPv4 or IPv6 address"),
        ({"host": None}, "You must specify the base host"),
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


@pytest.mark.parametrize("options", ["timeout=0", "timeout=(1, None)", "data=1.5", "headers={'X': 'a\\r\\nb'}"])
def test_a_request_that_cannot_be_is_the_tests_own_mistake_and_no_sample(
    client: BalancerClient, site: str, options: str
) -> None:
    code = f"""
        from switchover.model.errors import UsageError
        try:
            user(host=url).client.post("/", {options})
        except (TypeError, ValueError, UsageError) as error:
            result = [type(error).__name__, len(events)]
    """
    assert client.run(code, url=site)[1] == 0


def test_a_run_writes_down_the_timeouts(client: BalancerClient) -> None:
    code = """
        from switchover.locust.clients import client_facts, timeout_warnings
        shopper = type(user(host="http://127.0.0.1:1", timeout_read=2.5))
        result = client_facts([shopper]), timeout_warnings([shopper], [])
    """
    facts, warnings = client.run(code)
    assert facts == {"Shopper": {"client": "switchover", "timeout_connect_s": 5.0, "timeout_read_s": 2.5}}
    assert warnings == []
