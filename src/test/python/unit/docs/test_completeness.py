"""What the code offers, the pages and the registers have: each step of a recipe that is forgotten fails here."""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from support.checkout import CHECKOUT
from switchover.cli.doctor import check_target
from switchover.model.clock import Clock
from switchover.model.vrrp import KeepalivedSettings
from switchover.rundir.measurements import ADVERT, EVENT, MEASUREMENTS
from switchover.streaming.metrics.registry import STATES, TRAFFIC, VALUES
from switchover.target.model import Endpoint, Node, Target
from switchover.target.reader import load_target
from switchover.target.schema import FORMS
from switchover.target.telemetry_sources import Command
from switchover.telemetry.scrapers import scrapers_of

WAYS = sorted({field.name for field in fields(Node)} - {"name", "role", "host", "shared_clock"})
"""The keys of a `[[node]]` that say how it is watched."""
NOT_SCRAPED = {"vip_owner", "access_log", "keepalived", "clock", "machine_id"}
"""Sources and files, which have readers of their own."""
NO_METRIC = {(ADVERT, "vrid")}
"""Numbers that name a thing and measure nothing."""
TEXTS = {"generation", "text", "hdr"}
"""Texts that are no states."""


def page(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def watched(way: str) -> Node:
    """A node that is watched in one way, by a command that fails."""
    fails = Command(("false",))
    source = {"vip_owner": (fails,), "keepalived": KeepalivedSettings()}.get(way, fails)
    return Node("lb1", "balancer", **{way: source})  # type: ignore[arg-type]


@pytest.mark.parametrize("way", WAYS)
def test_a_target_file_may_have_each_way_to_watch_a_node(way: str, tmp_path: Path) -> None:
    source = "{ priority = 101 }" if way == "keepalived" else '["false"]'
    path = tmp_path / "site.toml"
    path.write_text(
        f'[target]\nurl = "http://127.0.0.1:1/"\n[[node]]\nname = "lb1"\nrole = "balancer"\n{way} = {source}\n',
        encoding="utf-8",
    )
    assert getattr(load_target(path).nodes[0], way)


@pytest.mark.parametrize("way", WAYS)
def test_doctor_tries_each_way_to_watch_a_node(way: str) -> None:
    target = Target(Endpoint("http://127.0.0.1:1/"), nodes=(watched(way),))
    assert f"lb1 {way}" in {check.subject for check in check_target(target)}


@pytest.mark.parametrize("way", [way for way in WAYS if way not in NOT_SCRAPED])
def test_each_way_to_watch_a_node_is_registered(way: str) -> None:
    scrapers = scrapers_of(watched(way), Clock.of_process())
    assert [scraper.source for scraper in scrapers] == [way]


@pytest.mark.parametrize("table", sorted(set(FORMS) - {"lab"}))
def test_the_keys_of_a_table_of_a_target_file_are_documented(table: str) -> None:
    forms = FORMS[table][0] if isinstance(FORMS[table], list) else FORMS[table]
    section = re.split(rf"\n## `\[+{table}\b", page("docs/target-file.md"))[1].partition("\n## ")[0]
    named = re.findall(r"`([\w.]+)`", section)
    assert set(forms.get("*", forms)) <= {name.partition(".")[0] for name in named}


@pytest.mark.parametrize("measurement", sorted(MEASUREMENTS))
def test_each_field_of_a_point_is_a_metric(measurement: str) -> None:
    if measurement in TRAFFIC or measurement == EVENT:
        return
    for name, kind in MEASUREMENTS[measurement].fields.items():
        if kind == "str":
            assert (measurement, name) in STATES or name in TEXTS
        else:
            assert (measurement, name) in VALUES or (measurement, name) in NO_METRIC


DOCS = CHECKOUT / "docs"
DATA = (".json", ".csv", ".parquet", ".pcap")
PAGE = (DOCS / "proof" / "COLUMNS.txt").read_text(encoding="utf-8")
SHARED = "## Columns that several files have"
FILES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*") if path.suffix in DATA)


def named(text: str) -> list[str]:
    """What stands in the first cells of tables, between backticks."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("|")]
    return [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]


def sections() -> dict[tuple[str, ...], str]:
    """The patterns of a section's files -> its text."""
    found = re.split(r"^### (.+)$", PAGE, flags=re.M)[1:]
    return {
        tuple(re.findall(r"`([^`]+)`", heading)): text for heading, text in zip(found[::2], found[1::2], strict=True)
    }


def columns_of(path: Path) -> set[str]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return set(next(csv.reader(file)))
    if path.suffix == ".pcap":  # a form of its own
        return set()
    return set(_leaves(json.loads(path.read_text(encoding="utf-8"))))


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    """Where its values are: the keys on the way, with dots between."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _leaves(inside, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inside in value:
            yield from _leaves(inside, path)
    else:
        yield path


def is_named(column: str, names: list[str]) -> bool:
    """By its whole name, or by the end of it: above it are the names of cases."""
    return any(fnmatchcase(column, name) or fnmatchcase(column, f"*.{name}") for name in names)


def section_of(file: str) -> str:
    (text,) = [text for patterns, text in sections().items() if any(fnmatchcase(file, one) for one in patterns)]
    return text


@pytest.mark.parametrize("file", FILES)
def test_each_column_of_a_file_is_named(file: str) -> None:
    names = named(section_of(file)) + named(PAGE.partition(SHARED)[2].partition("\n## ")[0])
    assert {column for column in columns_of(DOCS / file) if not is_named(column, names)} == set()


@pytest.mark.parametrize("patterns", sections(), ids=" ".join)
def test_each_column_that_is_named_is_there(patterns: tuple[str, ...]) -> None:
    files = [file for file in FILES if any(fnmatchcase(file, one) for one in patterns)]
    columns = set().union(*(columns_of(DOCS / file) for file in files))
    assert {
        name for name in named(sections()[patterns]) if not any(is_named(one, [name]) for one in columns)
    } == set()


def test_the_program_of_each_command_is_there() -> None:
    for module in re.findall(r"python -m proof\.(\w+)", PAGE):
        assert (CHECKOUT / "src/test/python/proof" / f"{module}.py").exists()
