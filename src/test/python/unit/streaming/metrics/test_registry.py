"""What the points of a run come to as metrics."""

import tracemalloc

from switchover.rundir.journal_tail import KEPT_SECONDS
from switchover.rundir.measurements import EVENT, HAPROXY, LIMIT, MACHINE, PROBES, VERDICT, VRRP
from switchover.rundir.points import Point, parse_point
from switchover.rundir.traffic import Traffic
from switchover.streaming.metrics.prometheus import render
from switchover.streaming.metrics.registry import Registry

SECOND_NS = 1_000_000_000
FAILED = {"outcome": "failed", "error": "refused", "stream": "fresh"}


def text_of(*points: Point) -> str:
    registry = Registry()
    for point in points:
        registry.add(point)
    return render(registry)


def value(text: str, name: str, *labels: str) -> float:
    (line,) = (
        line
        for line in text.splitlines()
        if line.partition("{")[0].partition(" ")[0] == name and all(label in line for label in labels)
    )
    return float(line.rpartition(" ")[2])


def test_a_second_that_is_written_again_counts_once() -> None:
    traffic = Traffic(PROBES, "r")
    traffic.add(1_000_000, 3_000, 10, FAILED)
    first = traffic.flush(5_000_000)
    traffic.add(1_500_000, 40_000, 20, FAILED)
    again = traffic.flush(5_000_000)
    text = text_of(*map(parse_point, [*first, *again, *again]))
    assert value(text, "switchover_probes_total", 'outcome="failed"', 'error="refused"', 'run="r"') == 2
    assert value(text, "switchover_probes_received_bytes_total") == 30
    assert value(text, "switchover_probe_duration_seconds_count") == 2
    assert value(text, "switchover_probe_duration_seconds_sum") == 0.043


def test_a_histogram_counts_up_to_each_bound() -> None:
    traffic = Traffic(PROBES, "r")
    for latency_us in (900, 4_000, 4_500, 90_000, 11_000_000):
        traffic.add(1_000_000, latency_us, 0, FAILED)
    text = text_of(*map(parse_point, traffic.flush(20_000_000)))
    bucket = "switchover_probe_duration_seconds_bucket"
    bounds = ("0.001", "0.0025", "0.005", "0.1", "10", "+Inf")
    assert [value(text, bucket, f'le="{bound}"') for bound in bounds] == [1, 1, 3, 4, 4, 5]


def test_memory_ends_with_the_seconds_that_may_be_written_again() -> None:
    registry, sizes = Registry(), []
    tracemalloc.start()
    try:
        for second in range(2 * KEPT_SECONDS + 1):
            if second % KEPT_SECONDS == 0:
                sizes.append(tracemalloc.get_traced_memory()[0])
            registry.add(Point(PROBES, {**FAILED, "label": "a" * 100}, {"count": 1, "hdr": ""}, second * SECOND_NS))
    finally:
        tracemalloc.stop()
    filling, full = sizes[1] - sizes[0], sizes[2] - sizes[1]
    assert filling < KEPT_SECONDS * 1000 and full < filling / 4


def test_of_present_values_the_latest_counts() -> None:
    held = [
        Point(VRRP, {"node": "lb1"}, {"state": "BACKUP", "holds_vip": False}, 2 * SECOND_NS),
        Point(VRRP, {"node": "lb1"}, {"state": "MASTER", "holds_vip": True}, 1 * SECOND_NS),
    ]
    for points in (held, held[::-1]):
        text = text_of(*points)
        assert value(text, "switchover_vrrp_holds_vip", 'node="lb1"') == 0
        assert value(text, "switchover_vrrp_state", 'state="BACKUP"') == 1


def test_a_state_that_was_left_is_zero() -> None:
    text = text_of(
        Point(HAPROXY, {"node": "lb1", "server": "web1"}, {"status": "UP"}, 1),
        Point(HAPROXY, {"node": "lb1", "server": "web1"}, {"status": "DOWN"}, 2),
        Point(HAPROXY, {"node": "lb1", "server": "web2"}, {"status": "UP"}, 2),
    )
    up, down = 'status="UP"', 'status="DOWN"'
    assert value(text, "switchover_haproxy_status", 'server="web1"', up) == 0
    assert value(text, "switchover_haproxy_status", 'server="web1"', down) == 1
    assert value(text, "switchover_haproxy_status", 'server="web2"', up) == 1


def test_figures_are_in_base_units() -> None:
    text = text_of(
        Point(VERDICT, {"fault": "haproxy-kill"}, {"outage_high_ms": 3412.5, "valid": True, "verdict": "PASSED"}, 1),
        Point(MACHINE, {"node": "client", "processor": "all"}, {"stolen_ms": 20.0, "running": 3}, 1),
        Point(MACHINE, {"node": "client", "processor": "all"}, {"stolen_ms": 5.0, "running": 1}, 2),
        Point(LIMIT, {"name": "outage"}, {"limit": 5000.0, "state": "kept", "unit": "ms"}, 2),
    )
    assert value(text, "switchover_verdict_outage_high_seconds") == 3.4125
    assert value(text, "switchover_verdict_valid") == 1
    assert value(text, "switchover_verdict_status", 'verdict="PASSED"') == 1
    assert value(text, "switchover_machine_stolen_seconds_total") == 0.025
    assert value(text, "switchover_machine_running") == 1
    assert value(text, "switchover_limit_state", 'state="kept"') == 1


def test_events_are_counted_and_dated() -> None:
    text = text_of(Point(EVENT, {"kind": "fault", "id": "a", "run": "r"}, {"text": "killed"}, 1_500_000_000))
    assert value(text, "switchover_events_total", 'kind="fault"') == 1
    assert value(text, "switchover_event_timestamp_seconds", 'kind="fault"') == 1.5
    assert "killed" not in text
