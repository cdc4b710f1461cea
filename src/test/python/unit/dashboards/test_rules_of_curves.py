"""A rule for each mistake that a real Grafana once showed in the curves, bars and tables of these boards."""

import re
from pathlib import Path

import pytest

from dashboards.colors import FAULTS, GENERATION, GREEN, GREY, NAMES, ORANGE, PROCESSES, RED, SERIES, VERSION
from support.board_rules import BALANCERS, COMPARE, DRILL, FLEET, HISTORY, every_panel, overrides, panel_of
from support.grafana import PROMETHEUS_BOARD, Json, load, queries, text_of, variables
from switchover.faults.catalogue import CATALOGUE


@every_panel
def test_an_xychart_names_the_version_that_it_was_made_for(path: Path, panel: Json) -> None:
    """Without one Grafana takes it for old, and its migration leaves only "Err"."""
    if panel["type"] == "xychart":
        assert panel["pluginVersion"] == "11.6.0"
        assert panel["fieldConfig"]["defaults"]["color"]["mode"] == "palette-classic"
        assert panel["fieldConfig"]["defaults"]["custom"]["show"] == "points"


@every_panel
def test_a_curve_breaks_where_its_source_is_silent(path: Path, panel: Json) -> None:
    """And not between two points of a panel that asks for one in five seconds: Users were five dots."""
    custom = panel["fieldConfig"]["defaults"].get("custom", {})
    if panel["type"] == "timeseries" and custom["drawStyle"] == "line":
        assert custom["insertNulls"] == 3000 * int(panel["interval"].removesuffix("s"))
    assert "spanNulls" not in custom


@every_panel
def test_dots_of_months_are_not_parted_by_nulls(path: Path, panel: Json) -> None:
    """Grafana makes one for every three seconds of the range: of a year in History the browser's tab died."""
    custom = panel["fieldConfig"]["defaults"].get("custom", {})
    if custom.get("drawStyle") == "points":
        assert custom["insertNulls"] is False
        assert all(one.get("custom.insertNulls") is None for one in overrides(panel).values())


def test_a_run_without_a_target_is_called_by_its_fault_alone() -> None:
    """Grafana wrote "node-down null"."""
    given = overrides(panel_of(HISTORY, "Outage of each run"))
    assert given["/ null$/"] == {"displayName": "${__field.labels.fault}"}
    versions = panel_of(HISTORY, "Versions of the balancers")["transformations"][0]
    assert versions["options"]["filters"] == [{"fieldName": "target", "config": {"id": "isNotNull", "options": {}}}]


@every_panel
def test_a_bar_stands_over_its_interval_and_is_empty_where_nothing_was_counted(path: Path, panel: Json) -> None:
    custom = panel["fieldConfig"]["defaults"].get("custom", {})
    if custom.get("drawStyle") == "bars":
        by_end = path == PROMETHEUS_BOARD
        assert custom["barAlignment"] == (-1 if by_end else 1)
        empty = "* 0)" if by_end else "fill(0)"
        assert all(empty in str(text_of(target)) for target in panel["targets"])


@every_panel
def test_failed_is_red_and_late_orange_in_all_bars(path: Path, panel: Json) -> None:
    if panel["fieldConfig"]["defaults"].get("custom", {}).get("drawStyle") == "bars":
        assert overrides(panel)["/failed$/"]["color"]["fixedColor"] == RED
        assert overrides(panel)["/late$/"]["color"]["fixedColor"] == ORANGE


@every_panel
def test_a_node_has_the_same_colour_in_every_panel(path: Path, panel: Json) -> None:
    if panel["type"] == "timeseries":
        given = overrides(panel)
        assert {name: given[rf"/^{name}\b/"]["color"]["fixedColor"] for name in NAMES} == dict(NAMES)


@every_panel
def test_a_curve_whose_name_the_board_gives_has_its_colour_from_the_board(path: Path, panel: Json) -> None:
    """By their names Grafana drew the quietest backend red, and five percentiles in one pale green."""
    if panel["type"] != "timeseries" or not {"p50", "median", "refused"} & names_given(panel):
        return
    given = {pattern: one for pattern, one in overrides(panel).items() if "color" in one}
    for name in names_given(panel):
        assert any(re.search(pattern.strip("/"), name) for pattern in given), name


def names_given(panel: Json) -> set[str]:
    """Of the series that are columns of a query, or have a name without a variable; of kinds of failures a sample."""
    names: set[str] = set()
    for target in panel["targets"]:
        alias = target.get("alias") or target.get("legendFormat") or ""
        if alias == "$col":
            names.update(re.findall(r'AS "(\w+)"', target["query"].partition(" FROM ")[0]))
        elif alias == "$tag_error":
            names.update(("refused", "reset", "connect_timeout", "read_timeout", "status"))
        elif "$" not in alias and "{" not in alias:
            names.add(alias)
    return names


@every_panel
def test_the_second_balancer_is_dashed_where_the_colour_is_a_servers(path: Path, panel: Json) -> None:
    """Each server had one colour for what both balancers sent it."""
    if panel["type"] == "timeseries" and panel["fieldConfig"]["defaults"]["custom"]["drawStyle"] == "line":
        assert overrides(panel)[r"/ lb2\b/"]["custom.lineStyle"]["fill"] == "dash"


def test_active_writing_and_waiting_connections_are_told_apart() -> None:
    """All three of a node had the colour of the node."""
    given = overrides(panel_of(BALANCERS, "Nginx connections"))
    assert given["/ writing$/"]["custom.lineStyle"]["fill"] == "dash"
    assert given["/ waiting$/"]["custom.lineStyle"]["fill"] == "dot"


def test_a_limit_far_above_has_an_axis_of_its_own() -> None:
    """At 10,000 connections at most, the three that there were lay on the axis."""
    given = overrides(panel_of(BALANCERS, "HAProxy connections"))
    assert given["/ at most$/"]["custom.axisPlacement"] == "right"


@every_panel
def test_the_axis_of_counts_that_are_all_0_ends_at_1(path: Path, panel: Json) -> None:
    """Grafana's ended at 100 errors a second."""
    defaults = panel["fieldConfig"]["defaults"]
    if panel["type"] == "timeseries" and defaults["custom"]["drawStyle"] == "line" and defaults["unit"] == "cps":
        assert defaults["custom"]["axisSoftMax"] == 1


def test_a_load_is_not_green_because_of_its_name() -> None:
    given = overrides(panel_of(DRILL, "Users"))
    assert {name: given[rf"/^{name}\b/"]["color"]["fixedColor"] for name in ("locust", "jmeter")} == {
        name: PROCESSES[name] for name in ("locust", "jmeter")
    }


def test_many_names_stand_beside_the_curves() -> None:
    """Below them they took half of the panel, and did not end there; 200 faint areas were one block."""
    servers = ("Requests per second by server", "Sessions by server", "Response time by server", "Errors by server")
    for title in ("CPU by process", "Memory by process", "Retries and redispatches", *servers):
        panel = panel_of(BALANCERS, title)
        assert panel["options"]["legend"]["placement"] == "right"
        assert panel["fieldConfig"]["defaults"]["custom"]["fillOpacity"] == 0


def test_rates_are_by_the_times_of_the_readings() -> None:
    """By intervals two readings in one second were a double rate, and a run ended with a peak."""
    rates = [asked.text for asked in queries(BALANCERS) if "non_negative" in asked.text]
    assert rates
    for text in rates:
        assert re.search(r'sum\("more"\) / sum\("ms"\).*elapsed\("\w+", 1ms\).*"ms" >= 100', text)


def test_no_name_has_the_colour_of_a_state() -> None:
    assert not {RED, ORANGE, GREEN, GREY, "blue", "yellow"} & {
        *NAMES.values(),
        *FAULTS.values(),
        *PROCESSES.values(),
        *SERIES.values(),
        *(color for _, color in (*GENERATION.values(), *VERSION.values())),
    }


def test_every_fault_of_the_catalogue_has_its_colour_in_fleet() -> None:
    """By its name Grafana drew keepalived-kill orange."""
    assert FAULTS.keys() == CATALOGUE.keys()
    for title in ("Outage by fault, against its limit", "Outage and prediction"):
        given = overrides(panel_of(FLEET, title))
        assert {name: given[rf"/^{name}\b/"]["color"]["fixedColor"] for name in FAULTS} == dict(FAULTS)


def test_a_fault_has_its_colour_in_the_history_beside_each_target() -> None:
    given = overrides(panel_of(HISTORY, "Outage of each run"))
    for name, color in FAULTS.items():
        (found,) = (one for pattern, one in given.items() if pattern == rf"/^.*{name}\b/")
        assert found["color"]["fixedColor"] == color


def test_the_limit_and_the_prediction_are_steps_in_fleet() -> None:
    for title in ("Outage by fault, against its limit", "Outage and prediction"):
        steps = overrides(panel_of(FLEET, title))["/^limit$|at (least|most)$/"]
        assert (steps["custom.drawStyle"], steps["custom.lineInterpolation"]) == ("line", "stepAfter")


@every_panel
def test_no_legend_of_drill_names_every_backend(path: Path, panel: Json) -> None:
    """100 of them took half of the panel, and their bars were moiré; a heat map has a line for each."""
    if path == DRILL and any('"backend" fill' in target.get("query", "") for target in panel["targets"]):
        over_all = "FROM (SELECT" in panel["targets"][0]["query"]
        assert over_all or panel["fieldConfig"]["defaults"]["color"]["mode"] == "continuous-blues"


def test_the_legend_of_fleet_names_faults_and_not_their_windows() -> None:
    hidden = overrides(panel_of(FLEET, "Outage and prediction"))["/at (least|most)$/"]["custom.hideFrom"]
    assert hidden == {"legend": True, "tooltip": False, "viz": False}


def test_good_answers_are_not_orange_and_errors_are_red() -> None:
    """By their names alone Grafana drew the 2xx of both balancers orange."""
    given = overrides(panel_of(BALANCERS, "Answers by class"))
    assert [given[f"/^{start}/"]["color"]["fixedColor"] for start in ("2xx", "4xx", "5xx")] == ["blue", ORANGE, RED]


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
    """The first lines of a hundred backends lack the one that was down."""
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
