"""HTTP responses as they arrive, in any pieces, from anybody; and the vectors that both languages share."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.contract import named, vectors
from support.examples import examples
from switchover.http.answer import BODY_LIMIT, AnswerProgress, CountedAnswer
from switchover.http.head import CACHE_LIMIT, AnswerHead, HeadReader
from switchover.http.request import request_head
from switchover.model.errors import UsageError
from switchover.model.identity import IdentitySettings
from switchover.prober.spec import USER_AGENT, ProberSpec
from switchover.target.model import Endpoint

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Backend: web1\r\nX-Balancer: lb1\r\n\r\nabc"


def feed(*pieces: bytes, heads: HeadReader | None = None) -> tuple[CountedAnswer[AnswerHead], AnswerProgress]:
    """The answer after all pieces, or after the first that ended it."""
    answer, progress = CountedAnswer((heads or HeadReader(IdentitySettings())).read, bytearray()), AnswerProgress.MORE
    for piece in pieces:
        progress = answer.feed(piece)
        if progress is not AnswerProgress.MORE:
            break
    return answer, progress


def in_pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted({cut % len(data) for cut in cuts} - {0}), len(data)]
    return [data[begin:end] for begin, end in pairwise(places)]


COMPLETE = {
    OK: b"abc",
    b"HTTP/1.1 204 No Content\r\n\r\n": b"",
    b"HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n": b"",
    b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n": b"",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK: b"abc",
    b"HTTP/1.1 200 OK\nContent-Length: 2\n\nab": b"ab",
    b"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n": b"",
    b"HTTP/1.1 200\r\nContent-Length: 0, 0\r\n\r\n": b"",
    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\n\r\n\r\n": b"\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nTrailer: t\r\n\r\n": b"abc",
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: x, Chunked\r\nContent-Length: 1\r\n\r\n5\r\n01234\r\n0\r\n\r\n": b"01234",
    b"HTTP/1.1 200 OK\r\nX-Long: a\r\n  b\r\n\tc\r\nContent-Length: 0\r\n\r\n": b"",
}
"""Whole answers and their bodies."""


@pytest.mark.parametrize("response", COMPLETE)
@given(cuts=st.lists(st.integers(0, 10_000), max_size=8))
def test_complete_answers_are_complete_in_any_pieces_and_not_before(response: bytes, cuts: list[int]) -> None:
    pieces = in_pieces(response, cuts)
    answer, progress = feed(*pieces)
    assert progress is AnswerProgress.DONE
    assert isinstance(answer.content, bytearray) and answer.content == COMPLETE[response]
    assert answer.nbytes == len(response)
    assert not answer.surplus
    _, before = feed(response[:-1])
    assert before is AnswerProgress.MORE


@pytest.mark.parametrize(
    ("response", "violation"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "no HTTP/1.x status line"),
        (b"\r\nHTTP/1.1 200 OK\r\n\r\n", "no HTTP/1.x status line"),
        (b"\x16\x03\x01\x02", "no HTTP/1.x status line"),
        (b"HTTP/2 200\r\n\r\n", "no HTTP/1.x status line"),
        (b"HTTP/1.1 20 OK\r\n\r\n", "no HTTP/1.x status line"),
        (b"HTTP/1.1 099 OK\r\n\r\n", "no HTTP/1.x status line"),
        (b"HTTP/1.1  200 OK\r\n\r\n", "no HTTP/1.x status line"),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "without a name or a colon"),
        (b"HTTP/1.1 200 OK\r\n: nameless\r\n\r\n", "without a name or a colon"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "two different"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "not a number"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n", "not a number"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n", "not a number"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", "not a number"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (BODY_LIMIT + 1), "longer than 16 MiB"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "without a size"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", "without a size"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 16 + b"\r\n", "without a size"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", "more bytes than its size line"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 5000, "line without end"),
    ],
)
def test_what_is_no_http_answer_is_a_violation_that_says_why(response: bytes, violation: str) -> None:
    answer, progress = feed(response)
    assert progress is AnswerProgress.BROKEN
    assert violation in answer.violation


def test_interim_answers_without_end_are_given_up_at_64_kib() -> None:
    answer, progress = feed(*([b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"] * 5000))
    assert progress is AnswerProgress.BROKEN
    assert "longer than 64 KiB" in answer.violation


def test_trailers_without_end_are_given_up() -> None:
    start = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    answer, progress = feed(start, *([b"X: " + b"y" * 1000 + b"\r\n"] * 17_000))
    assert progress is AnswerProgress.BROKEN
    assert answer.violation == "a body longer than 16 MiB"


@pytest.mark.parametrize("framing", [b"", b"Transfer-Encoding: chunked\r\n"])
def test_a_body_without_end_is_given_up_at_16_mib(framing: bytes) -> None:
    start = b"HTTP/1.1 200 OK\r\n" + framing + b"\r\n"
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    answer, progress = feed(start, *([chunk] * 17))
    assert progress is AnswerProgress.BROKEN
    assert "longer than 16 MiB" in answer.violation


def test_the_end_of_the_connection_completes_only_a_body_without_a_length() -> None:
    assert feed(b"HTTP/1.0 200 OK\r\n\r\nsome")[0].end() is AnswerProgress.DONE
    assert feed(b"HTTP/1.0 200 OK\r\n\r\n")[0].end() is AnswerProgress.DONE
    for truncated in (b"HTTP/1.1 200 OK\r\nContent-Le", OK[:-1]):
        assert feed(truncated)[0].end() is AnswerProgress.MORE
    assert feed()[0].end() is AnswerProgress.MORE


def test_the_sticky_cookie_is_hashed_and_others_are_left_alone() -> None:
    heads = HeadReader(IdentitySettings(sticky_cookie="SRV"))
    cookies = b"Set-Cookie: a=b\r\nset-cookie: SRV=web1; path=/; HttpOnly\r\n"
    head = feed(b"HTTP/1.1 204 No Content\r\n" + cookies + b"\r\n", heads=heads)[0].head
    assert head is not None
    assert head.session
    assert "web1" not in head.session
    other = feed(b"HTTP/1.1 204 No Content\r\nSet-Cookie: XSRV=web1\r\n\r\n", heads=heads)[0].head
    assert other is not None
    assert other.session == ""


def test_remembered_heads_stay_few() -> None:
    heads = HeadReader(IdentitySettings())
    for number in range(1000):
        feed(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: %d\r\n\r\n" % number, heads=heads)
    assert heads.read.cache_info().currsize <= CACHE_LIMIT


PARTS = b"HTTP/1.1 |200 OK|100 |\r\n|\n|\r\n\r\n|Content-Length: |Transfer-Encoding: chunked\r\n|X-Backend: "
PARTS += b"|Set-Cookie: S=|: | |0|5|\x00|\xff|,"
http_like = st.lists(st.sampled_from(PARTS.split(b"|")) | st.binary(max_size=6), max_size=30).map(b"".join)


@settings(max_examples=examples(400))
@given(data=(st.binary(min_size=1, max_size=200) | http_like).filter(bool), cuts=st.lists(st.integers(0, 500)))
def test_no_input_raises_and_its_pieces_do_not_matter(data: bytes, cuts: list[int]) -> None:
    heads = HeadReader(IdentitySettings(sticky_cookie="S"))
    whole, progress = feed(data, heads=heads)
    parts, progress_of_parts = feed(*in_pieces(data, cuts), heads=heads)
    assert progress_of_parts is progress
    assert parts.violation == whole.violation
    assert (parts.head and parts.head.status) == (whole.head and whole.head.status)
    assert whole.end() in (AnswerProgress.MORE, AnswerProgress.DONE)


def spec_of(endpoint: Endpoint) -> ProberSpec:
    return ProberSpec(endpoint=endpoint, probes=Path("probes.jtl"), journal=Path("journal.lp"), run="r")


@pytest.mark.parametrize("case", named("http.json", "answers"))
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_an_answer_is_read_as_agreed(case: dict[str, Any], size: int) -> None:
    data = case["response"].encode("latin-1")
    answer = CountedAnswer(HeadReader(IdentitySettings(**vectors("http.json", "settings"))).read)
    progress = AnswerProgress.MORE
    for at in range(0, len(data), size):
        if progress is AnswerProgress.MORE:
            progress = answer.feed(data[at : at + size])
    assert progress.name.lower() == case["progress"]
    assert answer.violation == case["violation"]
    if progress is AnswerProgress.MORE:
        assert answer.end().name.lower() == case["at_close"]
    if size >= len(data):
        assert answer.surplus == case["surplus"]
    if case["head"] is not None:
        head = answer.head
        assert head is not None
        assert {
            "status": head.status,
            "reason": head.reason,
            "length": head.length,
            "persistent": head.persistent,
            "backend": head.identity.backend,
            "balancer": head.identity.balancer,
            "answered_by": head.identity.answered_by,
            "session": head.session,
        } == case["head"]


@pytest.mark.parametrize("case", named("http.json", "requests"))
def test_a_request_has_the_bytes_that_were_agreed(case: dict[str, Any]) -> None:
    spec = spec_of(Endpoint(url=case["url"], host_header=case["host_header"], headers=dict(case["headers"])))
    for keep, text in ((False, case["fresh"]), (True, case["kept"])):
        assert request_head(spec.endpoint, agent=USER_AGENT, keep=keep) == text.replace("AGENT", USER_AGENT).encode(
            "latin-1"
        )


@pytest.mark.parametrize("case", named("http.json", "refused"))
def test_a_url_that_cannot_be_asked_for_is_refused_in_the_same_words(case: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refusal:
        spec_of(Endpoint(url=case["url"]))
    assert str(refusal.value) == case["error"]
