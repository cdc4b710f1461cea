"""Runs side by side: what is said first, what differs, and what these runs cannot show."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.compared_sides import side_of, verdict_of
from support.request_tables import changed, samples_of
from support.run_directories import written
from switchover.analysis.compare.bootstrap import over_drills
from switchover.analysis.compare.compare import compare
from switchover.analysis.compare.comparison import (
    Difference,
    Differing,
    Figure,
    FigureUnit,
    Finding,
    Side,
    Value,
    by_drill,
    differing,
    drills_differ,
    setting_of,
)
from switchover.analysis.compare.seconds import MOST, seconds_of
from switchover.analysis.phases import Phase, PhaseName
from switchover.analysis.run_data import RunData
from switchover.analysis.verdict import judge
from switchover.cli.main import main
from switchover.model.identity import AnsweredBy, Identity
from switchover.rundir.run_directory import FaultRun, Run
from switchover.rundir.run_records import RunSettings, TargetFacts
from synthetic import STEP, drill, probes, sample


def made(name: str, *, down_us: int = 3_000_000, took_us: int = 300) -> RunData:
    """A drill whose answers take a little longer or shorter by turns."""
    held = [
        one._replace(end_us=one.start_us + took_us + one.start_us // STEP % 7 * 10) if one.success else one
        for one in probes(down_us)
    ]
    data = drill(probes=held)
    data.run.id = name
    return data


def side(name: str, *drills: RunData) -> Side:
    return Side(name, [(data, judge(data)) for data in drills])


def by_name(figures: list[Figure]) -> dict[tuple[str, str], Figure]:
    return {(figure.name, figure.phase): figure for figure in figures}


def finding(figure: Figure) -> Finding:
    return figure.differences[0].finding


def test_a_run_does_not_differ_from_one_like_it() -> None:
    figures = compare([side("a", made("a")), side("b", made("b"))])
    assert {figure.name for figure in figures} >= {"outage", "failback", "probes: rate", "probes: p99"}
    assert not any(finding(figure) is Finding.DIFFERS for figure in figures)
    assert {finding(figure) for figure in figures if figure.phase == "on_backup"} == {Finding.NONE}


def test_values_are_those_of_the_verdict() -> None:
    one, other = side("a", made("a")), side("b", made("b", took_us=600))
    figures = by_name(compare([one, other]))
    for place, verdict in enumerate((one.verdicts[0], other.verdicts[0])):
        assert verdict.events.outage and verdict.figures.probes
        assert figures["outage", ""].values[place].value == verdict.events.outage.duration_us / 1000
        for phase, counts in verdict.figures.probes.by_phase.items():
            assert figures["probes: failed", phase].values[place].value == counts.failed_share
            assert figures["probes: rate", phase].values[place].value == counts.rate
            latency = counts.latency
            if latency and latency.from_schedule and ("probes: p99", phase) in figures:
                found = figures["probes: p99", phase].values[place].value
                assert found == latency.from_schedule.p99_us / 1000


def test_slower_answers_are_seen_in_the_steady_phases_and_not_claimed_of_one_event() -> None:
    figures = by_name(compare([side("a", made("a")), side("b", made("b", took_us=600))]))
    slower = figures["probes: p50", "on_backup"].differences[0]
    assert slower.finding is Finding.DIFFERS and slower.value == pytest.approx(0.3)
    assert slower.interval is not None and slower.interval.holds(0.3) and slower.interval.low > 0.2
    assert finding(figures["probes: p50", "switchover"]) is Finding.UNKNOWN
    assert finding(figures["probes: rate", "on_backup"]) is Finding.NONE


def test_an_outage_within_the_window_of_theory_cannot_be_told_and_one_far_outside_differs() -> None:
    first = side("a", made("a"))
    near, far = (by_name(compare([first, side("b", made("b", down_us=us))])) for us in (4_000_000, 9_000_000))
    assert finding(near["outage", ""]) is Finding.UNKNOWN
    assert "by theory chance lets two differ by up to 2,000 ms" in near["outage", ""].differences[0].note
    assert finding(far["outage", ""]) is Finding.DIFFERS


def test_one_event_each_never_shows_that_there_is_no_difference() -> None:
    unknown = [made(name, down_us=us) for name, us in (("a", 3_000_000), ("b", 3_000_000), ("c", 4_000_000))]
    for data in unknown:
        assert data.run.fault
        data.run.fault.predict_low_ms = data.run.fault.predict_high_ms = None
    figures = by_name(compare([side(data.run.id, data) for data in unknown]))
    overlapping, apart = figures["outage", ""].differences
    assert overlapping.finding is Finding.UNKNOWN and "the bounds of both overlap" in overlapping.note
    assert apart.finding is Finding.UNKNOWN and apart.interval is not None and not apart.interval.holds(0)


def test_repeats_are_compared_drill_by_drill() -> None:
    fast = [made(f"a{n}", down_us=3_000_000 + n * 10_000) for n in range(6)]
    slow = [made(f"b{n}", down_us=4_000_000 + n * 10_000) for n in range(6)]
    figures = by_name(compare([side("a", *fast), side("b", *slow)]))
    outage = figures["outage", ""].differences[0]
    assert outage.finding is Finding.DIFFERS and outage.value == pytest.approx(1000, abs=0.1)
    assert outage.interval is not None and outage.interval.holds(1000)
    failed = figures["probes: failed", "switchover"].differences[0]
    assert failed.interval is not None
    few = by_name(compare([side("a", *fast[:2]), side("b", *slow[:2])]))
    assert finding(few["outage", ""]) is Finding.UNKNOWN


def test_a_backend_that_answers_more_often_is_seen() -> None:
    favoured = made("b")
    web1 = Identity("web1", "lb1", AnsweredBy.BACKEND)
    skewed = [
        one._replace(identity=web1) if one.success and one.start_us // STEP % 2 == 0 else one
        for one in samples_of(favoured.probes)
    ]
    figures = by_name(compare([side("a", made("a")), side("b", changed(favoured, probes=skewed))]))
    share = figures["probes: answered by web1", "on_backup"]
    assert share.unit is FigureUnit.SHARE and finding(share) is Finding.DIFFERS


def test_what_was_set_differently_is_named_and_nothing_else() -> None:
    one, other = drill().run, drill().run
    assert differing([setting_of(one), setting_of(other)]) == []
    other.settings |= {"probe_rate": 50.0, "load": {"users": 5}}
    other.settings |= {"kill_delay_s": 0.3}
    assert other.fault
    other.fault.name = "node-down"
    found = differing([setting_of(one), setting_of(other, {"lb1/haproxy.cfg": "abc"})])
    assert {item.name: item.values for item in found} == {
        "fault": ("haproxy-kill", "node-down"),
        "probe_rate": ("100", "50"),
        "load.users": ("", "5"),
        "file lb1/haproxy.cfg": ("", "abc"),
    }


@pytest.fixture
def two(tmp_path: Path) -> tuple[str, str]:
    first, second = made("a"), made("b", took_us=600)
    second.run.settings |= {"timeout_read_ms": 500.0}
    second.run.name = second.run.id = "b<script>alert(1)</script>"
    return str(written(tmp_path / "first", first)), str(written(tmp_path / "second", second))


def test_the_command_says_the_setting_first_and_the_same_each_time(
    two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *two, "--html", str(tmp_path / "c.html")]) == 0
    out = capsys.readouterr().out
    assert out.index("timeout_read_ms") < out.index("outage") and "differs" in out
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "timeout_read_ms" in page and "<script>alert(1)" not in page
    main(["compare", *two, "--html", str(tmp_path / "again.html")])
    assert capsys.readouterr().out.replace("again.html", "c.html") == out
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_as_data_it_says_the_same(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--json", *two]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1 and [one["valid"] for one in data["sides"]] == [True, True]
    (p50,) = [one for one in data["figures"] if (one["name"], one["phase"]) == ("probes: p50", "on_backup")]
    assert p50["unit"] == "ms" and p50["differences"][0]["finding"] == "differs"
    assert p50["differences"][0]["low"] < p50["differences"][0]["value"] < p50["differences"][0]["high"]


def test_a_run_that_cannot_be_trusted_is_said_first(
    two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = made("c")
    data.run.plan.confirmed_us = None
    assert main(["compare", two[0], str(written(tmp_path / "third", data))]) == 2
    assert capsys.readouterr().out.startswith("B cannot be trusted: ")


def foreign_log(path: Path, start_ms: int, took_ms: int) -> str:
    """Twenty seconds of somebody else's, whose URL says who answered."""
    rows = [f"{start_ms + at},{took_ms + at % 7},home,200,true,http://web{at % 3}/" for at in range(0, 20_000, 5)]
    path.parent.mkdir()
    path.write_text("\n".join(["timeStamp,elapsed,label,responseCode,success,URL", *rows, ""]))
    return str(path)


def test_logs_that_nobody_made_a_run_of_are_compared_as_loads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = foreign_log(tmp_path / "before" / "results.jtl", 1_767_225_600_000, 20)
    after = foreign_log(tmp_path / "after" / "results.jtl", 1_767_229_200_000, 40)
    asked = ["--backend-from", "URL://(?P<backend>[^/]+)"]
    assert main(["compare", before, after, *asked]) == 0
    assert "what was set in A is not known" in capsys.readouterr().out
    assert main(["compare", "--json", before, after, *asked]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in data["sides"]] == [before, after]
    figures = {one["name"]: one for one in data["figures"]}
    assert figures["load: p50"]["differences"][0]["finding"] == "differs"
    assert figures["load: answered by web1"]["differences"][0]["finding"] == "none"


def test_names_in_logs_are_for_logs(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *two, "--backend-from", "URL:(.+)"]) == 2
    assert "--backend-from is for sample logs" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["one", "twice", "copy", "missing", "empty", "nothing"])
def test_what_cannot_be_compared_is_one_line(
    what: str, two: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    bare = drill(probes=[], points=[])
    bare.run.id, bare.run.settings = "bare", bare.run.settings | {"probe_rate": 0}
    others = {
        "one": [],
        "twice": [two[0]],
        "copy": [str(written(tmp_path / "copy", made("a")))],
        "missing": [str(tmp_path / "missing")],
        "empty": [str(tmp_path / "empty")],
        "nothing": [str(written(tmp_path / "bare", bare))],
    }
    assert main(["compare", two[0], *others[what]]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("switchover: ") and captured.err.count("\n") == 1 and not captured.out


def test_a_phase_of_days_is_resampled_in_longer_steps_and_keeps_its_rate() -> None:
    day_us = 86_400_000_000
    data = made("a")
    sparse = [sample(at, at + 300) for at in range(0, day_us, 50_000_000)]
    found = seconds_of(
        changed(data, probes=sparse).tables(), "probes", Phase(PhaseName.BASELINE, 0, day_us), scheduled=True
    )
    assert len(found) <= MOST and found.each == 24
    (rate,) = found.rate()(np.ones((1, len(found))))
    assert rate == pytest.approx(0.02, rel=0.01)


def test_a_reason_against_one_of_several_drills_names_it() -> None:
    verdicts = [verdict_of(name=name, distrust=[f"the clock of {name} jumped"]) for name in ("a", "b")]
    assert side_of(verdicts[0]).reasons == ["the clock of a jumped"]
    both = side_of(*verdicts)
    assert both.reasons == ["a: the clock of a jumped", "b: the clock of b jumped"]
    assert both.verdicts == verdicts


def test_the_value_of_drills_is_the_mean_of_those_that_measured_it() -> None:
    sides = [side_of(*(verdict_of(split_brain_ms=ms) for ms in measured)) for measured in ([3.0, None, 6.0], [9.0])]
    figure = by_drill(
        "split brain",
        "switchover",
        FigureUnit.MILLISECONDS,
        [*sides, side_of(verdict_of())],
        lambda v: v.figures.split_brain_ms,
    )
    assert (figure.name, figure.phase, figure.unit) == ("split brain", "switchover", FigureUnit.MILLISECONDS)
    assert figure.values == (Value(4.5), Value(9.0), Value(None))
    assert figure.differences == (
        Difference(Finding.UNKNOWN, 4.5, note="fewer than 5 drills: compare folders of repeats"),
        Difference(Finding.UNKNOWN, note="not measured in one of them"),
    )


FEW = "fewer than 5 drills: compare folders of repeats"


@pytest.mark.parametrize(
    ("first", "other", "expected"),
    [
        ([], [1.0], Difference(Finding.UNKNOWN, note="not measured in one of them")),
        ([1.0], [], Difference(Finding.UNKNOWN, note="not measured in one of them")),
        ([1.0], [2.5], Difference(Finding.UNKNOWN, 1.5, note="one event each: compare folders of repeats")),
        ([1.0, 3.0], [2.0], Difference(Finding.UNKNOWN, 0.0, note=FEW)),
        ([1.0, 2.0], [4.0, 5.0, 9.0], Difference(Finding.UNKNOWN, 4.5, note=FEW)),
        ([1.0] * 5, [1.0] * 5, Difference(Finding.NONE, 0, over_drills("outage", [1.0] * 5, [1.0] * 5), "a note")),
        ([1.0] * 5, [2.0] * 5, Difference(Finding.DIFFERS, 1, over_drills("outage", [1.0] * 5, [2.0] * 5), "a note")),
    ],
)
def test_drills_differ_where_there_are_five_and_chance_does_not_reach_nothing(
    first: list[float], other: list[float], expected: Difference
) -> None:
    assert drills_differ("outage", first, other, "a note") == expected


def run_of(**facts: object) -> Run:
    run = Run(id="a", name="node-down", **facts)  # type: ignore[arg-type]
    run.versions = {"haproxy": "3.0"}
    run.settings = RunSettings.of(
        {
            "probe_rate": 100.0,
            "late_ms": 0.5,
            "kill_delay_s": 0.3,
            "generator": None,
            "load": {"users": 5, "state": "ended", "plan": ["a.py", 2]},
        }
    )
    nodes = [
        {"name": "lb1", "role": "balancer", "haproxy": True, "nginx": True},
        {"name": "web1", "role": "backend"},
    ]
    run.target = TargetFacts.of({"url": "http://shop/", "dedicated": True, "lab": True, "nodes": nodes})
    return run


def test_a_setting_is_what_was_chosen_for_a_run_as_text() -> None:
    assert setting_of(run_of(fault=FaultRun(name="node-down", kind="master")), {"lb1/haproxy.cfg": "abc"}) == {
        "fault": "node-down",
        "probe_rate": "100",
        "late_ms": "0.5",
        "generator": "",
        "load.users": "5",
        "load.plan": "a.py, 2",
        "target.url": "http://shop/",
        "target.expect": "",
        "target.dedicated": "True",
        "node lb1": "balancer haproxy nginx",
        "node web1": "backend",
        "version of haproxy": "3.0",
        "file lb1/haproxy.cfg": "abc",
    }
    assert setting_of(run_of())["fault"] == "none"


def test_what_differs_has_a_text_for_each_run_in_the_order_of_the_first() -> None:
    settings = [{"b": "1", "same": "x", "a": "2"}, {"b": "1", "same": "x", "a": "3"}, {"same": "x", "c": "4"}]
    assert differing(settings) == [
        Differing("b", ("1", "1", "")),
        Differing("a", ("2", "3", "")),
        Differing("c", ("", "", "4")),
    ]
