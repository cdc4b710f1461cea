"""The committed dashboards: what their code makes, nothing left out, and no query that names what is not there."""

import re
from collections import Counter
from pathlib import Path

import pytest

from dashboards.board import SOURCE
from dashboards.written import texts
from support.grafana import ALERTS, BOARDS, FOLDER, PROMETHEUS_BOARD, alert_queries, load, panels, queries, variables

MACROS = {"timeFilter", "__interval", "__interval_ms", "__range", "__from", "__to"}
boards = pytest.mark.parametrize("path", BOARDS, ids=lambda path: path.stem)


def test_what_is_committed_is_what_the_code_makes() -> None:
    """`make dashboards` writes it."""
    committed = {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in (*BOARDS, ALERTS)}
    assert committed == texts()


@boards
def test_every_panel_says_what_it_shows_in_which_unit_and_what_for(path: Path) -> None:
    for panel in panels(load(path)):
        assert panel["title"]
        assert len(panel["description"]) > 30, panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["targets"], panel["title"]


@boards
def test_panels_fill_their_rows_and_never_lie_on_each_other(path: Path) -> None:
    """With all rows open; those that are closed take one line while they are."""
    board = load(path)
    rows = [one["gridPos"] for one in board["panels"] if one["type"] == "row"]
    places = rows + [panel["gridPos"] for panel in panels(board)]
    cells = Counter(
        (at["x"] + right, at["y"] + down) for at in places for right in range(at["w"]) for down in range(at["h"])
    )
    assert set(cells.values()) == {1}
    assert set(Counter(y for _, y in cells).values()) == {24}


@boards
def test_every_query_is_bound_in_time_and_uses_variables_that_are_there(path: Path) -> None:
    known = {*variables(load(path)), *MACROS}
    bound = 'run="$run"|[$__range' if path == PROMETHEUS_BOARD else "$timeFilter"
    for asked in queries(path):
        assert any(one in asked.text for one in bound.split("|")), asked.where
        assert set(re.findall(r"\$\{?(\w+)", asked.text)) <= known, asked.where


@boards
def test_a_variable_asks_only_for_those_before_it(path: Path) -> None:
    """Else Grafana has no order in which to fill them."""
    names = [one["name"] for one in load(path)["templating"]["list"]]
    for asked in queries(path):
        if name := re.fullmatch(r".*: variable (\w+)", asked.where):
            before = names[: names.index(name[1])]
            assert set(re.findall(r"\$(\w+)", asked.text)) - MACROS <= set(before)


@boards
def test_a_dashboard_leads_to_the_others_with_its_time_and_variables(path: Path) -> None:
    board = load(path)
    others = {f"/d/{load(other)['uid']}" for other in BOARDS if other != path}
    leading = [link for link in board["links"] if link["url"].startswith("/d/")]
    assert {link["url"] for link in leading} == others
    assert all(link["keepTime"] and link["includeVars"] for link in leading)


@boards
def test_ids_are_unique(path: Path) -> None:
    board = load(path)
    rows = [one["id"] for one in board["panels"] if one["type"] == "row"]
    ids = [*rows, *(panel["id"] for panel in panels(board))]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("version", ["1.8", "2.7"])
def test_the_compose_file_mounts_what_is_there(version: str) -> None:
    text = (FOLDER / "compose.yaml").read_text(encoding="utf-8").replace("${INFLUXDB:-2.7}", version)
    mounted = re.findall(r"- \./([^:]+):/", text)
    assert len(mounted) == 4
    assert all((FOLDER / path).exists() for path in mounted)


def test_every_data_source_is_the_one_that_alerts_ask() -> None:
    for path in (FOLDER / "datasources").glob("influxdb-*.yaml"):
        assert f"uid: {SOURCE}\n" in path.read_text(encoding="utf-8"), path.name
        assert "isDefault: true\n" in path.read_text(encoding="utf-8"), path.name
        assert "version: InfluxQL\n" in path.read_text(encoding="utf-8"), path.name


def test_the_prometheus_of_the_docs_is_the_first_choice_of_its_dashboard() -> None:
    (choice,) = (one for one in load(PROMETHEUS_BOARD)["templating"]["list"] if one["type"] == "datasource")
    provisioned = (FOLDER / "datasources" / "prometheus.yaml").read_text(encoding="utf-8")
    assert choice["query"] == "prometheus"
    assert f"uid: {choice['current']['value']}\n" in provisioned
    assert "isDefault: false\n" in provisioned, "the alerts and the other dashboards ask InfluxDB"


def test_an_alert_names_no_variable_of_a_dashboard() -> None:
    asked = list(alert_queries())
    assert asked
    for one in asked:
        assert set(re.findall(r"\$(\w+)", one.text)) == {"timeFilter"}, one.where
