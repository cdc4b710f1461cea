"""Dates as logs write them, the forms that read them, and the patterns that are told."""

import time
from datetime import UTC, datetime, timedelta, timezone

import duckdb
import pytest

from switchover.analysis.logs.dates import (
    date_us,
    epoch_us,
    find_pattern,
    form_of_pattern,
    forms_of,
    guess_pattern,
    plain_date,
    plain_date_sql,
)
from switchover.model.errors import UsageError

AT_US = 1_767_323_045_000_000
"""2026-01-02 03:04:05 UTC."""
SECOND, HOUR = 1_000_000, 3_600_000_000


@pytest.mark.parametrize(
    ("text", "form", "behind_us"),
    [
        ("2026-01-02 03:04:05", "%Y-%m-%d %H:%M:%S", 0),
        ("2026/01/02 03:04", "%Y/%m/%d %H:%M", -5 * SECOND),
        ("20260102 030405", "%Y%m%d %H%M%S", 0),
        ("2026.01.02 at 03.04.05", "%Y.%m.%d at %H.%M.%S", 0),
        ("2026-01-02T03:04:05.25Z", "%Y-%m-%dT%H:%M:%S.%f%z", 250_000),
        ("2026-01-02 03:04:05,250999999 +01", "%Y-%m-%d %H:%M:%S,%f %z", 250_999 - HOUR),
        ("2026-01-02T03:04:05+01:30", "%Y-%m-%dT%H:%M:%S%z", -HOUR * 3 // 2),
        ("02/Jan/2026:03:04:05 GMT", "%d/%b/%Y:%H:%M:%S %z", 0),
        ("Fri, 02 Jan 2026 03:04:05 UTC", "%a, %d %b %Y %H:%M:%S %z", 0),
        ("Jan 2, 2026, 3:04:05 PM", "%b %d, %Y, %I:%M:%S %p", 12 * HOUR),
        ("  Jan 2, 2026, 3:04:05\u202fam ", "%b %d, %Y, %I:%M:%S %p", 0),
        ("January\u00a02, 2026 3:04:05.5am", "%B %d, %Y %I:%M:%S.%f%p", 500_000),
    ],
)
def test_a_date_of_a_known_form_is_read(text: str, form: str, behind_us: int) -> None:
    assert form in list(forms_of(text))
    assert date_us(text, form) == AT_US + behind_us


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("02/01/2026 03:04:05", ["%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S"]),
        ("31/01/2026 03:04:05", ["%d/%m/%Y %H:%M:%S"]),
        ("2026-02-30 03:04:05", []),
        ("2026-01-02 24:04:05", []),
        ("2026-01-02", []),
        ("yesterday", []),
        ("", []),
    ],
)
def test_a_date_may_have_several_forms_or_none(text: str, forms: list[str]) -> None:
    assert list(forms_of(text)) == forms


def test_a_form_that_does_not_read_a_date_gives_no_time() -> None:
    assert date_us("2026-01-02 03:04:05", "%d.%m.%Y") is None
    assert date_us("2026 2026", "%Y %Y") is None, "strptime fails otherwise where a part comes twice"


def test_a_date_without_a_zone_is_in_utc_wherever_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    at = datetime(2026, 1, 2, 3, 4, 5, 7)
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "JST-9")
        time.tzset()
        assert epoch_us(at) == epoch_us(at.replace(tzinfo=UTC)) == AT_US + 7
    time.tzset()
    assert epoch_us(at.replace(tzinfo=timezone(timedelta(hours=1)))) == AT_US + 7 - HOUR


PLAIN = [
    ("2026-01-02 03:04:05Z", "2026-01-02 03:04:05+0000"),
    ("2026-01-02 03:04:05 GMT", "2026-01-02 03:04:05 +0000"),
    ("03:04:05.123456789 UTC", "03:04:05.123456 +0000"),
    ("03:04:05,1234567 +0100", "03:04:05,123456 +0100"),
    (" 3:04\u202fPM", "3:04 PM"),
    ("3:04\u00a0PM", "3:04 PM"),
    ("Zeppelin UTC GMT 3", "Zeppelin UTC GMT 3"),
]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        *PLAIN,
        ("03:04:05 +01", "03:04:05 +0100"),
        ("3:04 pm-05", "3:04 pm-0500"),
        ("3:04 PM-05", "3:04 PM-0500"),
        ("03:04:05.1-05", "03:04:05.1-0500"),
    ],
)
def test_a_date_is_made_as_strptime_reads_it(text: str, plain: str) -> None:
    assert plain_date(text) == plain


def test_sql_makes_dates_the_same() -> None:
    with duckdb.connect() as database:
        for text, plain in PLAIN:
            assert database.execute(f"SELECT {plain_date_sql('$text')}", {"text": text}).fetchone() == (plain,)


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "%Y-%m-%dT%H:%M:%S.%f%z"),
        ("M/d/yy, h:mm:ss a", "%m/%d/%y, %I:%M:%S %p"),
        ("EEE, dd 'of' MMMM yyyy HH''mm 'o''clock'", "%a, %d of %B %Y %H'%M o'clock"),
        ("%d|%m|%Y %H:%M", "%d|%m|%Y %H:%M"),
    ],
)
def test_a_pattern_is_javas_or_strptimes(pattern: str, form: str) -> None:
    assert form_of_pattern(pattern) == form


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "%",
        "%Q",
        "HH:mm",
        "yyyy",
        "yyyy-MM HH:mm",
        "yyyy dd HH:mm",
        "MM-dd HH:mm",
        "yyyy-MM-dd yyyy",
        "yyyy\ud800",
    ],
)
def test_a_pattern_needs_the_year_the_month_and_the_day_once(pattern: str) -> None:
    with pytest.raises(UsageError) as raised:
        form_of_pattern(pattern)
    assert str(raised.value) == (
        f"--time-format {pattern!r} reads no date: write it as JMeter's timestamp_format, such as "
        "'yyyy/MM/dd HH:mm:ss.SSS', or as strptime has it, '%Y/%m/%d %H:%M:%S.%f'"
    )


def test_a_letter_that_is_no_part_of_a_date_is_named() -> None:
    with pytest.raises(UsageError) as raised:
        form_of_pattern("yyyy-MM-dd at HH:mm")
    assert str(raised.value) == "--time-format 'yyyy-MM-dd at HH:mm': t is no part of a date; text stands in quotes"


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (" 31|12|2025 23:59:59 ", "dd|MM|yyyy HH:mm:ss"),
        ("12|31|2025 23:59:59", "MM|dd|yyyy HH:mm:ss"),
        ("2025|31|12 23:59", "yyyy|dd|MM HH:mm"),
        ("20251231~23:59:59.25", "yyyyMMdd~HH:mm:ss.SS"),
        ("2025|12|31 23:59:59.1234 +01:00", "yyyy|MM|dd HH:mm:ss.SSSS X"),
        ("2025|12|31 23:59 -0100", "yyyy|MM|dd HH:mm X"),
        ("2025|12|31 23:59 Z", "yyyy|MM|dd HH:mm X"),
        ("2025|12|31 23:59GMT", "yyyy|MM|dd HH:mmX"),
        ("2025|12|31 23:59 UTC", "yyyy|MM|dd HH:mm X"),
        ("Wed 31|Dec|25 11-59 pm", "EEE dd|MMM|yy hh-mm a"),
        ("Wednesday 31|December|25 AM 11-59", "EEEE dd|MMMM|yy a hh-mm"),
        ("2025|12|31 um 23:59", "yyyy|MM|dd 'um' HH:mm"),
        ("2025|12|31 Xmas 23:59", "yyyy|MM|dd 'Xmas' HH:mm"),
        ("20251231~Dec~23:59", "yyyyMMdd~MMM~HH:mm"),
        ("31|31|2025 23:59", ""),
        ("2025|12|31 Wed Wed 23:59", ""),
        ("never", ""),
        ("", ""),
    ],
)
def test_a_pattern_is_found_for_a_date_of_no_known_form(text: str, pattern: str) -> None:
    assert find_pattern(text) == pattern


def test_more_numbers_than_a_date_has_are_guessed_as_decimals() -> None:
    assert guess_pattern("1|2|2026 3:4:5.6 7890") == "dd|MM|yyyy HH:mm:ss.S SSSS"
