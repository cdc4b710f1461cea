"""The committed dashboards as Grafana takes them apart: their queries, with its macros and variables filled in."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[4] / "dashboards"
PROMETHEUS_BOARD = FOLDER / "grafana" / "switchover-prometheus.json"
BOARDS = sorted((FOLDER / "grafana").glob("*.json"))
INFLUXQL_BOARDS = [path for path in BOARDS if path != PROMETHEUS_BOARD]
ALERTS = FOLDER / "provisioning" / "alerting" / "switchover.json"
EVERYTHING = ".*"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One query, and where it is asked."""

    where: str
    text: str

    def filled(self, start_ms: int, end_ms: int, variables: Mapping[str, str], interval_ms: int = 1000) -> str:
        """The text that reaches the server, as Grafana 11 makes it of this one. Macros are names that `$` begins."""
        values = {
            "timeFilter": f"time >= {start_ms}ms and time <= {end_ms}ms",
            "__from": str(start_ms),
            "__to": str(end_ms),
            "__interval_ms": str(interval_ms),
            "__interval": f"{interval_ms}ms",
            "__range": f"{end_ms - start_ms}ms",
            **variables,
        }
        return re.sub(r"\$\{?(\w+)\}?", lambda found: values[found[1]], self.text)


def load(path: Path) -> Json:
    board: Json = json.loads(path.read_text(encoding="utf-8"))
    return board


def text_of(target: Json) -> str | None:
    """What a target asks, InfluxQL or PromQL; None of one that shows what another panel was answered."""
    return target.get("query") or target.get("expr")


def panels(board: Json) -> Iterator[Json]:
    """Without the rows that only group them."""
    for panel in board["panels"]:
        if panel["type"] == "row":
            yield from panel["panels"]
        else:
            yield panel


def asked_in_a_refresh(board: Json) -> list[str]:
    """What a refresh asks the database for: panels of open rows, shown marks, variables by the time range."""
    shown = [panel for panel in board["panels"] if panel["type"] != "row"]
    texts = [text for panel in shown for target in panel["targets"] if (text := text_of(target))]
    marks = board.get("annotations", {}).get("list", ())
    texts += [text for mark in marks if mark["enable"] and (text := text_of(mark["target"]))]
    by_time = 2
    texts += [one["query"] for one in board["templating"]["list"] if one.get("refresh") == by_time]
    return texts


def queries(path: Path) -> Iterator[Asked]:
    """All that a dashboard asks: panels, variables, annotations."""
    board = load(path)
    for panel in panels(board):
        for target in panel["targets"]:
            if text := text_of(target):
                yield Asked(f"{path.stem}: {panel['title']} ({target['refId']})", text)
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            yield Asked(f"{path.stem}: variable {variable['name']}", variable["query"])
    for mark in board.get("annotations", {}).get("list", ()):
        if text := text_of(mark["target"]):
            yield Asked(f"{path.stem}: annotation {mark['name']}", text)


def alert_queries() -> Iterator[Asked]:
    for group in load(ALERTS)["groups"]:
        for rule in group["rules"]:
            for step in rule["data"]:
                if "query" in step["model"]:
                    yield Asked(f"alert {rule['title']}", step["model"]["query"])


def variables(board: Json) -> dict[str, str]:
    """Every variable of a dashboard, set to All."""
    return {one["name"]: EVERYTHING for one in board["templating"]["list"] if one["type"] == "query"}
