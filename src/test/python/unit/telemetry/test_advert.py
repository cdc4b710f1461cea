"""VRRP adverts: who advertises the target's address."""

import ipaddress
import socket
import struct
import threading
import time
from pathlib import Path
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from support.journals import read_journal
from switchover.http.timestamps import SO_TIMESTAMPNS, PacketStamps
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal
from switchover.target.model import Node
from switchover.telemetry.advert import Advert, AdvertSource, parse_advert

SECOND_NS = 1_000_000_000
VIP = "198.18.0.50"
LB1, LB2 = Node("lb1", "balancer", host="198.18.0.11"), Node("lb2", "balancer", host="198.18.0.12")


def packet(sender: str, priority: int = 100, vip: str = VIP, version: int = 2, vrid: int = 51) -> bytes:
    body = bytes([version << 4 | 1, vrid, priority, 1, 0, 1, 0, 0]) + ipaddress.IPv4Address(vip).packed
    head = bytes([0x45, 0xC0, 0, 20 + len(body), 0, 1, 0, 0, 255, 112, 0, 0])
    return head + ipaddress.IPv4Address(sender).packed + ipaddress.IPv4Address("224.0.0.18").packed + body


def written(tmp_path: Path, *heard: tuple[bytes, int]) -> list[tuple[str, int, int]]:
    journal = Journal(tmp_path / "journal.lp", {})
    source = AdvertSource([LB1, LB2], VIP, journal, Clock(0))
    source.look_up()
    for one, at_ns in heard:
        source.receive(one, at_ns)
    return [(p.tags["node"], int(p.fields["priority"]), p.time_ns) for p in read_journal([tmp_path / "journal.lp"])]


def test_both_versions_are_read() -> None:
    for version in (2, 3):
        advert = parse_advert(packet("198.18.0.11", 150, version=version))
        assert advert == Advert("198.18.0.11", 51, 150, frozenset({VIP}))


def test_another_master_is_written_at_the_moment_of_its_first_advert(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        (packet("198.18.0.11"), 10 * SECOND_NS),
        (packet("198.18.0.12"), 10 * SECOND_NS + 7),
    )
    assert found == [("lb1", 100, 10 * SECOND_NS), ("lb2", 100, 10 * SECOND_NS + 7)]


def test_a_resignation_is_news(tmp_path: Path) -> None:
    found = written(tmp_path, (packet("198.18.0.11"), SECOND_NS), (packet("198.18.0.11", 0), SECOND_NS + 5))
    assert [priority for _, priority, _ in found] == [100, 0]


def test_the_same_advert_is_written_once_a_second(tmp_path: Path) -> None:
    heard = [(packet("198.18.0.11"), 10 * SECOND_NS + number * SECOND_NS // 10) for number in range(21)]
    assert len(written(tmp_path, *heard)) == 3


def test_adverts_for_other_addresses_and_of_strangers_are_passed_over(tmp_path: Path) -> None:
    assert not written(tmp_path, (packet("198.18.0.11", vip="198.18.0.51"), 1), (packet("198.18.0.99"), 2))


class Socket:
    """Has nothing for a while, then two packets; each with the stamp of a clock that was set back by an hour."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._packets = [packet("198.18.0.12"), packet("198.18.0.11")]
        self._has_waited = False

    def recvmsg(self, _size: int, _ancillary: int) -> tuple[bytes, list[tuple[int, int, bytes]], int, None]:
        if not self._has_waited:
            self._has_waited = True
            raise TimeoutError
        came = self._packets.pop()
        if not self._packets:
            self._stop.set()
        wall_ns = time.time_ns() - 3600 * SECOND_NS
        stamp = struct.pack("@qq", *divmod(wall_ns, SECOND_NS))
        return came, [(socket.SOL_SOCKET, SO_TIMESTAMPNS, stamp)], 0, None


def test_clock_that_is_set_back_carries_no_advert_before_those_ahead_of_it(tmp_path: Path) -> None:
    clock, stop = Clock.of_process(), threading.Event()
    began_ns = clock.now_ns()
    source = AdvertSource([LB1, LB2], VIP, Journal(tmp_path / "journal.lp", {}), clock)
    source.look_up()
    stamps = PacketStamps()
    source._follow(cast(socket.socket, Socket(stop)), stamps, stop)
    stamps.close()
    times = [point.time_ns for point in read_journal([tmp_path / "journal.lp"])]
    assert len(times) == 2
    assert began_ns <= times[0] <= times[1] <= clock.now_ns()


@given(st.binary(max_size=80))
def test_other_packets_are_none(data: bytes) -> None:
    for one in (data, packet("198.18.0.11")[: len(data)], packet("198.18.0.11")[:21] + data):
        parse_advert(one)
    assert parse_advert(packet("198.18.0.11")[:-1]) is None
