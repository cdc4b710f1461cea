"""A run in the history: what is read of run.json and verdict.json, and what is unknown."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.many_runs import real_run
from switchover.analysis.history.entry import (
    NOT_JUDGED,
    Entry,
    Length,
    entry_of,
    target_name,
    versions_of,
    versions_text,
)

TARGET = {
    "url": "http://shop/",
    "file": "targets/shop.toml",
    "nodes": [
        {"name": "lb2", "role": "balancer", "nginx": True},
        {"name": "lb1", "role": "balancer", "haproxy": True},
        {"name": "web1", "role": "backend", "nginx": True},
        "no node",
    ],
}
BALANCERS = [["lb1", True, False], ["lb2", False, True]]
RUN: dict[str, Any] = {
    "id": "run-1",
    "plan": {"start_us": 7_000_000},
    "target": TARGET,
    "settings": {"probe_rate": 100, "timeout_connect_ms": 250.0, "timeout_read_ms": 1000.0, "late_ms": 500.0},
    "fault": {"name": "node-down", "kind": "master", "predict_low_ms": 2609.0, "predict_high_ms": 3609.0},
    "versions": {"python": "3.11.7", "keepalived": "2.2.7", "haproxy": "2.6.12"},
}
VERDICT: dict[str, Any] = {
    "word": "PASSED",
    "trusted": True,
    "outage": {
        "kind": "outage",
        "low_ms": 2990,
        "high_ms": 3080.5,
        "resolution_ms": 44.5,
        "censored": True,
        "recovered": False,
    },
    "failback": {"kind": "none", "low_ms": 0.0, "high_ms": 40.0},
    "samples": {"failed": 6, "total": 164},
    "probes": {"failed": 76, "total": 635},
    "split_brain_ms": 1.5,
    "prediction": {"low_ms": 2600.0, "high_ms": 3600.0, "inside": False},
}
PROBING = [100, 250, 1000, 500]
WINDOW = {"predicted window in ms": "2609.0 to 3609.0"}


def read(run: dict[str, Any], verdict: dict[str, Any] | None = None) -> Entry:
    """With these values changed."""
    return entry_of("month/run-1", {**RUN, **run}, {**VERDICT, **(verdict or {})})


def setting(entry: Entry) -> list[Any]:
    found: list[Any] = json.loads(entry.setting)
    return found


def test_a_history_shows_what_a_run_was_and_what_its_verdict_says() -> None:
    entry = read({})
    assert setting(entry) == ["http://shop/", BALANCERS, PROBING, [2609, 3609], WINDOW]
    assert entry == Entry(
        run="run-1",
        path="month/run-1",
        start_us=7_000_000,
        target="shop",
        what="node-down",
        versions={"haproxy": "2.6.12", "keepalived": "2.2.7"},
        word="PASSED",
        trusted=True,
        outage=Length("outage", 2990.0, 3080.5, 44.5, censored=True, recovered=False),
        failback=Length("none", 0.0, 40.0, 0.0, censored=False, recovered=True),
        failed=6,
        total=164,
        split_brain_ms=1.5,
        predicted_low_ms=2600.0,
        predicted_high_ms=3600.0,
        inside=False,
        setting=entry.setting,
        keepalived=WINDOW,
    )
    assert (entry.url, entry.versions_text) == ("http://shop/", "haproxy 2.6.12, keepalived 2.2.7")


def test_of_a_run_without_a_verdict_only_what_it_was_is_known() -> None:
    entry = entry_of("run-1", RUN, None)
    assert (entry.word, entry.trusted, entry.outage, entry.total) == (NOT_JUDGED, False, None, None)
    assert (entry.target, entry.what, entry.setting) == ("shop", "node-down", read({}).setting)


@pytest.mark.parametrize(
    ("run", "verdict", "name", "value"),
    [
        ({"change": {"name": "haproxy-reload"}}, {}, "what", "haproxy-reload"),
        ({"fault": {"name": "none", "kind": "none"}}, {}, "what", ""),
        ({"fault": None}, {}, "what", ""),
        ({"fault": {"error": "it was not fired"}}, {}, "reason", "it was not fired"),
        ({"plan": {"start_us": "soon"}}, {}, "start_us", None),
        ({"plan": {"start_us": True}}, {}, "start_us", None),
        ({"plan": {"start_us": 7.9}}, {}, "start_us", 7),
        ({"plan": {"start_us": 1e300}}, {}, "start_us", None),
        ({"versions": {"haproxy": 3, "nginx": "1.27"}}, {}, "versions", {"haproxy": "", "nginx": "1.27"}),
        ({"versions": "2.6"}, {}, "versions", {}),
        ({"target": "shop"}, {}, "target", ""),
        ({"fetched": {"database": "http://influx/"}}, {}, "setting", ""),
        ({"fetched": {"database": "http://influx/"}}, {}, "url", ""),
        ({}, {"trusted": "yes"}, "trusted", False),
        ({}, {"samples": None}, "failed", 76),
        ({}, {"samples": None}, "total", 635),
        ({}, {"samples": None, "probes": None}, "total", None),
        ({}, {"prediction": None}, "predicted_low_ms", None),
        ({}, {"prediction": {"inside": 1}}, "inside", None),
        ({}, {"prediction": {"inside": True}}, "inside", True),
    ],
)
def test_a_value_that_is_not_there_or_of_another_type_is_unknown(
    run: dict[str, Any], verdict: dict[str, Any], name: str, value: object
) -> None:
    assert getattr(read(run, verdict), name) == value


@pytest.mark.parametrize(
    ("value", "length"),
    [
        (None, None),
        ([1], None),
        ({"high_ms": 2.0}, None),
        ({"low_ms": 1.0, "high_ms": float("nan")}, None),
        ({"low_ms": 1.0}, Length("", 1.0, None, 0.0, censored=False, recovered=True)),
        (
            {"low_ms": 1.0, "high_ms": 2.0, "censored": "yes", "recovered": "no"},
            Length("", 1.0, 2.0, 0.0, censored=False, recovered=True),
        ),
    ],
)
def test_a_length_that_does_not_say_how_short_it_was_at_least_is_unknown(
    value: object, length: Length | None
) -> None:
    assert read({}, {"outage": value}).outage == read({}, {"failback": value}).failback == length


@pytest.mark.parametrize(
    ("run", "verdict", "window"),
    [
        ({"fault": {"predict_high_ms": 3609.0}}, {}, [None, 3609]),
        ({"fault": {}}, {}, [2600, 3600]),
        ({"fault": {}}, {"prediction": []}, [None, None]),
    ],
)
def test_the_window_of_theory_is_that_of_the_run_and_else_that_of_its_verdict(
    run: dict[str, Any], verdict: dict[str, Any], window: list[float | None]
) -> None:
    assert setting(read(run, verdict)) == ["http://shop/", BALANCERS, PROBING, window, read(run, verdict).keepalived]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"target": {"url": "http://shop/", "nodes": "lb1"}}, ["http://shop/", [], PROBING]),
        ({"target": {"nodes": [{"role": "balancer", "haproxy": 1}]}}, ["", [["", False, False]], PROBING]),
        ({"settings": {"late_ms": 500}}, ["http://shop/", BALANCERS, [None, None, None, 500]]),
        ({"settings": None}, ["http://shop/", BALANCERS, [None] * 4]),
    ],
)
def test_runs_are_alike_by_their_address_balancers_and_probing(run: dict[str, Any], expected: list[Any]) -> None:
    assert setting(read(run))[:3] == expected


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ({"lab": True, "url": "http://198.18.0.50/"}, "lab"),
        ({"lab": 1, "url": "http://198.18.0.50/"}, "http://198.18.0.50/"),
        ({"file": "shop.toml", "url": "http://shop/"}, "shop"),
        ({"file": "/etc/targets/shop.test", "url": "http://shop/"}, "shop.test"),
        ({}, ""),
    ],
)
def test_a_target_is_called_by_its_file_and_else_by_its_address(target: dict[str, Any], name: str) -> None:
    assert target_name(target) == name


@pytest.mark.parametrize("run", [{"id": None}, {"id": 7}, {"plan": None}, {"plan": []}])
def test_what_has_no_id_or_no_plan_is_no_run(run: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^it has no id or no plan$"):
        read(run)


def test_a_verdict_without_a_word_is_damage() -> None:
    with pytest.raises(ValueError, match=r"^verdict\.json has no word$"):
        read({}, {"word": 2})


def test_versions_are_those_of_balancers_and_read_as_they_are_written() -> None:
    text = versions_text({"keepalived": "2.2.7", "python": "3.11.7", "nginx": "1.27", "haproxy": "3.0"})
    assert text == "haproxy 3.0, nginx 1.27, keepalived 2.2.7"
    assert versions_of(text) == {"haproxy": "3.0", "nginx": "1.27", "keepalived": "2.2.7"}
    assert versions_of("haproxy 3.0 dev, python 3.11.7, nginx, keepalived ") == {"haproxy": "3.0 dev"}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=5), inside, max_size=3),
    max_leaves=5,
)


@given(key=st.sampled_from(sorted(real_run()[0])), other=st.sampled_from(sorted(real_run()[1])), value=ANYTHING)
def test_any_value_in_the_place_of_another_is_unknown_or_damage(key: str, other: str, value: Any) -> None:
    run, verdict = real_run()
    try:
        entry_of("run", {**run, key: value}, {**verdict, other: value})
    except ValueError as error:
        assert str(error)
