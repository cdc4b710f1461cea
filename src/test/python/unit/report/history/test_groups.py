"""Which runs are asked for, what is odd about them, and what the runs of one fault come to."""

from dataclasses import replace

import msgspec
import pytest
from msgspec import structs

from support.many_runs import real_run
from switchover.report.history.entry import DAMAGED, Entry, entry_of
from switchover.report.history.form import group_texts
from switchover.report.history.groups import Filter, counted_once, grouped, notes_on, time_text
from switchover.rundir.run_directory import run_of
from switchover.verdict.record import Outage, OutageKind, Verdict

SECOND = 1_000_000


def entry(run: str = "a", **values: object) -> Entry:
    known: dict[str, object] = {
        "path": run,
        "start_us": 100 * SECOND,
        "target": "shop",
        "what": "node-down",
        "status": "PASSED",
        "valid": True,
    }
    return Entry(run=run, **{**known, **values})  # type: ignore[arg-type]


OUTAGE = msgspec.convert(real_run()[1], Verdict).outage


def away(high_ms: float | None) -> Outage:
    assert OUTAGE is not None
    return structs.replace(OUTAGE, low_ms=10.0, high_ms=high_ms, recovered=high_ms is not None)


def test_an_outage_that_no_probe_saw_is_printed_as_an_upper_bound() -> None:
    (group,) = grouped([entry(outage=structs.replace(away(40.4), kind=OutageKind.NONE))])
    texts = group_texts(group)
    assert (texts["median outage"], texts["shortest to longest"]) == ("≤ 41 ms", "≤ 41 ms")


@pytest.mark.parametrize(
    ("asked", "takes"),
    [
        (Filter(), True),
        (Filter(targets=["sh*"]), True),
        (Filter(targets=["other", "shop"]), True),
        (Filter(targets=["other"]), False),
        (Filter(whats=["node-*"]), True),
        (Filter(whats=["partition"]), False),
        (Filter(since_us=100 * SECOND), True),
        (Filter(since_us=101 * SECOND), False),
    ],
)
def test_a_run_is_asked_for_by_target_fault_word_and_time(asked: Filter, takes: bool) -> None:
    assert asked.takes(entry()) is takes


def test_a_copy_of_a_run_is_counted_once_and_a_second_run_of_its_name_is_not_lost() -> None:
    runs = [entry("a", path="x/a"), entry("a", path="y/a"), entry("a", path="z/a", start_us=7), entry("b")]
    kept, notes = counted_once(runs)
    assert [one.path for one in kept] == ["x/a", "z/a", "b"]
    assert notes == ["a is in x/a and in y/a: the run is counted once"]


def test_what_is_odd_of_a_run_is_one_line() -> None:
    runs = [entry("a", status=DAMAGED, damage="run.json is no JSON"), entry("b", status="not judged"), entry("c")]
    assert notes_on(runs) == ["a is damaged: run.json is no JSON", "b has no verdict: run 'switchover report'"]


def test_runs_of_one_target_and_one_fault_are_together_and_damaged_ones_nowhere() -> None:
    runs = [
        entry("a"),
        entry("b", what="drain"),
        entry("c", target="lab"),
        entry("d", status=DAMAGED),
    ]
    found = [(group.target, group.what, [one.run for one in group.entries]) for group in grouped(runs)]
    assert found == [("lab", "node-down", ["c"]), ("shop", "drain", ["b"]), ("shop", "node-down", ["a"])]


def test_only_what_can_be_believed_and_has_an_end_counts_as_an_outage() -> None:
    runs = [
        entry("a", outage=away(30.0)),
        entry("b", outage=away(10.0)),
        entry("c", outage=away(None)),
        entry("d", outage=away(99.0), valid=False),
        entry("e", status=DAMAGED),
    ]
    again = structs.replace(away(50.0), recovered=False)
    (group,) = grouped([*runs, entry("f", outage=again)])
    assert (group.outages_ms, group.median_ms, len(group.entries)) == ([10.0, 30.0], 20.0, 5)


def test_target_files_of_one_name_with_other_addresses_are_of_several_pairs() -> None:
    first, second = '["http://a/"]', '["http://b/"]'
    runs = [entry("a", setting=first), entry("b", setting=second), entry("c", setting='["http://a/health"]')]
    fetched, lab = entry("d"), [entry(run, target="lab", setting=of) for run, of in (("e", first), ("f", second))]
    found = {group.target: [one.run for one in group.entries] for group in grouped([*runs, fetched, *lab])}
    assert found == {"lab": ["e", "f"], "shop": ["d"], "shop, http://a": ["a", "c"], "shop, http://b": ["b"]}
    assert [group.target for group in grouped([runs[0], runs[2], fetched])] == ["shop"]


@pytest.mark.parametrize("of", ["target", "settings"])
def test_runs_under_other_settings_of_keepalived_are_not_mixed(of: str) -> None:
    def run(name: str, advert_int: float, outage_ms: float) -> Entry:
        facts = {"keepalived": {"lb1": {"advert_int": advert_int, "priority": 101}}}
        outage = away(outage_ms)
        entry = entry_of(name, run_of({"id": name, "name": name, "plan": {}, of: facts}), None)
        return replace(entry, status="PASSED", valid=True, outage=outage)

    runs = [run("a", 1, 3000.0), run("b", 0.5, 1500.0), run("c", 1, 3200.0)]
    found = [(group.settings, group.median_ms) for group in grouped(runs)]
    assert found == [("lb1 advert_int 1", 3100.0), ("lb1 advert_int 0.5", 1500.0)]
    assert len({run.setting for run in runs}) == 2
    unknown = entry("d", target="", what="")
    assert [group.settings for group in grouped([runs[0], unknown])][1:] == ["unknown"]


def test_an_unknown_time_has_no_text() -> None:
    assert time_text(None) == ""
