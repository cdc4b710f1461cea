"""Answers as `BalancerHttpUser` reads them: their heads, and bodies that are bounded."""

from switchover.http.answer import AnswerProgress
from switchover.locust.user.answer import Answer

LIMIT = 1 << 20
OK = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nContent-Length: 3\r\n\r\nabc"


def feed(*pieces: bytes, limit: int = LIMIT) -> tuple[Answer, AnswerProgress]:
    """The answer after all pieces, or after the first that ended it."""
    answer, progress = Answer(limit, False), AnswerProgress.MORE
    for piece in pieces:
        progress = answer.feed(piece)
        if progress is not AnswerProgress.MORE:
            break
    return answer, progress


def test_the_same_head_again_is_not_parsed_again_and_reads_the_same() -> None:
    (first, _), (second, progress) = feed(OK), feed(OK)
    assert progress is AnswerProgress.DONE
    assert second.head is first.head
    assert second.body == b"abc"
    (longer, progress) = feed(OK[:-3] + b"x", b"yz")
    assert progress is AnswerProgress.DONE
    assert longer.head is first.head
    assert longer.body == b"xyz"


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
    assert [name.lower() for name in headers] == ["x-backend", "set-cookie", "content-length"]
    assert dict(headers.items()) == {name: headers[name] for name in headers}
    assert answer.head.sets_cookies
    assert answer.head.headers is headers
