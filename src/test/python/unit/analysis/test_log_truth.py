"""Logs that tell less than the truth, or other than it: what a report says of them holds the truth, or says why not.

A load with one outage is generated, so that its truth is known; then its log is shifted, rounded to seconds, divided
among files that overlap, joined under another header, given a straggler, or written while its clock is set back.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.request_tables import samples_of
from switchover.analysis.clock_jumps import JUMP_US
from switchover.analysis.log_run import load_logs
from switchover.analysis.run_data import RunData
from switchover.analysis.stretches import Stretches, find_stretches

SECOND = 1_000_000
BEGIN = 1_767_225_600 * SECOND + 417_000
FROM, LENGTH, END = 12 * SECOND, 3_273_000, 30 * SECOND
"""The outage, and the end of the load, after its begin."""


@dataclass(frozen=True)
class Asked:
    """One request of the load, in microseconds since the epoch."""

    start_us: int
    end_us: int
    user: int
    success: bool
    label: str = "home"


@dataclass(frozen=True)
class Load:
    """Users that ask, wait and think. `how`: in the outage they are `refused`, or `hang` until it is over, or until
    their kernel's first `retry` after it."""

    seed: int
    users: int
    how: str

    def requests(self) -> list[Asked]:
        return make_load(self.seed, self.users, self.how)


def make_load(seed: int, users: int, how: str) -> list[Asked]:
    chance = random.Random(seed)
    down, up = BEGIN + FROM, BEGIN + FROM + LENGTH
    found = []
    for user in range(users):
        at = BEGIN + chance.randint(0, 200_000)
        while at < BEGIN + END:
            end = at + chance.randint(2_000, 30_000)
            away = down <= at < up or at < down < end
            if away and how == "refused":
                found.append(Asked(at, max(at, down) + 400, user, success=False))
            else:
                if away and how == "retry":
                    end = answered_at_a_retry(max(at, down), up, chance.choice([200_000, SECOND]))
                elif away:
                    end = up + chance.randint(0, 20_000)
                found.append(Asked(at, end, user, success=True))
            at = found[-1].end_us + round(chance.expovariate(1 / 100_000))
    return sorted(found, key=lambda one: one.end_us)


def answered_at_a_retry(sent_us: int, up_us: int, wait_us: int) -> int:
    while sent_us < up_us:
        sent_us += wait_us
        wait_us *= 2
    return sent_us + 2000


HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success"


def milliseconds(at_us: int) -> str:
    return str(at_us // 1000)


def date(at_us: int) -> str:
    return f"{datetime.fromtimestamp(at_us // SECOND, UTC):%Y/%m/%d %H:%M:%S}"


def seconds(at_us: int) -> str:
    return str(at_us // SECOND)


def rows(load: Iterable[Asked], stamp: Callable[[int], str] = milliseconds) -> list[str]:
    return [
        f"{stamp(one.start_us)},{one.end_us // 1000 - one.start_us // 1000},{one.label},"
        f"{'200,OK' if one.success else '503,Busy'},users 1-{one.user},{str(one.success).lower()}"
        for one in load
    ]


def nginx(load: Iterable[Asked]) -> list[str]:
    """Whole seconds, at the end of each request."""
    return [
        f'10.0.0.{one.user} - - [{datetime.fromtimestamp(one.end_us // SECOND, UTC):%d/%b/%Y:%H:%M:%S} +0000] '
        f'"GET /{one.label} HTTP/1.1" {200 if one.success else 503} 5 "-" "-" '
        f"{(one.end_us - one.start_us) / SECOND:.3f}"
        for one in load
    ]  # fmt: skip


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def whole(data: RunData) -> Stretches:
    return find_stretches(data.samples, jumps=data.jumps)[0]


CUT_OFF_US = 1000


def assert_true(found: Stretches, *, is_found: bool = True, untold_us: int = CUT_OFF_US) -> None:
    """There is one outage, and it is within its interval. `untold_us`: what the log does not tell."""
    assert len(found.found) == is_found
    for one in found.found:
        assert one.length.high is not None
        assert one.length.low - CUT_OFF_US <= LENGTH <= one.length.high + untold_us


loads = st.builds(
    Load, seed=st.integers(0, 10**6), users=st.integers(3, 8), how=st.sampled_from(["refused", "hang", "retry"])
)
for_any_load = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@for_any_load
@given(of=loads, by_s=st.integers(-(10**9), 10**9))
def test_a_log_that_is_shifted_has_the_same_outage(of: Load, by_s: int, tmp_path: Path) -> None:
    load = of.requests()
    by_us = by_s * SECOND
    moved = [replace(one, start_us=one.start_us + by_us, end_us=one.end_us + by_us) for one in load]
    before, after = (whole(load_logs([written(tmp_path / "a", HEADER, *rows(one))])) for one in (load, moved))
    assert_true(before)
    assert [one.length for one in after.found] == [one.length for one in before.found]
    assert after.found[0].from_us == before.found[0].from_us + by_us


@pytest.mark.parametrize("form", ["date", "seconds", "nginx"])
@for_any_load
@given(of=loads, part_us=st.integers(0, SECOND - 1))
def test_in_whole_seconds_both_ends_hold_the_second(form: str, of: Load, part_us: int, tmp_path: Path) -> None:
    load = of.requests()
    load = [replace(one, start_us=one.start_us + part_us, end_us=one.end_us + part_us) for one in load]
    text = nginx(load) if form == "nginx" else [HEADER, *rows(load, date if form == "date" else seconds)]
    data = load_logs([written(tmp_path / "a", *text)])
    found = whole(data)
    assert_true(found, is_found=bool(found.found))
    assert found.found or found.limit_us >= LENGTH
    assert any("told to a second" in text for text in data.run.warnings)


@for_any_load
@given(of=loads, cut=st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)), third=st.booleans())
def test_logs_that_overlap_count_once(of: Load, cut: tuple[float, float], third: bool, tmp_path: Path) -> None:
    load = of.requests()
    begin, end = sorted(round(len(load) * share) for share in cut)
    every = rows(load)
    parts = [every[:end], every[begin:]] + ([every[begin // 2 :]] if third else [])
    paths = [written(tmp_path / f"{number}.jtl", HEADER, *part) for number, part in enumerate(parts)]
    data = load_logs(paths)
    assert len(data.samples) == len(load) and data.unread == ()
    assert end - begin < 2 or any("counted once" in text for text in data.run.warnings)
    assert_true(whole(data))


@for_any_load
@given(of=loads)
def test_logs_of_two_hosts_are_one_load(of: Load, tmp_path: Path) -> None:
    load = of.requests()
    hosts = [[one for one in load if one.user % 2 == host] for host in (0, 1)]
    paths = [written(tmp_path / f"{host}.jtl", HEADER, *rows(part)) for host, part in enumerate(hosts)]
    data = load_logs(paths)
    assert len(data.samples) == len(load) and data.unread == ()
    assert_true(whole(data))


@for_any_load
@given(of=loads)
def test_the_same_load_in_other_columns_is_not_trusted(of: Load, tmp_path: Path) -> None:
    load = of.requests()
    every = rows(load)
    fewer = [",".join(row.split(",")[:4] + row.split(",")[5:]) for row in every]
    paths = [
        written(tmp_path / "a.jtl", HEADER, *every),
        written(tmp_path / "b.jtl", HEADER.replace(",responseMessage", ""), *fewer),
    ]
    assert any("written twice" in reason for reason in load_logs(paths).unread)


@for_any_load
@given(of=loads, at=st.floats(0.05, 0.95), by_date=st.booleans())
def test_under_another_header_rows_are_read_by_it(of: Load, at: float, by_date: bool, tmp_path: Path) -> None:
    load = of.requests()
    place = round(len(load) * at)
    turned = [",".join(reversed(row.split(","))) for row in [HEADER, *rows(load[place:])]]
    text = [HEADER, *rows(load[:place]), *turned]
    data = load_logs([written(tmp_path / "a.jtl", *text)])
    assert [(one.start_us // 1000, one.success) for one in samples_of(data.samples)] == [
        (one.start_us // 1000, one.success) for one in load
    ]
    assert data.unread == () and any("each under another header" in text for text in data.run.warnings)
    assert_true(whole(data))


@for_any_load
@given(of=loads, after_s=st.integers(5, 500), before_us=st.integers(0, 10 * SECOND), success=st.booleans())
def test_a_straggler_is_no_outage(of: Load, after_s: int, before_us: int, success: bool, tmp_path: Path) -> None:
    load = of.requests()
    last_us = load[-1].end_us
    straggler = Asked(last_us - 1000 - before_us, last_us + after_s * SECOND, 0, success)
    found = whole(load_logs([written(tmp_path / "a.jtl", HEADER, *rows([*load, straggler]))]))
    assert_true(found)


@for_any_load
@given(of=loads, at_s=st.sampled_from([3, 8, 20, 27]), pause_s=st.integers(5, 500), share=st.floats(0, 1))
def test_a_failure_in_a_pause_of_the_load_is_no_outage(
    of: Load, at_s: int, pause_s: int, share: float, tmp_path: Path
) -> None:
    """Where nothing was sent, silence says nothing: one request that failed does not make an outage of it."""
    load = of.requests()
    at_us, pause_us = BEGIN + at_s * SECOND, pause_s * SECOND
    before, behind = ([one for one in load if (one.start_us >= at_us) is later] for later in (False, True))
    failed_us = at_us + round(share * pause_us)
    paused = [
        *before,
        Asked(failed_us, failed_us + 400, 0, success=False),
        *(replace(one, start_us=one.start_us + pause_us, end_us=one.end_us + pause_us) for one in behind),
    ]
    assert_true(whole(load_logs([written(tmp_path / "a.jtl", HEADER, *rows(paused))])))


@for_any_load
@given(
    of=loads,
    place=st.floats(0, 1),
    absurd=st.sampled_from([(0, 10**15), (0, 3 * 86400 * SECOND), (10**15 * 3, 5000), (-(10**15), 5000)]),
)
def test_a_row_whose_times_cannot_be_is_named_and_left_out(
    of: Load, place: float, absurd: tuple[int, int], tmp_path: Path
) -> None:
    load = of.requests()
    at = round((len(load) - 1) * place)
    start_us = load[at].start_us + absurd[0]
    strange = Asked(start_us, start_us + absurd[1], 0, success=True, label="strange")
    data = load_logs([written(tmp_path / "a.jtl", HEADER, *rows([*load[:at], strange, *load[at:]]))])
    assert len(data.samples) == len(load)
    assert any("'strange'" in text for text in data.run.warnings)
    assert_true(whole(data))


@for_any_load
@given(of=loads, at_us=st.integers(2 * SECOND, END - 2 * SECOND), back_us=st.integers(0, 8 * SECOND))
def test_what_a_clock_that_is_set_back_hides_is_in_the_interval(
    of: Load, at_us: int, back_us: int, tmp_path: Path
) -> None:
    load = of.requests()
    stepped = [set_back(one, BEGIN + at_us, back_us) for one in load]
    data = load_logs([written(tmp_path / "a.jtl", HEADER, *rows(stepped))])
    found = whole(data)
    # Less than 100 ms is not told, and between two requests a user waits.
    untold_us = JUMP_US + found.usual_us
    assert_true(found, is_found=bool(found.found), untold_us=untold_us)
    assert found.found or found.limit_us + untold_us >= LENGTH
    if back_us > SECOND and of.how == "refused":
        assert any("go back" in text for text in data.run.warnings)


def set_back(one: Asked, at_us: int, back_us: int) -> Asked:
    """As JMeter writes it: the start by the clock of the machine, the duration by one that never goes back."""
    if one.start_us < at_us:
        return one
    return replace(one, start_us=one.start_us - back_us, end_us=one.end_us - back_us)


def test_a_log_that_ends_in_an_outage_has_one_at_least(tmp_path: Path) -> None:
    load = [one for one in make_load(1, 8, "refused") if one.start_us < BEGIN + FROM + 2 * SECOND]
    (found,) = whole(load_logs([written(tmp_path / "a.jtl", HEADER, *rows(load))])).found
    assert found.length.high is None and 1_800_000 <= found.length.low <= 2_000_000


def test_of_two_halves_of_a_log_that_lie_decades_apart_the_later_counts(tmp_path: Path) -> None:
    load = [Asked(BEGIN + at * SECOND, BEGIN + at * SECOND + 5_000, 0, success=True) for at in range(4)]
    never_set = [replace(one, start_us=one.start_us - 10**15, end_us=one.end_us - 10**15) for one in load]
    data = load_logs([written(tmp_path / "a.jtl", HEADER, *rows([*never_set, *load]))])
    assert len(data.samples) == 4
    assert data.samples.row("SELECT min(start_us) FROM {requests}")[0] // SECOND == BEGIN // SECOND
