"""Answers to requests's client that end too soon, however the network cuts them to pieces."""

from collections.abc import Sequence
from typing import Any

import pytest

from support.cut_answers import Cut, read_answers

HEADERS = b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\nContent-Length: 4\r\n"
BODY = b"\r\n\r\n"
"""Looks like the end of headers."""
WHOLE = HEADERS + b"\r\n" + BODY
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nX-Backend: none\r\n\r\n"


def bare(answer: bytes) -> bytes:
    """With lines that end in newlines alone."""
    return answer.replace(b"\r\n", b"\n")


def _whole() -> list[Sequence[bytes]]:
    wholes = [WHOLE, CONTINUE + WHOLE, bare(HEADERS) + b"\n" + BODY]
    return [(whole[:cut], whole[cut:]) for whole in wholes for cut in range(len(whole))]


def _ended() -> list[Sequence[bytes]]:
    starts = [HEADERS[:end] for end in range(1, len(HEADERS) + 1)]
    return [
        *((start,) for start in starts),
        *((bare(start),) for start in starts if not start.endswith(b"\r")),
        *((start[:10], start[10:]) for start in starts),
        *((CONTINUE + start,) for start in starts),
        *((CONTINUE, start) for start in starts),
    ]


@pytest.fixture(scope="module")
def told() -> dict[str, list[dict[str, Any]]]:
    """One process reads them all."""
    groups = {
        name: [Cut(pieces) for pieces in answers] for name, answers in {"whole": _whole(), "ended": _ended()}.items()
    }
    groups["interim"] = [Cut([HINTS, WHOLE])]
    groups["unwatched"] = [Cut([b"HTTP/1.1 200 OK\r\nX-Backend: web1\r\n"], watching=False)]
    read = iter(read_answers(cut for cuts in groups.values() for cut in cuts))
    return {name: [next(read) for _ in cuts] for name, cuts in groups.items()}


def test_headers_are_whole_in_whatever_pieces_they_come(told: dict[str, list[dict[str, Any]]]) -> None:
    for one in told["whole"]:
        assert (one["kind"], one["backend"], one["body"]) == (None, "web1", BODY.decode())
        assert one["latency_us"] > 0


def test_headers_that_end_too_soon_are_truncated_wherever_they_end(told: dict[str, list[dict[str, Any]]]) -> None:
    assert {one["kind"] for one in told["ended"]} == {"truncated"}


def test_an_interim_answer_other_than_100_is_a_failure(told: dict[str, list[dict[str, Any]]]) -> None:
    assert [one["kind"] for one in told["interim"]] == ["protocol"]


def test_nobody_else_is_told(told: dict[str, list[dict[str, Any]]]) -> None:
    assert told["unwatched"] == [{"kind": None, "backend": "web1", "body": "", "latency_us": 0}]
