"""The prober as a process: its schedule, its files, its end; whatever happens to it or to its parent."""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.journals import read_journal
from support.prober import PATIENCE_S, spec_of
from support.remains import lives
from support.sample_rows import read_samples
from support.servers import Behaviour, answers_page, stays_silent, tcp_server
from support.waiting import wait_for
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.model.failure_kind import FailureKind
from switchover.prober import Prober, ProberSpec
from switchover.rundir.sample_log import Sample

PAGE = answers_page(b"hello")


def wait_for_probes(prober: Prober, count: int) -> None:
    def enough() -> bool:
        progress = prober.progress()
        return prober.died is not None or (progress is not None and progress.good + progress.failed >= count)

    wait_for(enough)
    assert prober.died is None


@contextlib.contextmanager
def probing(behave: Behaviour, folder: Path, **options: Any) -> Iterator[tuple[ProberSpec, Prober]]:
    """A server that behaves so, and a prober that asks it."""
    with tcp_server(behave) as port:
        spec = spec_of(f"http://127.0.0.1:{port}/", folder, **options)
        with Prober(spec) as prober:
            yield spec, prober


def rows_of(spec: ProberSpec, stream: str = "fresh") -> list[Sample]:
    return [sample for sample in read_samples(spec.probes) if sample.stream == stream]


@contextlib.contextmanager
def stopped(pid: int) -> Iterator[None]:
    """SIGSTOP, and SIGCONT at the end."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def check_account(account: dict[str, Any], rows: list[Sample]) -> None:
    assert account["scheduled"] == account["recorded"] + account["unsent"]
    assert account["recorded"] == len(rows)
    due = {row.intended_us for row in rows}
    assert len(due) == len(rows), "a slot was sent twice"
    first_us, rate = account["first_due_us"], int(account["rate"])
    grid = {first_us + index * 1_000_000 // rate for index in range(account["scheduled"])}
    assert due <= grid
    assert len(grid - due) == account["unsent"]


@pytest.mark.parametrize("rate", [30, 200])
def test_every_probe_of_both_streams_is_due_on_the_grid_and_recorded(rate: int, tmp_path: Path) -> None:
    with tcp_server(PAGE) as port:
        start_us = Clock.of_process().now_us()
        spec = spec_of(f"http://127.0.0.1:{port}/", tmp_path, rate=rate, kept_rate=20)
        with Prober(spec) as prober:
            wait_for_probes(prober, rate)
            account = prober.stop()
        assert prober.stop() == account
    assert start_us < account["first_due_us"] < start_us + PATIENCE_S * 1_000_000
    assert (account["lost"], account["warning"]) == (0, None)
    check_account(account, rows_of(spec))
    check_account(account["kept"], rows_of(spec, "kept"))
    for row in rows_of(spec):
        assert row.intended_us is not None
        assert row.intended_us <= row.start_us <= row.end_us
        assert (row.success, row.code, row.error, row.attempts) == (True, "200", None, 1)


def test_the_points_count_what_the_sample_log_holds(tmp_path: Path) -> None:
    with probing(PAGE, tmp_path, rate=100) as (spec, prober):
        wait_for_probes(prober, 150)
        account = prober.stop()
    points = list(read_journal([spec.journal]))
    assert {point.measurement for point in points} == {"switchover_probes"}
    assert all(point.tags["run"] == "test" for point in points)
    assert sum(int(point.fields["count"]) for point in points) == account["recorded"]
    good = [point for point in points if point.tags["outcome"] == "good"]
    assert sum(int(point.fields["count"]) for point in good) == sum(row.success for row in rows_of(spec))


def test_an_answer_after_the_threshold_is_late_and_not_failed(tmp_path: Path) -> None:
    def slow(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        over.wait(0.1)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with probing(slow, tmp_path, rate=20, late_s=0.05) as (spec, prober):
        wait_for(lambda: (progress := prober.progress()) is not None and progress.late > 0)
        progress = prober.progress()
        prober.stop()
    assert progress is not None
    assert (progress.good, progress.failed, progress.last_good_us) == (0, 0, None)
    assert {point.tags["outcome"] for point in read_journal([spec.journal])} == {"late"}
    assert all(row.success for row in rows_of(spec))


def test_a_refused_connection_is_recorded_and_the_schedule_goes_on(tmp_path: Path) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        spec = spec_of(f"http://127.0.0.1:{bound.getsockname()[1]}/", tmp_path, rate=100)
        with Prober(spec) as prober:
            wait_for_probes(prober, 50)
            progress = prober.progress()
            account = prober.stop()
    assert progress is not None
    assert (progress.good, progress.last_error) == (0, "refused")
    assert {row.error for row in rows_of(spec)} == {FailureKind.REFUSED}
    check_account(account, rows_of(spec))


def test_a_stopped_process_gives_up_old_slots_and_accounts_for_them(tmp_path: Path) -> None:
    with probing(PAGE, tmp_path, rate=100, kept_rate=10) as (spec, prober):
        wait_for_probes(prober, 50)
        with stopped(prober.pid):
            time.sleep(1.8)
        since = prober.progress()
        assert since is not None
        wait_for_probes(prober, since.good + since.failed + 60)
        account = prober.stop()
    rows = rows_of(spec)
    check_account(account, rows)
    check_account(account["kept"], rows_of(spec, "kept"))
    assert account["unsent"] >= 60
    assert account["lag_max_ms"] >= 900
    assert not [row for row in rows if row.error is not None], "the balancer is not to blame"


def test_probes_under_way_at_the_end_are_waited_for(tmp_path: Path) -> None:
    with probing(stays_silent, tmp_path, rate=50, timeout_read_s=0.4) as (spec, prober):
        wait_for(lambda: (progress := prober.progress()) is not None and progress.open > 0)
        account = prober.stop()
    rows = rows_of(spec)
    check_account(account, rows)
    assert {row.error for row in rows} == {FailureKind.READ_TIMEOUT}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order_and_the_parent_notices(number: signal.Signals, tmp_path: Path) -> None:
    with probing(PAGE, tmp_path, rate=100) as (spec, prober):
        wait_for_probes(prober, 20)
        os.kill(prober.pid, number)
        wait_for(lambda: prober.died is not None)
        assert prober.died == "the prober ended with code 0"
        account = prober.stop()
    check_account(account, rows_of(spec))


def test_what_was_recorded_outlives_a_kill(tmp_path: Path) -> None:
    with probing(PAGE, tmp_path, rate=100) as (spec, prober):
        wait_for_probes(prober, 100)
        seen = prober.progress()
        os.kill(prober.pid, signal.SIGKILL)
        wait_for(lambda: prober.died is not None)
        assert prober.died == "the prober was killed by signal 9"
        account = prober.stop()
    assert seen is not None
    assert account["recorded"] == seen.good
    assert "killed by signal 9" in account["warning"]
    assert account.get("unsent") is None
    # What a status line counts had been written before it.
    assert len(rows_of(spec)) >= seen.good


def test_no_prober_outlives_a_killed_parent(tmp_path: Path) -> None:
    program = (
        "import os, sys, time; from pathlib import Path\n"
        "from switchover.prober import Prober, ProberSpec\n"
        "prober = Prober(ProberSpec.from_json(sys.stdin.readline()))\n"
        "print(prober.pid, flush=True); time.sleep(600)\n"
    )
    with tcp_server(PAGE) as port:
        spec = spec_of(f"http://127.0.0.1:{port}/", tmp_path, rate=100)
        with subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as parent:
            assert parent.stdin is not None
            assert parent.stdout is not None
            parent.stdin.write(spec.to_json() + "\n")
            parent.stdin.flush()
            pid = int(parent.stdout.readline())
            assert lives(pid)
            parent.kill()
            parent.wait()
            wait_for(lambda: not lives(pid))
    assert rows_of(spec) or spec.probes.exists()


def test_a_full_disk_loses_rows_counts_them_and_is_got_over(tmp_path: Path) -> None:
    with probing(PAGE, tmp_path, rate=100) as (spec, prober):
        wait_for_probes(prober, 50)
        limit = spec.probes.stat().st_size + 1000
        resource.prlimit(prober.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        wait_for_probes(prober, 200)
        resource.prlimit(prober.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        wait_for_probes(prober, 320)
        account = prober.stop()
    rows = rows_of(spec)
    assert account["scheduled"] == account["recorded"] + account["unsent"]
    assert account["lost"] > 0
    assert account["recorded"] == len(rows) + account["lost"]
    assert "could not be written" in account["warning"]
    assert rows[-1].intended_us == account["first_due_us"] + (account["scheduled"] - 1) * 10_000


def test_no_descriptor_left_is_a_generator_error(tmp_path: Path) -> None:
    with probing(stays_silent, tmp_path, rate=100, timeout_read_s=0.8) as (spec, prober):
        resource.prlimit(prober.pid, resource.RLIMIT_NOFILE, (30, 30))
        wait_for_probes(prober, 150)
        account = prober.stop()
    rows = rows_of(spec)
    check_account(account, rows)
    assert {row.error for row in rows} == {FailureKind.GENERATOR, FailureKind.READ_TIMEOUT}


def test_a_limit_that_an_outage_would_exceed_is_a_warning(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with tcp_server(PAGE) as port:
        spec = spec_of(f"http://127.0.0.1:{port}/", tmp_path, rate=1, timeout_read_s=0.1)
        assert spec.open_at_most < hard
        with Prober(spec) as prober:
            assert prober.stop()["warning"] is None
        spec = spec_of(f"http://127.0.0.1:{port}/", tmp_path, rate=20_000, timeout_read_s=300)
        assert spec.open_at_most > hard
        with Prober(spec) as prober:
            assert "ulimit -n" in prober.stop()["warning"]


def test_names_beyond_the_limit_are_a_warning(tmp_path: Path) -> None:
    served = iter(range(10**6))

    def renamed(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 204 No Content\r\nX-Backend: web%d\r\n\r\n" % next(served))

    with probing(renamed, tmp_path, rate=300) as (spec, prober):
        wait_for_probes(prober, 400)
        account = prober.stop()
    assert "256" in account["warning"]
    assert len({row.identity.backend for row in rows_of(spec)}) == 257


def test_a_name_that_leads_nowhere_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SwitchoverError, match=r"cannot resolve '.*' \(dns\)") as caught:
        Prober(spec_of(f"http://{'a' * 64}.example/", tmp_path))
    assert "\n" not in str(caught.value)


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SwitchoverError, match="cannot write") as caught:
        Prober(spec_of("http://127.0.0.1:1/", tmp_path / "missing"))
    assert "\n" not in str(caught.value)


def test_a_process_that_cannot_start_is_reported_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['switchover.prober'] = None\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(SwitchoverError, match=r"the prober ended with code 1: .*switchover\.prober"):
        Prober(spec_of("http://127.0.0.1:1/", tmp_path))


def test_without_a_spec_the_process_says_what_it_reads() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "switchover.prober"], input="", capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 2
    assert "no usable spec for the prober" in done.stdout
    assert done.stderr == ""


def test_one_that_is_stopped_is_known_by_its_silence(tmp_path: Path) -> None:
    with probing(PAGE, tmp_path, rate=50) as (_, prober):
        wait_for_probes(prober, 50)
        with stopped(prober.pid):
            wait_for(lambda: prober.silent_s > 2.0)
            assert prober.died is None
        wait_for(lambda: prober.silent_s < 1.0)


def test_the_sample_log_holds_no_value_of_the_query(tmp_path: Path) -> None:
    with tcp_server(PAGE) as port:
        spec = spec_of(f"http://127.0.0.1:{port}/a?token=s3cret", tmp_path, rate=50)
        with Prober(spec) as prober:
            wait_for_probes(prober, 10)
    assert {row.url for row in rows_of(spec)} == {f"http://127.0.0.1:{port}/a?token=***"}
    assert "s3cret" not in spec.probes.read_text()
