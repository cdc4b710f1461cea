"""Telemetry as both languages read it: the same answers make points of the same bytes."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.contract import named
from switchover.model.errors import TelemetryError
from switchover.model.vrrp import KeepalivedSettings
from switchover.rundir.points import FieldValue, format_point
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, Fifo, HttpPage, LogFile, UnixSocket
from switchover.telemetry import haproxy
from switchover.telemetry.access_log import AccessLogSource, parse_log_line, write_access_log
from switchover.telemetry.address_list import local_to_utc_ns, parse_address_line, show_command
from switchover.telemetry.haproxy import HaproxyReader, stats_page
from switchover.telemetry.keepalived import Notification, OwnershipLog, parse_notification
from switchover.telemetry.processes import MachineMeter, parse_machine
from switchover.telemetry.scrapers import haproxy_readings, parse_status

TIME_NS = 1_700_000_012_000_000_000


class Lines:
    """A journal that keeps its lines."""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def write(
        self, measurement: str, tags: Mapping[str, str], fields: Mapping[str, FieldValue], time_ns: int
    ) -> None:
        self.kept.append(format_point(measurement, {"run": "r", **tags}, fields, time_ns))

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None:  # noqa: A002
        self.write("switchover_event", {"kind": kind, "node": node, "id": id}, {"text": text}, time_ns)

    def take(self) -> list[str]:
        taken, self.kept = self.kept, []
        return taken


@pytest.mark.parametrize("case", named("telemetry.json", "haproxy"))
def test_an_answer_of_haproxy_makes_the_points_that_were_agreed(case: dict[str, Any]) -> None:
    answer = case["answer"].encode()
    if case["error"] is not None:
        with pytest.raises(TelemetryError) as refusal:
            haproxy.parse_answer(answer, page=case["page"])
        assert str(refusal.value).startswith(case["error"])
        return
    snapshot = haproxy.parse_answer(answer, page=case["page"])
    assert dict(snapshot.info) == case["info"]
    readings = haproxy_readings("lb1", replace(snapshot, generation="4711-1700000000"))
    assert [format_point(it.measurement, it.tags, it.fields, TIME_NS) for it in readings] == case["lines"]


@pytest.mark.parametrize("case", named("telemetry.json", "generations"))
def test_counters_begin_anew_where_it_was_agreed(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    reader = HaproxyReader(HttpPage("http://lb1/") if case["page"] else UnixSocket("/run/haproxy.sock"))
    for step in case["steps"]:
        answer = step["answer"].encode()
        monkeypatch.setattr(haproxy, "fetch", lambda *_, answer=answer, **__: answer)
        assert reader.read(step["now_s"]).generation == step["generation"]


@pytest.mark.parametrize("case", named("telemetry.json", "pages"))
def test_the_page_is_asked_for_as_csv(case: dict[str, Any]) -> None:
    assert stats_page(HttpPage(case["url"])).url == case["csv"]


@pytest.mark.parametrize("case", named("telemetry.json", "nginx"))
def test_a_page_of_nginx_makes_the_point_that_was_agreed(case: dict[str, Any]) -> None:
    if case["error"] is not None:
        with pytest.raises(TelemetryError, match=case["error"]):
            parse_status(case["page"].encode())
        return
    status = parse_status(case["page"].encode())
    assert format_point("switchover_nginx", {"node": "web1"}, status, TIME_NS) == case["line"]


@pytest.mark.parametrize("case", named("telemetry.json", "machine"))
def test_what_the_machine_took_makes_the_points_that_were_agreed(case: dict[str, Any]) -> None:
    meter = MachineMeter()
    for step in case["steps"]:
        if step["error"] is not None:
            with pytest.raises(TelemetryError, match=step["error"]):
                parse_machine(step["stat"])
            continue
        fields = meter.fields(parse_machine(step["stat"]), step["waited_ms"])
        lines = [
            format_point("switchover_machine", {"node": "client", "processor": name}, of_one, TIME_NS)
            for name, of_one in fields.items()
        ]
        assert lines == step["lines"]


@pytest.mark.parametrize("case", named("telemetry.json", "addresses"))
def test_a_line_of_ip_is_read_as_agreed(case: dict[str, Any]) -> None:
    line = parse_address_line(case["line"])
    names = ("interface", "address", "deleted", "stamp_ns")
    assert (None if line is None else {name: getattr(line, name) for name in names}) == case["found"]


@pytest.mark.parametrize("case", named("telemetry.json", "commands"))
def test_the_command_that_shows_comes_from_the_one_that_monitors(case: dict[str, Any]) -> None:
    show = show_command(Command(tuple(case["monitor"])))
    assert (None if show is None else list(show.arguments)) == case["show"]


@pytest.mark.parametrize("case", named("telemetry.json", "times"))
def test_a_local_time_becomes_utc_as_agreed(case: dict[str, Any]) -> None:
    assert local_to_utc_ns(case["stamp_ns"], case["arrived_ns"]) == case["utc_ns"]


@pytest.mark.parametrize("case", named("telemetry.json", "notifications"))
def test_a_line_of_keepalived_is_read_as_agreed(case: dict[str, Any]) -> None:
    said = parse_notification(case["line"])
    names = ("instance", "state", "priority")
    assert (None if said is None else {name: getattr(said, name) for name in names}) == case["said"]


def watched(entry: dict[str, Any]) -> Node:
    settings = KeepalivedSettings(instance=entry["instance"]) if entry["instance"] else None
    sources: dict[str, Fifo | Command] = {"kernel": Command(("ip", "monitor", "address")), "fifo": Fifo("/fifo")}
    owners = tuple(sources[one] for one in entry["sources"])
    return Node(entry["name"], "balancer", keepalived=settings, vip_owner=owners)


@pytest.mark.parametrize("case", named("telemetry.json", "ownership"))
def test_ownership_is_concluded_and_written_as_agreed(case: dict[str, Any]) -> None:
    journal = Lines()
    nodes = [watched(entry) for entry in case["nodes"]]
    ownership = OwnershipLog(journal, "198.18.0.50", nodes)  # type: ignore[arg-type]
    for step in case["steps"]:
        what, node, *rest = step["op"]
        if what == "address":
            holds, at_ns, how, changed = rest
            ownership.address(node, holds, at_ns, how, changed=changed)
        elif what == "notified":
            said, at_ns, how, changed = rest
            ownership.notified(node, Notification(*said), at_ns, how, changed=changed)
        else:
            {"unknown": ownership.unknown, "lost": ownership.lost, "silent": ownership.silent}[what](node, *rest)
        assert journal.take() == step["lines"]
        assert dict(ownership.known()) == step["known"]
        assert sorted(ownership.holders()) == step["holders"]


@pytest.mark.parametrize("case", named("telemetry.json", "log_lines"))
def test_a_line_of_an_access_log_is_read_as_agreed(case: dict[str, Any]) -> None:
    record = parse_log_line(case["line"].encode())
    found = record and [record.time_us, record.remote, record.status, record.nbytes, record.method, record.path]
    assert found == case["record"]


@pytest.mark.parametrize("case", named("telemetry.json", "access_logs"))
def test_what_a_log_grew_by_is_counted_and_kept_as_agreed(case: dict[str, Any], tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    if case["before"] is not None:
        log.write_text(case["before"], encoding="utf-8")
    source = AccessLogSource(Node("web1", "backend", access_log=LogFile(str(log))))
    source.start()
    with log.open("a", encoding="utf-8") as file:
        file.write(case["added"])
    count = source.finish()
    assert count.facts() == case["facts"]
    assert list(write_access_log(tmp_path, "web1", count)) == ["access-web1.csv"]
    assert (tmp_path / "access-web1.csv").read_text(encoding="utf-8") == case["table"]
