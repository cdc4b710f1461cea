"""A rule for each mistake that a real Grafana once showed in the tables of these boards."""

import re
from pathlib import Path

import pytest

from support.board_rules import BALANCERS, COMPARE, DRILL, FLEET, HISTORY, every_panel, overrides, panel_of
from support.grafana import Json, load, variables

ROOM = {24: 1550, 12: 755}
"""In pixels on a screen of 1,600, by the width of a panel in columns of the grid."""
TABLES = (
    *((DRILL, "Limits"), (DRILL, "By label"), (COMPARE, "Figures")),
    *((FLEET, "Runs"), (HISTORY, "Runs"), (BALANCERS, "Servers")),
)


@pytest.mark.parametrize(("path", "title"), TABLES, ids=[title for _, title in TABLES])
def test_the_columns_of_a_table_are_within_the_panel_and_their_names_within_the_columns(
    path: Path, title: str
) -> None:
    """On a screen of 1,600 pixels "unaccounted" lay beyond the edge, and "outage high" was "outage hi…"."""
    panel = panel_of(path, title)
    given = {name: one for name, one in overrides(panel).items() if "custom.width" in one}
    assert 0 < sum(one["custom.width"] for one in given.values()) <= ROOM[panel["gridPos"]["w"]]
    for name, one in given.items():
        assert one["custom.width"] >= 7.3 * len(one.get("displayName", name)) + 16, name


@every_panel
def test_no_column_is_called_as_another_one_on_the_way_to_its_name(path: Path, panel: Json) -> None:
    """It takes over what the other one has: "failed %" had the width of "failed"."""
    names = {one["matcher"]["options"] for one in panel["fieldConfig"]["overrides"]}
    for one in panel["fieldConfig"]["overrides"]:
        shown = {item["value"] for item in one["properties"] if item["id"] == "displayName"}
        assert not shown & (names - {one["matcher"]["options"]})


def test_the_servers_that_are_down_come_first() -> None:
    """Of a hundred, the one that was down was on none of the first lines."""
    assert panel_of(BALANCERS, "Servers")["options"]["sortBy"] == [{"displayName": "state", "desc": False}]


@every_panel
def test_the_columns_of_a_table_have_an_order(path: Path, panel: Json) -> None:
    """Grafana gives those of several tags another one in each answer: they changed places every five seconds."""
    for target in panel["targets"] if panel["type"] == "table" else ():
        tags = re.findall(r'"(\w+)"', target["query"].rpartition("GROUP BY")[2])
        if len(tags) > 1:
            (*_, organized) = panel["transformations"]
            assert organized["id"] == "organize"
            assert set(tags) <= organized["options"]["indexByName"].keys()


@every_panel
def test_only_the_texts_of_a_table_have_a_filter(path: Path, panel: Json) -> None:
    """Its sign took the room of the names of the figures."""
    if panel["type"] == "table":
        assert overrides(panel)["number"] == {"custom.filterable": False}


def test_a_long_text_is_wrapped() -> None:
    for path, title in ((DRILL, "Events"), (BALANCERS, "Warnings")):
        assert overrides(panel_of(path, title))["text"]["custom.cellOptions"]["wrapText"]


@pytest.mark.parametrize("path", [FLEET, HISTORY], ids=lambda path: path.stem)
def test_a_table_of_runs_leads_to_a_run_with_the_range_of_that_run(path: Path) -> None:
    (link,) = overrides(panel_of(path, "Runs"))["run"]["links"]
    assert "from=${__data.fields.from.numeric}&to=${__data.fields.to.numeric}" in link["url"]


def test_many_backends_are_a_top_ten_and_a_spread() -> None:
    for title in ("The ten busiest backends", "The ten slowest backends"):
        assert re.search(r'top\("\w+", "backend", 10\)', panel_of(DRILL, title)["targets"][0]["query"])
    spread = panel_of(DRILL, "Spread of requests by backend")["targets"][0]["query"]
    assert re.findall('AS "(quietest|median|busiest)"', spread) == ["quietest", "median", "busiest"]


def test_the_tables_have_what_readers_of_other_boards_look_for() -> None:
    labels = panel_of(DRILL, "By label")["targets"][0]["query"]
    assert all(f'"{name}"' in labels for name in ("count", "errors", "error share", "p50", "p95", "p99"))
    servers = panel_of(BALANCERS, "Servers")["targets"][0]["query"]
    assert all(f'"{name}"' in servers for name in ("state", "sessions", "queue", "requests", "5xx", "retries"))
    assert "run" in variables(load(DRILL))


def test_each_run_leads_to_its_report() -> None:
    """At an address that the reader gives: no database tells it."""
    (link,) = (one for one in load(DRILL)["links"] if one["title"] == "Report")
    assert link["url"] == "${reports}/${run}/report.html"
    for path in (FLEET, HISTORY):
        (link,) = overrides(panel_of(path, "Runs"))["verdict"]["links"]
        assert link["url"] == "${reports}/${__data.fields.run}/report.html"
    for path in (DRILL, FLEET, HISTORY):
        assert any(one["name"] == "reports" for one in load(path)["templating"]["list"])


@pytest.mark.parametrize("path", [FLEET, HISTORY], ids=lambda path: path.stem)
def test_a_table_of_runs_has_a_width_for_each_column_that_is_shown(path: Path) -> None:
    """Without one Grafana gave each 150 pixels, and the last three lay beyond the edge."""
    panel = panel_of(path, "Runs")
    given = {name for name, one in overrides(panel).items() if "custom.width" in one}
    columns, _, tags = panel["targets"][0]["query"].partition(" FROM ")
    asked = re.findall(r'"(\w+)"', columns + tags.rpartition("GROUP BY")[2])
    assert {*asked, "end"} == given
