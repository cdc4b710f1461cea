import pytest

from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250ms", 0.25), ("5s", 5), ("1.5", 1.5), ("2min", 120), ("1h", 3600), ("10 us", 1e-5)],
)
def test_durations_as_people_write_them(text: str, seconds: float) -> None:
    assert parse_duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "-1s", "5 parsecs", "1e3", "1,5s", "\N{ARABIC-INDIC DIGIT ONE}s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a duration"):
        parse_duration_s(text)
