"""A rule for each mistake that a real Grafana once showed on these boards: figures, states, what a board asks."""

import re
from pathlib import Path

import pytest

from dashboards.colors import GREEN, GREY, HOLDERS, RECOVERED, RED, VERDICT, VRRP
from support.board_rules import (
    BALANCERS,
    COMPARE,
    DOCS,
    DRILL,
    FLEET,
    HISTORY,
    every_panel,
    overrides,
    panel_of,
    words_of,
)
from support.grafana import (
    BOARDS,
    INFLUXQL_BOARDS,
    PROMETHEUS_BOARD,
    Json,
    asked_in_a_refresh,
    load,
    panels,
    queries,
    text_of,
)


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
    """Left out, Grafana's 20 a page take a line below a single bar. Of 25 in a low panel the names were one blot."""
    if panel["type"] == "state-timeline":
        many = panel["title"] in ("Status of the servers", "Requests by backend", "p99 by backend")
        assert bool(panel["options"]["perPage"]) == many
        assert 18 * panel["options"]["perPage"] + 120 <= 38 * panel["gridPos"]["h"]


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
    assert all(f'"{name}"' in asked for name in ("verdict", "recovered", "outage_low_ms", "outage_high_ms"))


def test_the_number_of_holders_is_one_bar_that_is_green_for_one_alone() -> None:
    """The tens count holders, the units the nodes that have told: 0 is a run without a source.

    A run began with "nobody holds it" in red, if the backup was the first to tell by a second.
    """
    told, held, _ = (one["query"] for one in panel_of(DRILL, "Holders of the address")["targets"])
    assert told.startswith('SELECT count("held") FROM')
    assert '"held" = true' in held and held.startswith('SELECT count("held") * 10 FROM')
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


def test_a_bar_is_called_after_its_node_alone() -> None:
    (*_, last) = panel_of(DRILL, "VRRP state")["transformations"]
    assert last == {"id": "renameByRegex", "options": {"regex": "^(.*) state$", "renamePattern": "$1"}}


@pytest.mark.parametrize("panel", [one for one in panels(load(PROMETHEUS_BOARD)) if one["type"] == "state-timeline"])
def test_a_state_timeline_over_prometheus_says_no_data_where_there_is_none(panel: Json) -> None:
    """An empty answer was "Data does not have a time field"."""
    assert panel["transformations"] == [{"id": "prepareTimeSeries", "options": {"format": "multi"}}]
    assert panel["fieldConfig"]["defaults"].get("displayName") or panel["title"] == "Requests by backend"


def test_a_restart_changes_the_colour_of_an_generation() -> None:
    words = words_of(panel_of(BALANCERS, "Generations")["fieldConfig"]["defaults"]["mappings"])
    assert len({words[f"/{digit}$/"][1] for digit in range(10)}) == 10


@pytest.mark.parametrize("path", [FLEET, HISTORY], ids=lambda path: path.stem)
def test_an_invalid_run_gives_no_outage(path: Path) -> None:
    for asked in queries(path):
        if "outage" in asked.text and "Runs (" not in asked.where and "switchover_verdict" in asked.text:
            assert '"valid" = true' in asked.text, asked.where


def test_a_verdict_without_a_target_is_in_the_history_until_one_is_chosen() -> None:
    """InfluxQL finds no field that is not there, whatever the pattern; a word is always there."""
    for panel in panels(load(HISTORY)):
        for asked in (target["query"] for target in panel["targets"] if "switchover_verdict" in target["query"]):
            assert '("target" =~ /^$target$/ OR "verdict" =~ /^$target$/)' in asked, panel["title"]


@pytest.mark.parametrize("path", INFLUXQL_BOARDS, ids=lambda path: path.stem)
def test_no_variable_stands_in_quotes(path: Path) -> None:
    """Grafana escapes each for a pattern, and InfluxDB refuses such a text: a target with a dot was an error."""
    for asked in queries(path):
        assert not re.search(r"'[^' ]*\$[^' ]*'", asked.text), asked.where


def test_the_history_offers_the_targets_of_its_time_range() -> None:
    """It keeps the range of the board that led to it, a drill's minutes, until a reader asks for a year."""
    asked = [one for one in load(HISTORY)["templating"]["list"] if one["type"] == "query"]
    assert {one["name"]: one["refresh"] for one in asked} == {"target": 2, "fault": 2}


def test_the_months_of_the_history_begin_with_the_time_range() -> None:
    """By themselves they begin at multiples of 30 days, and Grafana left out the one that began before the range."""
    grouped = [found[1] for asked in queries(HISTORY) if (found := re.search(r"GROUP BY (time\(.*?\))", asked.text))]
    assert len(grouped) == 5
    assert set(grouped) == {"time(30d, ${__from}ms)"}


def test_an_upgrade_changes_the_colour_of_a_version() -> None:
    """By the last digit of the whole text, Keepalived's, another HAProxy was not seen."""
    panel = panel_of(HISTORY, "Versions of the balancers")
    words = words_of(panel["fieldConfig"]["defaults"]["mappings"])
    (pattern,) = (one["options"]["regExp"] for one in panel["transformations"] if one["id"] == "extractFields")

    def told(versions: str) -> tuple[str, str]:
        """The colour of each of the two bars."""
        found = re.match(pattern.strip("/").replace("(?<b", "(?P<b").replace("(?<k", "(?P<k"), versions)
        assert found
        return color(found["balancer"]), color(found["keepalived"])

    def color(version: str | None) -> str:
        fits = (shown for value, (_, shown) in words.items() if version and re.search(value.strip("/"), version))
        return next(fits, GREY)

    before, after = told("haproxy 2.6.12, keepalived 2.2.7"), told("haproxy 2.8.3-1+deb12u2, keepalived 2.2.7")
    assert before[0] != after[0] and before[1] == after[1] != GREY
    assert told("nginx 1.22.1")[0] != GREY == told("nginx 1.22.1")[1]
    assert told("keepalived 2.3.0")[0] == GREY != told("keepalived 2.3.0")[1]


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
