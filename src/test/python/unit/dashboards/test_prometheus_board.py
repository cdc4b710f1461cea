"""Drill (Prometheus): it asks for what the exporter serves, by its names and labels, and for one run alone."""

import re
from collections.abc import Iterator

import pytest

from dashboards.colors import SERVER_STATUS
from support.grafana import FOLDER, PROMETHEUS_BOARD, Asked, load, panels, queries, text_of
from support.recorded import runs
from switchover.rundir.points import parse_point
from switchover.streaming.metrics.registry import Kind, Registry

ASKED = list(queries(PROMETHEUS_BOARD))
SELECTOR = re.compile(r"\b(switchover_\w+)(?:\{([^}]*)\})?")
every_query = pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.where)


@pytest.fixture(scope="module")
def served() -> dict[str, set[str]]:
    """The labels of each metric that the exporter serves of a recorded run, by the name of its series."""
    registry = Registry()
    for line in runs()[0].points.splitlines():
        registry.add(parse_point(line.decode()))
    found: dict[str, set[str]] = {}
    for family, series in registry.collect():
        labels = {name for of_one, _ in series for name, _ in of_one}
        if family.kind is Kind.HISTOGRAM:
            found |= {f"{family.name}_{part}": labels for part in ("sum", "count")}
            found[f"{family.name}_bucket"] = {*labels, "le"}
        else:
            found[family.name] = labels
    return found


def selectors(asked: Asked) -> Iterator[tuple[str, set[str]]]:
    """Each metric that a query names, and the labels on which it puts conditions."""
    for name, conditions in SELECTOR.findall(asked.text):
        yield name, set(re.findall(r'(\w+)(?:=~|!~|!=|=)"', conditions))


def test_the_datasource_of_everything_is_the_chosen_prometheus() -> None:
    board = load(PROMETHEUS_BOARD)
    sharing = "-- Dashboard --"
    sources = {panel["datasource"]["uid"] for panel in panels(board)}
    sources |= {one["datasource"]["uid"] for one in board["templating"]["list"] if "datasource" in one}
    sources |= {mark["datasource"]["uid"] for mark in board["annotations"]["list"]}
    assert sources == {"${prometheus}", sharing}


@every_query
def test_every_metric_is_one_that_the_exporter_serves_with_these_labels(
    asked: Asked, served: dict[str, set[str]]
) -> None:
    named = list(selectors(asked))
    assert named
    for name, labels in named:
        assert labels <= served.get(name, set()), f"{name} has not {labels}"


@every_query
def test_a_query_is_grouped_by_labels_of_its_metrics(asked: Asked, served: dict[str, set[str]]) -> None:
    made_by_itself = set(re.findall(r'label_(?:join|replace)\(.*?, "(\w+)", ', asked.text))
    labels = set().union(*(served[name] for name, _ in selectors(asked)))
    for grouped in re.findall(r"\b(?:by|on) \(([^)]*)\)", asked.text):
        assert {one.strip() for one in grouped.split(",") if one.strip()} <= labels | made_by_itself


@every_query
def test_every_metric_is_of_the_chosen_run(asked: Asked) -> None:
    if "variable run" not in asked.where:
        for _, conditions in SELECTOR.findall(asked.text):
            assert 'run="$run"' in conditions


@every_query
def test_nothing_is_counted_by_rate(asked: Asked) -> None:
    """It knows nothing of the count with which a series begins: the first failures, the backup's first answers."""
    assert not re.search(r"\bi?(rate|increase)\(", asked.text)


def test_what_was_judged_and_failed_stays_after_the_exporter_ended() -> None:
    for panel in panels(load(PROMETHEUS_BOARD)):
        if panel["type"] == "stat":
            for target in panel["targets"]:
                text = text_of(target) or ""
                assert text.count("last_over_time(") == len(SELECTOR.findall(text)), panel["title"]
                assert target.get("instant", True), panel["title"]


def test_a_dead_haproxy_has_no_servers() -> None:
    asked = [one.text for one in ASKED if "switchover_haproxy_" in one.text]
    assert len(asked) == 2
    for text in asked:
        assert re.search(r'\) and on \(node\) switchover_scrape_ok\{[^}]*source="haproxy"\} == 1$', text)


def test_the_statuses_of_a_server_have_the_colours_of_balancers() -> None:
    (panel,) = (one for one in panels(load(PROMETHEUS_BOARD)) if one["title"] == "Status of the servers")
    colors = [
        shown["color"]
        for one in panel["fieldConfig"]["defaults"]["mappings"]
        if one["type"] == "value"
        for shown in one["options"].values()
    ]
    assert colors == [color for _, color in SERVER_STATUS.values()]


def test_the_docs_name_the_file_that_provisions_its_prometheus() -> None:
    text = (FOLDER.parent / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert "`prometheus.yaml`" in text and "`PROMETHEUS_URL`" in text
