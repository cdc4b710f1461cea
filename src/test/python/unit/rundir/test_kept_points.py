"""Points that are kept by the million: the same points, and what those of a series share is there once."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from switchover.rundir.kept_points import keep
from switchover.rundir.points import Point, parse_point

NUMBERS = ",".join(f"field{number}={number * 1000}i" for number in range(70))


def line(time_ns: int) -> str:
    return f'switchover_haproxy,node=lb1,server=web1 {NUMBERS},status="UP" {time_ns}'


@given(
    st.dictionaries(st.text(), st.text()),
    st.dictionaries(st.text(), st.one_of(st.integers(), st.floats(allow_nan=False), st.booleans(), st.text())),
)
def test_a_kept_point_is_the_same(tags: dict[str, str], fields: dict[str, int | float | bool | str]) -> None:
    point = Point("m", tags, fields, 7)
    kept = keep(point)
    assert kept == point and list(kept.fields.items()) == list(fields.items()) and len(kept.fields) == len(fields)
    assert [type(kept.fields[name]) for name in fields] == [type(value) for value in fields.values()]
    assert kept.fields.get("no such field") is fields.get("no such field")


def test_points_of_a_series_share_what_they_have_in_common() -> None:
    one, other = keep(parse_point(line(1))), keep(parse_point(line(2)))
    assert one.measurement is other.measurement and one.tags is other.tags
    assert one.fields["status"] is other.fields["status"]
    assert sys.getsizeof(one.fields) < sys.getsizeof(parse_point(line(1)).fields) / 10
