"""A process in which requests's client, as Locust has it, receives answers in given pieces; it tells what it read.

    python -m support.cut_answers < ORDER

Locust patches the process that it is imported in, so tests run this one; `read_answers` does it for them. The order
is JSON: of each answer its `pieces` in Latin-1, and whether anybody is `watching`. So is the result: `body`,
`backend`, the `kind` of the failure, and `latency_us`.
"""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Cut:
    """An answer, as it comes."""

    pieces: Sequence[bytes]
    watching: bool = True


def read_answers(answers: Iterable[Cut]) -> Any:
    """What a process of its own reads, in the same order."""
    here = Path(__file__).parents[1]
    order = [{**asdict(cut), "pieces": [piece.decode("latin-1") for piece in cut.pieces if piece]} for cut in answers]
    done = subprocess.run(
        [sys.executable, "-m", "support.cut_answers"],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        cwd=here,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join([str(here), *filter(None, sys.path)])),
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Pieces(io.RawIOBase):
    """What a socket receives, then its end."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces: Iterator[bytes] = iter(pieces)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = next(self._pieces, b"")
        buffer[: len(piece)] = piece
        return len(piece)


class Socket:
    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    def makefile(self, mode: str) -> Any:
        return io.BufferedReader(Pieces(self._pieces))

    def sendall(self, data: bytes) -> None:
        pass

    def settimeout(self, seconds: float | None) -> None:
        pass

    def close(self) -> None:
        pass


def main() -> None:
    import locust  # noqa: F401 - patches sockets, before anything else takes them
    from gevent import getcurrent
    from urllib3.connection import HTTPConnection

    import switchover.locust  # noqa: F401 - watches connections
    from switchover.locust.clients.http_user import EXCHANGE, HttpExchange
    from switchover.locust.recording.failures import kind_in_phase

    told = []
    for cut in json.load(sys.stdin):
        exchange = HttpExchange(start_us=0, end_us=0)
        setattr(getcurrent(), EXCHANGE, exchange if cut["watching"] else None)
        connection: Any = HTTPConnection("lab")
        connection.sock = Socket([piece.encode("latin-1") for piece in cut["pieces"]])
        one: dict[str, Any] = {"kind": None}
        try:
            connection.request("GET", "/")
            answer = connection.getresponse()
            one |= {"backend": answer.headers["X-Backend"], "body": answer.data.decode("latin-1")}
        except HTTPException as error:
            one["kind"] = kind_in_phase(error, connecting=False)
        told.append({**one, "latency_us": exchange.latency_us})
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
