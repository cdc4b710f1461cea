"""Line protocol: the vectors, what holds for anything that is written or read, and the table of all measurements."""

import gzip
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.contract import named, vectors
from support.examples import examples
from support.grafana import INFLUXQL_BOARDS
from switchover.rundir.measurements import MEASUREMENTS
from switchover.rundir.points import INT64_MAX, INT64_MIN, FieldValue, Point, clean_name, format_point, parse_point


def value_of(typed: dict[str, Any]) -> FieldValue:
    (kind, value), *_ = typed.items()
    result: FieldValue = float(value) if kind == "float" else value
    return result


def fields_of(case: dict[str, Any]) -> dict[str, FieldValue]:
    return {key: value_of(typed) for key, typed in case["fields"]}


@pytest.mark.parametrize("case", named("points.json", "format"))
def test_point_is_written_as_agreed(case: dict[str, Any]) -> None:
    line = format_point(case["measurement"], case["tags"], fields_of(case), case["time_ns"])
    assert line == case["line"]


@pytest.mark.parametrize("case", named("points.json", "format"))
def test_written_point_is_read_and_written_the_same(case: dict[str, Any]) -> None:
    if case["line"]:
        point = parse_point(case["line"])
        assert format_point(point.measurement, point.tags, point.fields, point.time_ns) == case["line"]


@pytest.mark.parametrize("case", named("points.json", "rewritten"))
def test_a_line_of_others_is_read_and_written_as_agreed(case: dict[str, Any]) -> None:
    point = parse_point(case["line"])
    assert format_point(point.measurement, point.tags, point.fields, point.time_ns) == case["written"]


@pytest.mark.parametrize("case", named("points.json", "parse"))
def test_line_is_read_as_agreed(case: dict[str, Any]) -> None:
    expected = Point(case["measurement"], case["tags"], fields_of(case), case["time_ns"])
    point = parse_point(case["line"])
    assert point == expected
    assert [type(value) for value in point.fields.values()] == [type(v) for v in expected.fields.values()]


def test_ten_thousand_names_are_written_to_the_same_bytes() -> None:
    many = vectors("points.json", "many")
    state = many["seed"]

    def draw(below: int) -> int:
        nonlocal state
        state = (state * 1103515245 + 12345) % 2**31
        return int(state >> 16) % below

    lines = []
    for number in range(many["count"]):
        name = "".join(many["alphabet"][draw(len(many["alphabet"]))] for _ in range(draw(many["longest"])))
        lines.append(format_point("m", {"backend": name, "run": "r"}, {"v": number, "text": name}, number))
    assert lines[: len(many["first"])] == many["first"]
    assert hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest() == many["sha256"]


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = text.map(clean_name).filter(bool)
tricky = st.text(st.sampled_from('ab \\,="\n\r\té🙂'), max_size=12)
values = st.one_of(
    st.integers(INT64_MIN, INT64_MAX),
    st.integers(-(10**12), 10**12).map(lambda thousandths: round(thousandths / 1000, 3)),
    st.booleans(),
    text,
    tricky,
)


@settings(max_examples=examples(150))
@given(
    measurement=names,
    tags=st.dictionaries(names, st.one_of(names, tricky.map(clean_name).filter(bool)), max_size=4),
    fields=st.dictionaries(names, values, min_size=1, max_size=4),
    time_ns=st.integers(INT64_MIN, INT64_MAX),
)
def test_round_trip_is_exact(
    measurement: str, tags: dict[str, str], fields: dict[str, FieldValue], time_ns: int
) -> None:
    line = format_point(measurement, tags, fields, time_ns)
    assert "\n" not in line
    assert "\r" not in line
    assert parse_point(line) == Point(measurement, tags, fields, time_ns)


@settings(max_examples=examples(150))
@given(tags=st.dictionaries(tricky, tricky, max_size=3), string=tricky)
def test_hostile_text_cannot_leave_its_place(tags: dict[str, str], string: str) -> None:
    point = parse_point(format_point("m", tags, {"text": string}, 7))
    assert point.fields == {"text": string}
    assert point.time_ns == 7
    cleaned = {clean_name(key): clean_name(value) for key, value in tags.items()}
    assert set(point.tags) <= set(cleaned)


ROOT = Path(__file__).parents[5]
JOURNALS = sorted((ROOT / "src/test/resources/runs").glob("*/journal*.lp.gz"))
_NAME = re.compile(r"\bswitchover_[a-z_]+")


def departures(point: Point) -> list[str]:
    """Where a point is not as the table has it."""
    known = MEASUREMENTS.get(point.measurement)
    if known is None:
        return [f"no measurement {point.measurement}"]
    found = [f"tag {name}" for name in point.tags if name not in (*known.tags, "run", "worker")]
    for name, value in point.fields.items():
        kind = known.fields.get(name, "int" if known.source_fields else None)
        if kind != type(value).__name__:
            found.append(f"field {name}={value!r}")
    return [f"{point.measurement}: {text}" for text in found]


@pytest.mark.parametrize("journal", JOURNALS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_points_of_real_runs_are_as_the_table_says(journal: Path) -> None:
    with gzip.open(journal, "rt", encoding="utf-8") as lines:
        assert sorted({text for line in lines for text in departures(parse_point(line.rstrip("\n")))}) == []


def test_a_name_that_the_table_does_not_have_is_found() -> None:
    point = parse_point('switchover_event,kind=fault,color=red text="x",count=1i 5')
    assert departures(point) == ["switchover_event: tag color", "switchover_event: field count=1"]


def test_dashboards_ask_for_nothing_else() -> None:
    """The names of the board for Prometheus are the exporter's: test_prometheus_board.py."""
    assert INFLUXQL_BOARDS
    asked = {name for board in INFLUXQL_BOARDS for name in _NAME.findall(board.read_text(encoding="utf-8"))}
    assert asked <= MEASUREMENTS.keys()
