"""One table names every measurement, and what is written, documented and drawn keeps to it."""

import gzip
import re
from pathlib import Path

import pytest

from support.grafana import INFLUXQL_BOARDS
from switchover.rundir.measurements import MEASUREMENTS
from switchover.rundir.points import Point, parse_point

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
