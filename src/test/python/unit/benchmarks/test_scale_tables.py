"""How the steps of a test that grows are shown."""

import importlib
from typing import Any
from xml.etree import ElementTree

import pytest

from support.checkout import CHECKOUT

with pytest.MonkeyPatch.context() as at_import:
    at_import.syspath_prepend(str(CHECKOUT / "benchmarks"))
    tables = importlib.import_module("scale_tables")
    steps = importlib.import_module("scale_steps")
    processes = importlib.import_module("scale_processes")


def row(axis: str, size: int, turn: int, cpu_percent: float, names: tuple[str, ...]) -> dict[str, Any]:
    used = {name: {"processes": 1, "cpu_percent": cpu_percent, "mb": 40.0} for name in names}
    return {
        "at": "2026-11-26",
        "turn": turn,
        "axis": axis,
        "size": size,
        "seconds": 10.0,
        "others_percent": 3.0,
        "processes": used,
        "wanted_rate": 100,
        "rate": 99.0,
        "prober": {"lag_p99_ms": 0.25, "scheduled": 1000, "unsent": 1},
        "kb_per_s": {"samples": 20.0, "probes": 10.0, "journals": 5.0},
        "report": {"cpu_s": 0.8},
    }


def result() -> dict[str, Any]:
    rows = [
        row(axis.name, size, turn, float(turn * size), tuple(axis.processes))
        for axis in tables.AXES
        for size in (10, 2)
        for turn in (1, 2, 3)
    ]
    return {"machine": {"cpu": "of a test", "cores": 2}, "rows": rows}


def test_a_cell_is_the_median_of_the_turns_and_steps_stand_in_their_order() -> None:
    lines = tables.tables(result())["probes"].splitlines()
    assert lines[2] == ("| 2 | 4.0 %, 40 MB | 4.0 %, 40 MB | 4.0 %, 40 MB | 99/s, 99 % | 99.90 % | 0.25 | 35 | 0.8 |")
    assert lines[3].startswith("| 10 | 20.0 %, 40 MB |")


def test_a_process_that_was_not_there_has_no_figures() -> None:
    found = result()
    for one in found["rows"]:
        one["processes"].pop("prober", None)
    assert "| - |" in tables.tables(found)["probes"]


def test_the_page_says_how_often_it_was_played_and_what_else_ran() -> None:
    said = tables.tables(result())["machine"]
    assert "played 3 times" in said
    assert "3 % of a core in the median of the steps, 3 % at most" in said


def test_an_axis_without_rows_says_so_and_has_no_panel() -> None:
    found = result()
    found["rows"] = [one for one in found["rows"] if one["axis"] != "users"]
    assert tables.tables(found)["users"] == "Not played yet."
    assert "of them all" not in tables.draw(found)


def test_each_axis_that_is_played_has_a_table_of_few_columns() -> None:
    assert [axis.name for axis in tables.AXES] == list(dict.fromkeys(step.axis for step in steps.steps()))
    assert max(len(axis.processes) for axis in tables.AXES) + 6 <= 10


def test_the_picture_is_whole_xml_with_a_line_for_each_process_of_each_axis() -> None:
    lines = ElementTree.fromstring(tables.draw(result())).iter("{http://www.w3.org/2000/svg}polyline")
    assert len(list(lines)) == sum(len(axis.processes) for axis in tables.AXES)


def test_the_quick_form_plays_the_largest_step_of_each_axis() -> None:
    sizes = {step.axis: step.size for step in steps.largest(list(steps.steps()))}
    assert sizes == {
        "backends": 1000,
        "users": 2000,
        "probes": 5000,
        "samples": 1000,
        "samples-fast": 10_000,
        "workers": 8,
        "servers": 3,
    }


def test_of_several_processes_of_a_name_the_mean_is_taken_and_who_came_later_is_left_out() -> None:
    use, moment = processes.Use, processes.Moment
    before = moment({1: use("worker", 1.0, 50.0), 2: use("worker", 2.0, 50.0)}, 0.0, 100.0)
    after = moment(
        {1: use("worker", 3.0, 60.0), 2: use("worker", 3.0, 80.0), 3: use("worker", 9.0, 99.0)}, 1.0, 110.0
    )
    used = processes.used_between(before, after, 10.0)
    assert used == {"worker": {"processes": 2, "cpu_percent": 15.0, "mb": 70.0}}
    assert processes.others_percent(before, after, used, 10.0) == 60.0
