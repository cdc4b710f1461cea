"""A rule for each mistake that a real Grafana once showed on these boards."""

import re
from pathlib import Path
from typing import Any

import pytest

from dashboards.colors import EPOCH, GREEN, GREY, HOLDERS, NAMES, ORANGE, RECOVERED, RED, VERDICT, VRRP
from support.grafana import (
    BOARDS,
    FOLDER,
    INFLUXQL_BOARDS,
    PROMETHEUS_BOARD,
    Json,
    asked_in_a_refresh,
    load,
    panels,
    queries,
    text_of,
    variables,
)

DRILL, BALANCERS, COMPARE, FLEET = (
    FOLDER / "grafana" / f"switchover-{name}.json" for name in ("drill", "balancers", "compare", "fleet")
)
DOCS = FOLDER.parent / "docs"
ALL = [
    pytest.param(path, panel, id=f"{path.stem}: {panel['title']}") for path in BOARDS for panel in panels(load(path))
]
every_panel = pytest.mark.parametrize(("path", "panel"), ALL)


def panel_of(path: Path, title: str) -> Json:
    (panel,) = (one for one in panels(load(path)) if one["title"] == title)
    return panel


def words_of(mappings: list[Json]) -> dict[str, tuple[str, str]]:
    """What is written for each value or pattern, and in which colour."""
    found: dict[str, tuple[str, str]] = {}
    for one in mappings:
        options = one["options"]
        if one["type"] == "value":
            found |= {value: (shown.get("text", ""), shown["color"]) for value, shown in options.items()}
        else:
            bounds = f"{options['from']:g}..{options['to']:g}" if "from" in options else ""
            key = bounds or options.get("pattern") or options["match"]
            found[key] = (options["result"].get("text", ""), options["result"]["color"])
    return found


def overrides(panel: Json) -> dict[str, dict[str, Any]]:
    """By the name or pattern of a column or series."""
    found: dict[str, dict[str, Any]] = {}
    for one in panel["fieldConfig"]["overrides"]:
        settings = {item["id"]: item["value"] for item in one["properties"]}
        found.setdefault(one["matcher"]["options"], {}).update(settings)
    return found


@every_panel
def test_an_xychart_names_the_version_that_it_was_made_for(path: Path, panel: Json) -> None:
    """Without one Grafana takes it for old, and its migration leaves only "Err"."""
    if panel["type"] == "xychart":
        assert panel["pluginVersion"] == "11.6.0"
        assert panel["fieldConfig"]["defaults"]["color"]["mode"] == "palette-classic"
        assert panel["fieldConfig"]["defaults"]["custom"]["show"] == "points"


@every_panel
def test_a_curve_breaks_where_its_source_is_silent(path: Path, panel: Json) -> None:
    custom = panel["fieldConfig"]["defaults"].get("custom", {})
    if panel["type"] == "timeseries" and custom["drawStyle"] == "line":
        assert custom["insertNulls"] == 3000
    assert "spanNulls" not in custom


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
def test_what_is_not_known_is_grey_and_says_so(path: Path, panel: Json) -> None:
    defaults = panel["fieldConfig"]["defaults"]
    if panel["type"] == "stat":
        assert defaults["thresholds"]["steps"][0] in ({"value": None, "color": GREY}, {"color": GREY})
        assert defaults["noValue"]
    if defaults.get("mappings"):
        assert words_of(defaults["mappings"])["null+nan"][1] == GREY


@every_panel
def test_a_state_is_coloured_by_its_word_and_grey_without_one(path: Path, panel: Json) -> None:
    """Thresholds win over the words of numbers: the holders of the address were "-Infinity+", all in grey."""
    defaults = panel["fieldConfig"]["defaults"]
    if panel["type"] == "state-timeline" and defaults.get("mappings"):
        assert defaults["color"] == {"mode": "fixed", "fixedColor": GREY}
        assert "thresholds" not in defaults


@every_panel
def test_only_what_may_be_many_is_shown_by_pages(path: Path, panel: Json) -> None:
    """Left out, Grafana's 20 a page take a line below a single bar."""
    if panel["type"] == "state-timeline":
        many = panel["title"] in ("Status of the servers", "Requests by backend", "p99 by backend")
        assert bool(panel["options"]["perPage"]) == many


@every_panel
def test_a_length_of_time_is_no_good_news_by_itself(path: Path, panel: Json) -> None:
    """An outage that did not end has only its shortest length, which may be short: `recovered` judges."""
    if panel["type"] == "stat" and re.search("outage|failback", panel["title"], re.I):
        colors = {step["color"] for step in panel["fieldConfig"]["defaults"]["thresholds"]["steps"]}
        assert GREEN not in colors


@every_panel
def test_a_range_of_its_own_is_no_setting_of_a_panel(path: Path, panel: Json) -> None:
    """Grafana ignores `timeFrom` where the dashboard's range is absolute."""
    assert "timeFrom" not in panel


@every_panel
def test_counts_are_not_shortened(path: Path, panel: Json) -> None:
    """4.79 K failed probes stand for 4,787 ms."""
    units = [panel["fieldConfig"]["defaults"]["unit"], *(one.get("unit") for one in overrides(panel).values())]
    assert "short" not in units


@every_panel
def test_a_node_has_the_same_colour_in_every_panel(path: Path, panel: Json) -> None:
    if panel["type"] == "timeseries":
        given = overrides(panel)
        assert {name: given[rf"/^{name}\b/"]["color"]["fixedColor"] for name in NAMES} == dict(NAMES)


def test_no_name_has_the_colour_of_a_state() -> None:
    assert not {RED, ORANGE, GREEN, GREY, "blue", "yellow"} & {
        *NAMES.values(),
        *(color for _, color in EPOCH.values()),
    }


def test_every_word_of_the_verdict_has_its_colour() -> None:
    rows = re.findall(r"^\| ([A-Z ]+) \| ([012]) \|", (DOCS / "verdict.md").read_text(encoding="utf-8"), re.M)
    assert dict(rows).keys() == VERDICT.keys()
    for word, code in rows:
        assert (VERDICT[word][1] == GREEN) == (word == "PASSED"), word
        assert code != "1" or VERDICT[word][1] == RED, word


def test_a_run_is_running_until_it_is_judged() -> None:
    verdict = panel_of(DRILL, "Verdict")
    words = words_of(verdict["fieldConfig"]["defaults"]["mappings"])
    assert list(words)[: len(VERDICT)] == list(VERDICT)
    assert words["/.+/"][0] == "running"
    assert words["null+nan"] == ("no run", GREY)


def test_an_outage_that_never_ended_is_red() -> None:
    words = words_of(panel_of(DRILL, "Recovered")["fieldConfig"]["defaults"]["mappings"])
    assert words["false"] == ("NOT RECOVERED", RED)
    for path, title in ((COMPARE, "Figures"), (FLEET, "Runs")):
        assert words_of(overrides(panel_of(path, title))["recovered"]["mappings"])["false"][1] == RED
    assert RECOVERED["false"][1] == RED
    asked = panel_of(DRILL, "Verdict")["targets"][1]["query"]
    assert all(f'"{name}"' in asked for name in ("word", "recovered", "outage_low_ms", "outage_high_ms"))


def test_the_number_of_holders_is_one_bar_that_is_green_for_one_alone() -> None:
    """The tens count holders, the units the nodes that were told of: 0 is a run without a witness."""
    words = words_of(panel_of(DRILL, "Holders of the address")["fieldConfig"]["defaults"]["mappings"])
    assert {bounds: words[bounds][1] for bounds in HOLDERS} == {
        "0..1": GREY,
        "2..9": RED,
        "10..19": GREEN,
        "20..99": RED,
    }


def test_a_holder_is_known_that_told_so_before_the_time_range() -> None:
    assert "time >= ${__from}ms - 1h" in panel_of(DRILL, "Holders of the address")["targets"][0]["query"]


def test_a_keepalived_that_died_has_no_state() -> None:
    assert VRRP["/ended without a word/"][1] == GREY
    assert any("ended without a word" in one["query"] for one in panel_of(DRILL, "VRRP state")["targets"])


@pytest.mark.parametrize("path", [DRILL, BALANCERS], ids=lambda path: path.stem)
def test_one_run_at_a_time_is_shown_and_the_newest(path: Path) -> None:
    (run,) = (one for one in load(path)["templating"]["list"] if one["name"] == "run")
    assert not run.get("includeAll")
    assert not run.get("multi")
    assert run["query"].endswith("ORDER BY time DESC LIMIT 1")
    # Grafana 12.2 offers the values of every column that a query selects: a count was shown as the run.
    assert run["query"].startswith('SELECT "run" FROM (')
    assert run["refresh"] == 2


def test_failing_now_is_bounded_by_its_query() -> None:
    (target,) = panel_of(DRILL, "Failing now")["targets"]
    assert target["query"].count("time > now() - 10s") == 3


@pytest.mark.parametrize("path", [DRILL, PROMETHEUS_BOARD], ids=lambda path: path.stem)
def test_a_refresh_of_drill_is_at_most_twelve_queries(path: Path) -> None:
    assert len(asked_in_a_refresh(load(path))) <= 12


@pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)
def test_a_panel_that_shares_an_answer_is_led_to_it(path: Path) -> None:
    board = load(path)
    asking = {panel["id"] for panel in panels(board) if text_of(panel["targets"][0])}
    for panel in panels(board):
        for target in panel["targets"]:
            if not text_of(target):
                assert panel["datasource"]["uid"] == "-- Dashboard --"
                assert target["panelId"] in asking, panel["title"]


@pytest.mark.parametrize("path", INFLUXQL_BOARDS, ids=lambda path: path.stem)
def test_the_database_of_the_runs_is_the_first_choice(path: Path) -> None:
    (database,) = (one for one in load(path)["templating"]["list"] if one["name"] == "database")
    assert database["current"]["value"] == "switchover"


def test_the_columns_of_a_table_are_within_the_panel() -> None:
    """As far as they have a width: Drill's panel of half a screen has at least 620 pixels, Compare's whole 1,700."""
    for path, title, room in (
        (DRILL, "Budgets", 620),
        (COMPARE, "Figures", 1700),
        (FLEET, "Runs", 1560),
        (BALANCERS, "Servers", 1560),
    ):
        assert 0 < sum(one.get("custom.width", 0) for one in overrides(panel_of(path, title)).values()) <= room


def test_a_restart_changes_the_colour_of_an_epoch() -> None:
    words = words_of(panel_of(BALANCERS, "Epochs")["fieldConfig"]["defaults"]["mappings"])
    assert len({words[f"/{digit}$/"][1] for digit in range(10)}) == 10


def test_the_budget_and_the_prediction_are_steps_in_fleet() -> None:
    for title in ("Outage by fault, against its budget", "Outage against what was predicted"):
        steps = overrides(panel_of(FLEET, title))["/^budget$|at (least|most)$/"]
        assert (steps["custom.drawStyle"], steps["custom.lineInterpolation"]) == ("line", "stepAfter")


def test_an_untrusted_run_gives_fleet_no_outage() -> None:
    for asked in queries(FLEET):
        if "outage" in asked.text and "Runs (" not in asked.where and "switchover_verdict" in asked.text:
            assert '"trusted" = true' in asked.text, asked.where


def test_fleet_leads_to_a_run_with_the_range_of_that_run() -> None:
    (link,) = overrides(panel_of(FLEET, "Runs"))["run"]["links"]
    assert "from=${__data.fields.from.numeric}&to=${__data.fields.to.numeric}" in link["url"]


def test_the_proxy_by_which_the_lab_controls_haproxy_is_left_out() -> None:
    for asked in queries(BALANCERS):
        if '"switchover_haproxy"' in asked.text and "variable" not in asked.where:
            assert "\"proxy\" != 'control'" in asked.text, asked.where


def test_a_fault_has_a_colour_of_its_own_and_no_mark_covers_it() -> None:
    marks = {one["name"]: one for one in load(DRILL)["annotations"]["list"]}
    assert [name for name, one in marks.items() if one["iconColor"] == RED] == ["Fault"]
    assert not marks["First failure"]["enable"]


def test_nginx_takes_no_room_where_it_is_not_used() -> None:
    (row,) = (one for one in load(BALANCERS)["panels"] if one["title"] == "Nginx")
    assert row["collapsed"] and row["panels"]


def test_many_backends_are_a_top_ten_and_a_spread() -> None:
    for title in ("The ten busiest backends", "The ten slowest backends"):
        assert re.search(r'top\("\w+", "backend", 10\)', panel_of(DRILL, title)["targets"][0]["query"])
    spread = panel_of(DRILL, "Requests by backend: the spread")["targets"][0]["query"]
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
    (link,) = overrides(panel_of(FLEET, "Runs"))["word"]["links"]
    assert link["url"] == "${reports}/${__data.fields.run}/report.html"
    for path in (DRILL, FLEET):
        assert any(one["name"] == "reports" for one in load(path)["templating"]["list"])


@every_panel
def test_no_legend_of_drill_names_every_backend(path: Path, panel: Json) -> None:
    """100 of them took half of the panel, and their bars were moiré; a heat map has a line for each."""
    if path == DRILL and any('"backend" fill' in target.get("query", "") for target in panel["targets"]):
        over_all = "FROM (SELECT" in panel["targets"][0]["query"]
        assert over_all or panel["fieldConfig"]["defaults"]["color"]["mode"] == "continuous-blues"


@every_panel
def test_a_heat_map_begins_at_0_and_ends_where_nothing_was_told(path: Path, panel: Json) -> None:
    """Grafana's panel of that name lays what was counted in an interval before the interval."""
    assert panel["type"] != "heatmap"
    defaults = panel["fieldConfig"]["defaults"]
    if defaults.get("color", {}).get("mode") == "continuous-blues":
        assert defaults["min"] == 0
        assert not panel["options"]["legend"]["showLegend"]
        empty = r"\* 0\)" if path == PROMETHEUS_BOARD else r"fill\((0|null)\)$"
        assert all(re.search(empty, str(text_of(target))) for target in panel["targets"])
        assert not panel["fieldConfig"]["overrides"]


def test_the_runs_of_fleet_have_a_width_for_each_column_that_is_shown() -> None:
    """Without one Grafana gave each 150 pixels, and the last three lay beyond the edge."""
    panel = panel_of(FLEET, "Runs")
    given = {name for name, one in overrides(panel).items() if "custom.width" in one}
    asked = re.findall(r'"(\w+)"', panel["targets"][0]["query"].partition(" FROM ")[0])
    assert {*asked, "run", "fault", "generator", "end"} == given


def test_the_legend_of_fleet_names_faults_and_not_their_windows() -> None:
    hidden = overrides(panel_of(FLEET, "Outage against what was predicted"))["/at (least|most)$/"]["custom.hideFrom"]
    assert hidden == {"legend": True, "tooltip": False, "viz": False}


def test_a_figure_finds_its_columns_by_the_names_that_are_shown() -> None:
    """Grafana looks for the shown name: columns that a panel renames itself were "not judged" for judged runs."""
    shown = re.findall(r'"\w+" AS "([^"]+)"', panel_of(DRILL, "Verdict")["targets"][1]["query"])
    sharing = [panel for panel in panels(load(DRILL)) if "query" not in panel["targets"][0]]
    found = [
        name
        for panel in sharing
        for name in shown
        if re.search(panel["options"]["reduceOptions"]["fields"][1:-1], name)
    ]
    assert sorted(found) == sorted(name for name in shown if name != "state")
    for path in BOARDS:
        for panel in panels(load(path)):
            if panel["type"] == "stat" and panel["options"]["reduceOptions"].get("fields"):
                assert not any("displayName" in one for one in overrides(panel).values()), panel["title"]


def test_good_answers_are_not_orange_and_errors_are_red() -> None:
    """By their names alone Grafana drew the 2xx of both balancers orange."""
    given = overrides(panel_of(BALANCERS, "Answers by class"))
    assert [given[f"/^{start}/"]["color"]["fixedColor"] for start in ("2xx", "4xx", "5xx")] == ["blue", ORANGE, RED]
