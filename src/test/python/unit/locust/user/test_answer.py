"""Answers as `BalancerHttpUser` reads them: the same in any pieces, from anybody, bounded."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchover.http.answer import AnswerProgress
from switchover.locust.user.answer import Answer, KnownHeads

LIMIT = 1 << 20
OK = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nContent-Length: 3\r\n\r\nabc"
CHUNKS = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\na\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n"
)
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"

COMPLETE = {
    OK: b"abc",
    INTERIM + OK: b"abc",
    CHUNKS: b"abc0123456789",
    INTERIM + CHUNKS: b"abc0123456789",
    b"HTTP/1.1 204 No Content\r\n\r\n": b"",
    b"HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n": b"",
    b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n": b"",
    b"HTTP/1.1 200 OK\nContent-Length: 2\n\nab": b"ab",
    b"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n": b"",
    b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx": b"x",
    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\n\r\n\r\n": b"\r\n\r\n",
    b"HTTP/1.1 299 Odd\r\nX-Latin: \xe9\r\nEmpty:\r\nContent-Length: 0\r\n\r\n": b"",
}
"""Whole answers and their bodies."""


def feed(
    *pieces: bytes, heads: KnownHeads | None = None, limit: int = LIMIT, is_head: bool = False
) -> tuple[Answer, AnswerProgress]:
    """The answer after all pieces, or after the first that ended it."""
    answer, progress = Answer(heads or KnownHeads(), limit, is_head), AnswerProgress.MORE
    for piece in pieces:
        progress = answer.feed(piece)
        if progress is not AnswerProgress.MORE:
            break
    return answer, progress


def in_pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted({cut % len(data) for cut in cuts} - {0}), len(data)]
    return [data[begin:end] for begin, end in pairwise(places)]


@pytest.mark.parametrize("response", COMPLETE)
@settings(max_examples=30)
@given(cuts=st.lists(st.integers(0, 10_000), max_size=8))
def test_complete_answers_are_complete_in_any_pieces_and_not_before(response: bytes, cuts: list[int]) -> None:
    heads = KnownHeads()
    whole, _ = feed(response, heads=heads)
    for known in (None, heads):
        answer, progress = feed(*in_pieces(response, cuts), heads=known)
        assert progress is AnswerProgress.DONE
        assert answer.body == COMPLETE[response]
        assert answer.content.nbytes == len(COMPLETE[response])
        assert not answer.surplus
        assert answer.head is not None
        assert whole.head is not None
        assert dict(answer.head.headers) == dict(whole.head.headers)
        assert (answer.head.status, answer.head.reason) == (whole.head.status, whole.head.reason)
    cut_off, progress = feed(*in_pieces(response[:-1], cuts))
    assert progress is AnswerProgress.MORE
    assert cut_off.end() is AnswerProgress.MORE


@given(garbage=st.lists(st.binary(min_size=1), min_size=1), is_head=st.booleans(), known=st.booleans())
def test_arbitrary_bytes_never_raise(garbage: list[bytes], is_head: bool, known: bool) -> None:
    heads = KnownHeads()
    if known:
        feed(OK, heads=heads)
    answer, progress = feed(*garbage, heads=heads, is_head=is_head)
    assert (progress is AnswerProgress.BROKEN) == bool(answer.violation)
    answer.end()


def test_the_same_head_again_is_not_parsed_again_and_reads_the_same() -> None:
    heads = KnownHeads()
    (first, _), (second, progress) = feed(OK, heads=heads), feed(OK, heads=heads)
    assert progress is AnswerProgress.DONE
    assert second.head is first.head
    assert second.body == b"abc"
    (longer, progress) = feed(OK[:-3] + b"x", b"yz", heads=heads)
    assert progress is AnswerProgress.DONE
    assert longer.head is first.head
    assert longer.body == b"xyz"


def test_a_head_that_is_known_is_not_taken_for_the_body_of_another_answer() -> None:
    outer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(OK)
    answer, progress = feed(outer, OK, heads=_knowing(OK))
    assert progress is AnswerProgress.DONE
    assert answer.body == OK


def test_a_body_above_the_limit_is_counted_and_not_kept() -> None:
    for head in (b"Content-Length: 30", b"Transfer-Encoding: chunked", b"X: y"):
        body = b"x" * 30
        if b"chunked" in head:
            body = b"a\r\n0123456789\r\n" * 3 + b"0\r\n\r\n"
        answer, progress = feed(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n", body, limit=29)
        if b"X" in head:
            progress = answer.end()
        assert progress is AnswerProgress.DONE
        assert (answer.content.kept, answer.body, answer.content.nbytes) == (False, b"", 30)


def test_headers_match_without_case_and_repeated_ones_are_joined() -> None:
    lines = (
        b"X-Backend: web1\r\nset-cookie: a=1\r\nx-backend: web2\r\nSet-Cookie: b=2; Path=/\r\nContent-Length: 0\r\n"
    )
    answer, _ = feed(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n")
    assert answer.head is not None
    headers = answer.head.headers
    assert headers["X-BACKEND"] == "web1, web2"
    assert headers.get("absent") is None
    assert "content-length" in headers
    assert headers.get_all("Set-Cookie") == ["a=1", "b=2; Path=/"]
    assert list(headers) == ["X-Backend", "set-cookie", "Content-Length"]
    assert dict(headers.items()) == {name: headers[name] for name in headers}
    assert answer.head.sets_cookies
    assert answer.head.headers is headers


def _knowing(response: bytes) -> KnownHeads:
    heads = KnownHeads()
    feed(response, heads=heads)
    return heads
