"""What Locust prints with `--json`: counts by second as requests, so that an outage stays seen."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.read_logs import is_claimed, read_log
from switchover.analysis.logs import locust_stats
from switchover.analysis.logs.locust_stats import FORMAT
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.model.errors import RunDirectoryError

AT_S = 1_767_225_600
SECOND = 1_000_000


def entry(
    ended: Mapping[int, int],
    durations: Mapping[str, int],
    failed: Mapping[int, int] | None = None,
    name: str = "home",
) -> dict[str, object]:
    """By seconds after `AT_S`; durations in milliseconds."""
    return {
        "name": name,
        "num_none_requests": 0,
        "last_request_timestamp": AT_S + 9.9,
        "response_times": durations,
        "num_reqs_per_sec": {str(AT_S + at): number for at, number in ended.items()},
        "num_fail_per_sec": {str(AT_S + at): number for at, number in (failed or {}).items()},
    }


def seen(requests: list[LoggedRequest]) -> list[tuple[int, int, bool]]:
    """Second in which it ended, duration in microseconds, success."""
    return [(one.end_us // SECOND - AT_S, one.took_us, one.success) for one in requests]


def test_each_request_ends_in_its_second_and_as_many_failed_as_are_told(tmp_path: Path) -> None:
    entries = [entry({0: 2, 1: 1}, {"12.5": 2, "7": 1}, {0: 1}), entry({5: 1}, {"3": 1}, name="cart")]
    found, account = read_log(FORMAT, tmp_path, json.dumps(entries))
    assert sorted((at, success) for at, _, success in seen(found)) == [(0, False), (0, True), (1, True), (5, True)]
    assert Counter(one.took_us for one in found) == {12_500: 2, 7000: 1, 3000: 1}
    assert [one.label for one in found] == ["home"] * 3 + ["cart"]
    assert all(one.end_us % SECOND == 0 for one in found)
    assert account.notes == [
        "a.log: Locust's --json counts by second: which of the requests of a second took how long, and why one "
        "failed, is not known"
    ]


@pytest.mark.parametrize(("in_second", "slow"), [(3, 10), (30, 100), (3, 20), (1000, 50)])
def test_other_durations_are_spread_over_the_whole_test(in_second: int, slow: int, tmp_path: Path) -> None:
    """Ten seconds: each has about a tenth of the slow ones, not the first of them all."""
    ended = dict.fromkeys(range(10), in_second)
    told = entry(ended, {"50": slow, "7": 10 * in_second - slow})
    found, _ = read_log(FORMAT, tmp_path, json.dumps([told]))
    assert Counter(at for at, *_ in seen(found)) == ended
    by_second = Counter(at for at, took_us, _ in seen(found) if took_us == 50_000)
    assert by_second.total() == slow
    assert all(abs(by_second[second] - slow / 10) <= 2 for second in ended)


def test_failures_get_the_longest_durations_so_that_an_outage_is_never_proven_for_too_long(tmp_path: Path) -> None:
    told = entry({0: 9, 1: 5, 2: 9}, {"7": 19, "900": 4}, {1: 3, 2: 99})
    found, _ = read_log(FORMAT, tmp_path, json.dumps([told]))
    assert [one for one in seen(found) if one[1] > 7000] == [(1, 900_000, False)] * 3 + [(2, 900_000, False)]
    assert Counter((at, success) for at, _, success in seen(found)) == {
        (0, True): 9, (1, False): 3, (1, True): 2, (2, False): 9,
    }  # fmt: skip


def test_a_request_whose_duration_is_not_told_took_none(tmp_path: Path) -> None:
    found, _ = read_log(FORMAT, tmp_path, json.dumps([entry({0: 3}, {"7": 2}), entry({0: 1, 9: 3}, {"8000": 2})]))
    assert [took_us for _, took_us, _ in seen(found)] == [7000, 7000, 0, 8_000_000, 8_000_000, 0, 0]


@pytest.mark.parametrize(
    "text",
    ["[", "[5]", "{}5", '[{"name":"home"}]', "[" * 100_000, "5"],
)
def test_what_is_damaged_is_refused_with_its_name_and_the_reason(text: str, tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match=r"a\.log is damaged: Locust's --json cannot be read: .") as raised:
        read_log(FORMAT, tmp_path, text)
    assert not str(raised.value).endswith("None") and "\n" not in str(raised.value)


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps([entry({0: 1}, {"7": 1})])
    monkeypatch.setattr(locust_stats, "_MOST_BYTES", len(text))
    assert len(read_log(FORMAT, tmp_path, text)[0]) == 1
    with pytest.raises(RunDirectoryError, match=r"cannot be read: too large$"):
        read_log(FORMAT, tmp_path, text + " ")


@pytest.mark.parametrize(
    ("lines", "is_one"),
    [
        (["", " [", ' {"num_none_requests": 0,', ' "last_request_timestamp": 5'], True),
        (["["] + [""] * 198 + ['"num_none_requests" "last_request_timestamp"'], True),
        (["["] + [""] * 199 + ['"num_none_requests" "last_request_timestamp"'], False),
        (["[", '"num_none_requests"'], False),
        (["[", '"last_request_timestamp"'], False),
        (["{", '"num_none_requests" "last_request_timestamp"'], False),
    ],
)
def test_a_file_is_locusts_where_a_list_begins_with_its_words(lines: list[str], *, is_one: bool) -> None:
    assert is_claimed(FORMAT, *lines) is is_one
