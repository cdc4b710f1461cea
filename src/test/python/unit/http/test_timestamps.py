import itertools
import socket
import struct
import time
from collections.abc import Iterator

import pytest

from switchover.http import timestamps
from switchover.http.timestamps import ANCILLARY_BYTES, SO_TIMESTAMPNS, PacketStamps

MILLISECOND = 1_000_000
"""Room for reading two clocks one after the other, which a busy machine may do in between."""


@pytest.fixture
def stamps() -> Iterator[PacketStamps]:
    made = PacketStamps()
    yield made
    made.close()


def stamp(wall_ns: int) -> list[tuple[int, int, bytes]]:
    return [(socket.SOL_SOCKET, SO_TIMESTAMPNS, struct.pack("@qq", *divmod(wall_ns, 1_000_000_000)))]


def test_an_answer_arrived_when_the_kernel_got_it_not_when_it_was_read(stamps: PacketStamps) -> None:
    """The kernel begins to stamp a moment after it was asked, so the first answers may be without."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        stamps.ask(client)
        peer, _ = server.accept()
        with client, peer:
            for _ in range(100):
                before = time.monotonic_ns()
                peer.sendall(b"answer")
                time.sleep(0.02)
                late = time.monotonic_ns()
                data, ancillary, _, _ = client.recvmsg(100, ANCILLARY_BYTES)
                arrived = stamps.arrived_ns(ancillary, time.monotonic_ns(), 0)
                assert data == b"answer"
                assert before - MILLISECOND <= arrived
                if arrived < late:
                    return
    raise AssertionError("no answer was stamped before it was read")


def test_a_clock_that_was_set_since_it_was_read_is_read_again(
    stamps: PacketStamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wall clock is 4,000 s ahead of ours, and set back by an hour; the answer came 5 ms before it was read."""
    read, hour = 1_000_000_000_000, 3_600_000_000_000
    monkeypatch.setattr(timestamps, "monotonic_ns", lambda: read)
    monkeypatch.setattr(timestamps, "time_ns", lambda: 5_000_000_000_000)
    stamps.arrived_ns(stamp(5_000_000_000_000), read, read - 1000)
    monkeypatch.setattr(timestamps, "time_ns", lambda: 5_000_000_000_000 - hour)
    arrived = stamps.arrived_ns(stamp(4_999_995_000_000 - hour), read, read - 10_000_000)
    assert arrived == read - 5_000_000


def test_a_reading_of_the_clocks_that_was_interrupted_moves_nothing(
    stamps: PacketStamps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """400 µs went by between the wall clock and the second reading of ours: the wall clock seems 200 µs behind."""
    wall = itertools.count(5_000_000_000, 1)
    monkeypatch.setattr(timestamps, "time_ns", lambda: next(wall))
    monkeypatch.setattr(timestamps, "monotonic_ns", itertools.repeat(1_000_000_000).__next__)
    assert stamps.arrived_ns(stamp(5_000_000_000), 1_000_000_000, 0) == 1_000_000_000
    readings = itertools.cycle((1_100_000_000, 1_100_400_000))
    monkeypatch.setattr(timestamps, "monotonic_ns", lambda: next(readings))
    wall = itertools.count(5_100_000_000, 1)
    assert abs(stamps.arrived_ns(stamp(5_099_000_000), 1_100_400_000, 0) - 1_099_000_000) < 10
