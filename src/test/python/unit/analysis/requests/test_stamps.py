"""What the times of a log are: their unit or form, found in its first rows, and how they are read."""

import pytest

from switchover.analysis.requests.stamps import Stamps, stamps_of
from switchover.analysis.requests.store import Store

SECONDS, NANOSECONDS = Stamps("s", sure=True), Stamps("ns", sure=True)
MILLISECONDS, MICROSECONDS = Stamps("ms", sure=True), Stamps("us", sure=True)
UNSURE = Stamps("ms")
ISO = "%Y-%m-%dT%H:%M:%S.%f%z"
DAY_FIRST, MONTH_FIRST = "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S"
HALF_DAY = "%m/%d/%Y %I:%M:%S %p"
UNKNOWN = "2026|01|01|00|00|00"
"""Like a date, and of no known form."""


def of_form(form: str) -> Stamps:
    return Stamps(unit="", form=form)


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("99999999", UNSURE),
        ("0", UNSURE),
        ("100000000", SECONDS),
        ("99999999999", SECONDS),
        ("100000000000", MILLISECONDS),
        ("99999999999999", MILLISECONDS),
        ("100000000000000", MICROSECONDS),
        ("99999999999999000", MICROSECONDS),
        ("100000000000000000", NANOSECONDS),
    ],
)
def test_the_size_of_a_number_tells_its_unit(first: str, found: Stamps) -> None:
    """Seconds from 1973 on (100,000,000), and each unit at a thousand times that of the one before it."""
    assert stamps_of([first]) == found


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["1767225600.5", "1767225601", "1767225602"], Stamps("s", sure=True, fractions=True)),
        (["12.5"], Stamps("ms", fractions=True)),
        ([" 1767225600 ", "", "1767225601"], SECONDS),
        (["5", "1767225600", "1767225600123"], SECONDS),
        ([], UNSURE),
        (["", " "], UNSURE),
        (["x"], UNSURE),
        (["1767225600", "x"], UNSURE),
        (["1767225600", "1767225601", "x", "y", "z"], UNSURE),
        (["1767225600", "1767225601", "x"], SECONDS),
    ],
)
def test_the_unit_is_that_of_most_rows(texts: list[str], found: Stamps) -> None:
    assert stamps_of(texts) == found


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["2026-01-01T00:00:00.250Z"], of_form(ISO)),
        (["2026-01-01T00:00:00.250Z", UNKNOWN], None),
        (["2026-01-01T00:00:00.250Z"] * 2 + [UNKNOWN], of_form(ISO)),
        (["2026-01-01T00:00:00.250Z"] * 2 + [UNKNOWN] * 3, None),
        ([UNKNOWN, "x"], UNSURE),
        ([UNKNOWN] * 2 + ["x"], None),
        ([UNKNOWN] * 2 + ["x"] * 3, UNSURE),
        ([f"31/01/2026 00:00:{second}" for second in range(10, 30)], of_form(DAY_FIRST)),
        (["01/02/2026 10:00:00"], of_form(DAY_FIRST)),
        (["01/02/2026 10:00:00", "02/02/2026 10:00:00"], of_form(DAY_FIRST)),
        (["02/01/2026 10:00:00", "02/02/2026 10:00:00"], of_form(MONTH_FIRST)),
        (["02/01/2026 10:00:00", "31/01/2026 10:00:00"], of_form(DAY_FIRST)),
        (["01/02/2026 10:00:00 AM"], of_form(HALF_DAY)),
        (["2026-01-01 10:00:00 PM"], of_form("%Y-%m-%d %I:%M:%S %p")),
    ],
)
def test_a_form_is_found_that_reads_most_dates_and_makes_the_log_the_shortest(
    texts: list[str], found: Stamps | None
) -> None:
    """Where a day may be a month: with AM and PM the month comes first, else the day."""
    assert stamps_of(texts) == found


def test_a_form_that_the_user_names_reads_a_date_at_least_if_there_is_one() -> None:
    texts = ["x", UNKNOWN]
    assert stamps_of(texts, "%Y|%m|%d|%H|%M|%S") == of_form("%Y|%m|%d|%H|%M|%S")
    assert stamps_of(texts, "%Y") is None
    assert stamps_of([" "], "%Y") == of_form("%Y")


@pytest.mark.parametrize(
    ("stamps", "note", "is_plain", "is_local"),
    [
        (MILLISECONDS, "", True, False),
        (Stamps("ms", fractions=True), "", False, False),
        (SECONDS, "a.jtl: times are in seconds", False, False),
        (MICROSECONDS, "a.jtl: times are in microseconds", False, False),
        (NANOSECONDS, "a.jtl: times are in nanoseconds", False, False),
        (of_form(ISO), f"a.jtl: times are dates, read as {ISO}", False, False),
        (
            of_form(DAY_FIRST),
            f"a.jtl: times are dates, read as {DAY_FIRST}, in UTC: they name no zone",
            False,
            True,
        ),
    ],
)
def test_times_that_are_not_jmeters_are_told(stamps: Stamps, note: str, *, is_plain: bool, is_local: bool) -> None:
    assert (stamps.note("a.jtl"), stamps.is_plain, stamps.is_local) == (note, is_plain, is_local)


@pytest.mark.parametrize(
    ("stamps", "text", "found"),
    [
        (SECONDS, "1767225600.5", 1_767_225_600_500_000),
        (Stamps("ms", fractions=True), "1767225600123.4567", 1_767_225_600_123_456),
        (MICROSECONDS, "1767225600123456", 1_767_225_600_123_456),
        (NANOSECONDS, "1767225600123456789", 1_767_225_600_123_456),
        (NANOSECONDS, "1767225600123456789.5", 1_767_225_600_123_456),
        (SECONDS, "x", None),
        (of_form(ISO), "2026-01-01T01:00:00.250+0100", 1_767_225_600_250_000),
        (of_form(ISO), "2026-01-01T00:00:00.250123456Z", 1_767_225_600_250_123),
        (of_form(DAY_FIRST), "01/01/2026 00:00:00", 1_767_225_600_000_000),
        (of_form("%H o'clock, %Y-%m-%d"), "00 o'clock, 2026-01-01", 1_767_225_600_000_000),
        (of_form(DAY_FIRST), "01/13/2026 00:00:00", None),
    ],
)
def test_a_time_is_read_in_microseconds(stamps: Stamps, text: str, found: int | None) -> None:
    assert Store().row(f"SELECT {stamps.microseconds_sql('text')} FROM (SELECT ? AS text)", [text]) == (found,)


def test_before_1973_and_after_5138_a_time_is_of_another_unit() -> None:
    """100,000,000 and 100,000,000,000 seconds since 1970. Where the unit is not sure, none is."""
    times = [10**14 - 1, 10**14, 10**17, 10**17 + 1]
    for stamps, expected in ((SECONDS, [True, False, False, True]), (UNSURE, [False] * 4)):
        asked = f"SELECT {stamps.another_unit_sql('began')} FROM (SELECT unnest(?) AS began) ORDER BY began"
        assert [is_other for (is_other,) in Store().rows(asked, [times])] == expected
