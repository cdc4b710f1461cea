"""Who holds the address: what the FIFO says, what the kernel shows, and how both come into the journal."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.journals import read_journal
from support.waiting import wait_for
from switchover.model.clock import Clock
from switchover.model.errors import TelemetryError
from switchover.model.vrrp import KeepalivedSettings
from switchover.process.stream import Mark, SourceLine
from switchover.rundir.journal import Journal
from switchover.rundir.points import Point
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, Fifo
from switchover.telemetry import ownership as ownership_module
from switchover.telemetry.address_list import ask_interfaces, holds_address
from switchover.telemetry.keepalived import OwnershipLog
from switchover.telemetry.ownership import AddressSource, FifoReader, FifoSource

FOREVER_S = 30.0
VIP = "198.18.0.50"
CLOCK = Clock.of_process()
FIFO, MONITOR = Fifo("/run/notify.fifo"), Command(("ip", "monitor", "address"))


def balancer(*vip_owner: Fifo | Command, name: str = "lb1", instance: str | None = None) -> Node:
    keepalived = None if instance is None else KeepalivedSettings(instance=instance)
    return Node(name, "balancer", vip_owner=vip_owner, keepalived=keepalived)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = Journal(tmp_path / "journal.lp", {"run": "r"})
    yield journal
    journal.close()


def points(journal: Journal, measurement: str = "switchover_vrrp") -> list[Point]:
    return [point for point in read_journal([journal.path]) if point.measurement == measurement]


def vrrp_texts(journal: Journal) -> list[str]:
    events = points(journal, "switchover_event")
    return [str(event.fields["text"]) for event in events if event.tags["kind"] == "vrrp"]


def warnings(journal: Journal) -> list[str]:
    events = points(journal, "switchover_event")
    return [str(event.fields["text"]) for event in events if event.tags["kind"] == "warning"]


class Writer:
    """Holds a FIFO open as Keepalived does, for reading too, so that what it writes stays."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def say(self, *lines: str) -> None:
        os.write(self._descriptor, "".join(f"{line}\n" for line in lines).encode())

    def die(self) -> None:
        os.close(self._descriptor)

    def stop(self) -> None:
        self._path.unlink()
        self.die()


def gather(reader: FifoReader, enough: Callable[[list[SourceLine | Mark]], bool]) -> list[SourceLine | Mark]:
    found: list[SourceLine | Mark] = []

    def more() -> bool:
        found.extend(reader.poll(0.05))
        return enough(found)

    wait_for(more)
    return found


def told(items: list[SourceLine | Mark]) -> list[str]:
    return [item.text if isinstance(item, SourceLine) else ("opened" if item.is_open else "closed") for item in items]


def test_fifo_that_was_replaced_is_opened_anew(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    first = Writer(path)
    reader = FifoReader(Fifo(str(path)), CLOCK)
    gather(reader, lambda found: told(found) == ["opened"])
    path.unlink()
    second = Writer(path)
    second.say("new")
    assert told(gather(reader, lambda found: len(found) == 3)) == ["closed", "opened", "new"]
    for each in (first, second):
        each.die()
    reader.close()


@contextmanager
def running(source: AddressSource | FifoSource) -> Iterator[None]:
    stop = threading.Event()
    thread = threading.Thread(target=source.run, args=(stop,))
    thread.start()
    try:
        assert source.ready.wait(FOREVER_S)
        yield
    finally:
        stop.set()
        thread.join()


def fifo_source(path: Path, ownership: OwnershipLog) -> FifoSource:
    return FifoSource(balancer(), Fifo(str(path)), ownership, CLOCK)


def test_what_waits_in_the_fifo_is_the_initial_state_and_no_change(tmp_path: Path, journal: Journal) -> None:
    writer, ownership = Writer(tmp_path / "fifo"), OwnershipLog(journal, VIP, [balancer(FIFO)])
    writer.say('GROUP "G" BACKUP 0', 'INSTANCE "VI_1" BACKUP 101', 'INSTANCE "VI_1" MASTER 101')
    with running(fifo_source(tmp_path / "fifo", ownership)):
        assert ownership.holders() == {"lb1"}
        assert [point.fields["state"] for point in points(journal)] == ["MASTER"]
        assert vrrp_texts(journal) == []
        writer.say('INSTANCE "VI_1" STOP 101')
        wait_for(lambda: ownership.holders() == frozenset())
        writer.stop()
    assert vrrp_texts(journal) == ["lb1: VI_1 STOP, priority 101 (notify FIFO, on arrival)"]
    assert warnings(journal) == []


def test_states_that_come_in_one_piece_keep_their_order(tmp_path: Path, journal: Journal) -> None:
    writer, ownership = Writer(tmp_path / "fifo"), OwnershipLog(journal, VIP, [balancer(FIFO)])
    with running(fifo_source(tmp_path / "fifo", ownership)):
        assert points(journal)[0].fields == {"state": ""}
        writer.say('INSTANCE "VI_1" BACKUP 101', 'INSTANCE "VI_1" FAULT 101', 'INSTANCE "VI_1" BACKUP 101')
        wait_for(lambda: len(vrrp_texts(journal)) == 3)
        writer.die()
        wait_for(lambda: len(vrrp_texts(journal)) == 4)
    assert [point.fields["state"] for point in points(journal)] == ["", "BACKUP", "FAULT", "BACKUP", ""]


def test_missing_fifo_is_one_warning_and_its_coming_another(tmp_path: Path, journal: Journal) -> None:
    ownership = OwnershipLog(journal, VIP, [balancer(FIFO)])
    with running(fifo_source(tmp_path / "fifo", ownership)):
        assert ownership.known() == {"lb1": None}
        writer = Writer(tmp_path / "fifo")
        wait_for(lambda: len(warnings(journal)) == 2)
        writer.die()
    assert "No such file" in warnings(journal)[0]
    assert warnings(journal)[1] == "lb1: vip_owner can be read again"


class FakeIp:
    """An `ip` in a directory of its own: shows what a file says, and monitors by following another."""

    def __init__(self, directory: Path) -> None:
        self._shown, self._monitored = directory / "shown", directory / "monitored"
        self._shown.write_text("1: lo    inet 127.0.0.1/8 scope host lo\n")
        self._monitored.write_text("")
        program = directory / "ip"
        program.write_text(
            "#!/bin/sh\n"
            f'case "$*" in *show*) exec cat {self._shown};; *) exec tail -n +1 -f {self._monitored};; esac\n'
        )
        program.chmod(0o755)
        self.monitor = Command((str(program), "-ts", "monitor", "address"))

    def show(self, *addresses: str) -> None:
        lines = ["1: lo    inet 127.0.0.1/8 scope host lo"]
        lines += [f"2: eth0    inet {address}/24 scope global eth0" for address in addresses]
        self._shown.write_text("\n".join(lines) + "\n")

    def say(self, *lines: str) -> None:
        with self._monitored.open("a") as file:
            file.writelines(f"{line}\n       valid_lft forever preferred_lft forever\n" for line in lines)


def address_source(command: Command, ownership: OwnershipLog) -> AddressSource:
    node = Node("lb1", "balancer", shared_clock=True)
    return AddressSource(node, command, ownership, CLOCK)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """For whoever is asked; and there is no second look in between."""
    monkeypatch.setattr(
        ownership_module, "ask_interfaces", lambda monitor, vip, *_: ask_interfaces(monitor, vip, FOREVER_S)
    )
    monkeypatch.setattr(ownership_module, "RECHECK_S", 3600.0)


def stamp(at: float) -> str:
    return time.strftime("[%Y-%m-%dT%H:%M:%S", time.localtime(at)) + f".{round(at % 1 * 1e6):06}]"


def test_only_the_virtual_address_counts_and_its_stamp_tells_when(tmp_path: Path, journal: Journal) -> None:
    ip, ownership = FakeIp(tmp_path), OwnershipLog(journal, VIP, [balancer(MONITOR)])
    with running(address_source(ip.monitor, ownership)):
        assert ownership.known() == {"lb1": False}
        happened = time.time()
        wait_for(lambda: time.time() > happened + 0.2)
        ip.say(
            f"{stamp(happened)} 2: eth0    inet 198.18.0.51/24 scope global eth0",
            f"{stamp(happened)} 2: eth0    inet {VIP}/24 scope global secondary eth0",
        )
        ip.show(VIP)
        wait_for(lambda: ownership.holders() == {"lb1"})
        ip.show()
        ip.say(f"{stamp(time.time())} Deleted 2: eth0    inet {VIP}/24 scope global secondary eth0")
        wait_for(lambda: ownership.holders() == frozenset())
    initial, came, _ = points(journal)
    assert initial.fields == {"state": "", "holds_vip": False}
    assert abs(came.time_ns - CLOCK.from_wall_ns(round(happened * 1e9))) < 50_000_000
    assert vrrp_texts(journal) == [
        f"lb1 holds {VIP} (ip monitor)",
        f"lb1 no longer holds {VIP} (ip monitor)",
    ]


def test_change_before_the_monitor_listens_is_found_by_the_second_look(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ownership_module, "RECHECK_S", 1.0)
    ip, ownership = FakeIp(tmp_path), OwnershipLog(journal, VIP, [balancer(MONITOR)])
    with running(address_source(ip.monitor, ownership)):
        ip.show(VIP)
        wait_for(lambda: ownership.holders() == {"lb1"})
    assert vrrp_texts(journal) == [f"lb1 holds {VIP} (ip address show, found later)"]


def test_source_that_ends_knows_nothing_until_it_is_back(tmp_path: Path, journal: Journal) -> None:
    ip, ownership = FakeIp(tmp_path), OwnershipLog(journal, VIP, [balancer(MONITOR)])
    ip.show(VIP)
    dies_once = tmp_path / "dies-once" / "ip"
    dies_once.parent.mkdir()
    dies_once.write_text(
        f'#!/bin/sh\ncase "$*" in *show*) exec {tmp_path}/ip "$@";; esac\n'
        f'if mkdir {tmp_path}/died 2>/dev/null; then echo lost >&2; exit 255; fi; exec {tmp_path}/ip "$@"\n'
    )
    dies_once.chmod(0o755)
    monitor = Command((str(dies_once), "-ts", "monitor", "address"))
    with running(address_source(monitor, ownership)):
        wait_for(lambda: len(warnings(journal)) == 2)
        wait_for(lambda: ownership.holders() == {"lb1"})
    assert "ended: lost" in warnings(journal)[0]
    assert [point.fields.get("holds_vip") for point in points(journal)] == [True, None, True]


def test_of_a_node_that_is_not_reached_nothing_is_known_since_its_last_sign_of_life(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its monitor stays open and silent, as an ssh does whose way was cut."""
    monkeypatch.setattr(ownership_module, "ALIVE_S", 0.02)
    monkeypatch.setattr(ownership_module, "POLL_S", 0.01)
    ip, ownership = FakeIp(tmp_path), OwnershipLog(journal, VIP, [balancer(MONITOR)])
    node = Node("lb1", "balancer", clock=Command(("date", "+%s.%N")))
    ip.show(VIP)
    with running(AddressSource(node, ip.monitor, ownership, CLOCK)):
        assert ownership.holders() == {"lb1"}
        (tmp_path / "shown").unlink()
        cut_s = time.time()
        wait_for(lambda: ownership.known() == {"lb1": None})
        ip.show()
        wait_for(lambda: ownership.known() == {"lb1": False})
        ip.say(f"{stamp(cut_s)} Deleted 2: eth0    inet {VIP}/24 scope global eth0")
        wait_for(lambda: len(points(journal)) == 4)
    there, unknown, late, found = points(journal)
    assert [point.fields.get("holds_vip") for point in (there, unknown, late, found)] == [True, None, False, False]
    assert there.time_ns < unknown.time_ns <= late.time_ns < found.time_ns
    assert abs(late.time_ns - CLOCK.from_wall_ns(round(cut_s * 1e9))) < 50_000_000
    assert [text.partition(":")[0] for text in warnings(journal)] == ["lb1", "lb1"]


HOLDS, HOLDS_NOT, DEAF = frozenset({"eth0"}), frozenset[str](), None


class Answers:
    """What a node on another machine answers, question by question; the last answer again and again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: frozenset[str] | None) -> None:
        self.asked = 0
        self.before: dict[int, Callable[[], object]] = {}
        """By number what happens between a question and its answer; the first is 1."""
        self._answers = answers
        monkeypatch.setattr(ownership_module, "ask_interfaces", self._answer)
        monkeypatch.setattr(ownership_module, "ALIVE_S", 0.02)
        monkeypatch.setattr(ownership_module, "POLL_S", 0.01)

    def _answer(self, *_: object) -> frozenset[str]:
        self.asked += 1
        number = self.asked
        self.before.get(number, lambda: None)()
        answer = self._answers[min(number, len(self._answers)) - 1]
        if answer is None:
            raise TelemetryError("no answer")
        return answer

    def wait_for_more(self) -> None:
        """Until all of its answers are taken, and two more."""
        wait_for(lambda: self.asked > len(self._answers) + 2)


def far_source(command: Command, ownership: OwnershipLog) -> AddressSource:
    return AddressSource(Node("lb1", "balancer"), command, ownership, CLOCK)


def found(journal: Journal) -> list[object]:
    return [point.fields.get("holds_vip") for point in points(journal)]


@pytest.mark.parametrize(
    ("answers", "line_comes", "known"),
    [
        ([HOLDS, HOLDS_NOT, HOLDS_NOT], False, [True, None, False]),
        ([HOLDS, DEAF, HOLDS_NOT, HOLDS_NOT], False, [True, None, False]),
        ([HOLDS, HOLDS_NOT, DEAF, HOLDS_NOT], False, [True, None, False]),
        ([HOLDS, HOLDS_NOT, HOLDS], False, [True]),
        ([HOLDS, HOLDS_NOT, HOLDS_NOT], True, [True, False]),
    ],
)
def test_an_answer_that_no_line_told_of_is_taken_when_the_next_agrees_and_nothing_is_known_before(
    answers: list[frozenset[str] | None],
    line_comes: bool,
    known: list[bool | None],
    tmp_path: Path,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ip, ownership, node = (
        FakeIp(tmp_path),
        OwnershipLog(journal, VIP, [balancer(MONITOR)]),
        Answers(monkeypatch, *answers),
    )
    asked_ns: list[int] = []
    node.before[answers.index(HOLDS_NOT) + 1] = lambda: asked_ns.append(CLOCK.now_ns())

    def line_arrives() -> None:
        ip.say(f"Deleted 2: eth0    inet {VIP}/24 scope global eth0")
        wait_for(lambda: ownership.known() == {"lb1": False})

    if line_comes:
        node.before[len(answers)] = line_arrives
    with running(far_source(ip.monitor, ownership)):
        node.wait_for_more()
    assert found(journal) == known
    if None in known:
        first, unknown, after = points(journal)
        assert unknown.time_ns == first.time_ns + 1
        assert unknown.time_ns < asked_ns[0] < after.time_ns


def test_a_question_of_before_the_monitor_was_lost_is_not_taken_after_it_is_back(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Answers(monkeypatch, HOLDS, HOLDS, HOLDS_NOT)
    ownership, ends = OwnershipLog(journal, VIP, [balancer(MONITOR)]), tmp_path / "ends"
    program = tmp_path / "ip"
    program.write_text(f"#!/bin/sh\nuntil rm {ends} 2>/dev/null; do sleep 0.02; done\n")
    program.chmod(0o755)

    def monitor_is_lost_and_back() -> None:
        ends.touch()
        wait_for(lambda: ownership.known() == {"lb1": False})

    node.before[2] = monitor_is_lost_and_back
    with running(far_source(Command((str(program), "monitor", "address")), ownership)):
        node.wait_for_more()
    assert found(journal) == [True, None, False]


def test_a_node_is_not_asked_before_the_name_of_the_target_has_an_address(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []

    def find_addresses(host: str, _: float) -> tuple[str, ...]:
        looked_up.append(host)
        if len(looked_up) < 3:
            raise OSError("no name server")
        return (VIP,)

    monkeypatch.setattr(ownership_module, "find_addresses", find_addresses)
    monkeypatch.setattr(ownership_module, "ALIVE_S", 0.02)
    monkeypatch.setattr(ownership_module, "RECHECK_S", 0.05)
    ip, ownership = FakeIp(tmp_path), OwnershipLog(journal, "shop.example", [balancer(MONITOR)])
    ip.show(VIP)
    with running(far_source(ip.monitor, ownership)):
        wait_for(lambda: ownership.holders() == {"lb1"})
    assert found(journal) == [None, True]
    assert warnings(journal) == ["lb1: cannot read vip_owner: no name server", "lb1: vip_owner can be read again"]


def test_own_command_starts_unknown_and_learns_from_its_lines(tmp_path: Path, journal: Journal) -> None:
    ip, ownership = FakeIp(tmp_path), OwnershipLog(journal, VIP, [balancer(MONITOR)])
    follow = Command(("tail", "-n", "+1", "-f", str(tmp_path / "monitored")))
    with running(address_source(follow, ownership)):
        assert ownership.known() == {"lb1": None}
        ip.say(f"2: eth0    inet {VIP}/24 scope global eth0")
        wait_for(lambda: ownership.holders() == {"lb1"})
    assert vrrp_texts(journal) == [f"lb1 holds {VIP} (ip monitor, on arrival)"]


def test_one_question_tells_the_holder_where_it_can(tmp_path: Path) -> None:
    ip = FakeIp(tmp_path)
    node = Node("lb1", "balancer", vip_owner=(Fifo(str(tmp_path / "fifo")), ip.monitor))
    assert holds_address(node, frozenset({VIP})) is False
    ip.show(VIP)
    assert holds_address(node, frozenset({VIP})) is True
    (tmp_path / "shown").write_text("ssh: banner\n")
    assert holds_address(node, frozenset({VIP})) is None
    assert holds_address(Node("lb1", "balancer"), frozenset({VIP})) is None
