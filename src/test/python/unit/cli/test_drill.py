"""`switchover drill` around the drills: a series that breaks off, what was typed, what cannot be kept."""

import argparse
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from support.fake_influx import fake_influx
from support.fake_java import fake_jmeter
from switchover.cli import drill
from switchover.cli.drill import inner_words, read_settings, refuse_unfit
from switchover.cli.main import build_parser
from switchover.cli.progress import Progress
from switchover.drill import conduct
from switchover.drill import loads as load_choice
from switchover.drill.drill import Drill
from switchover.drill.loads import choose_generator, choose_held_loads, new_load
from switchover.drill.options import DrillSettings
from switchover.load import jmeter_plan as jmeter_home
from switchover.load.jmeter import JMeterLoad
from switchover.load.locust import LocustLoad
from switchover.model.errors import FaultError, LabError, UsageError
from switchover.model.held_kind import HeldKind
from switchover.process.signals import ENDING, answering
from switchover.rundir.journal import Journal
from switchover.rundir.run_directory import CurrentRun, Plan, read_run
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Endpoint, Target

TARGET = Target(Endpoint("http://127.0.0.1:1/"))


def parsed(*statuses: str) -> argparse.Namespace:
    arguments = build_parser().parse_args(statuses)
    arguments.argv = list(statuses)
    return arguments


def settings(*statuses: str) -> DrillSettings:
    return read_settings(parsed("drill", *statuses))


def test_a_first_drill_that_fails_is_the_error_itself(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match="haproxy-kill does not fire"):
        drill.drill_target(settings("--repeat", "4", "--out", str(tmp_path)), TARGET)


def test_the_drill_inside_the_lab_knows_what_was_typed() -> None:
    typed = ["drill", "--backends", "2", "--fault", "node-down", "--keepalived", "advert_int=1"]
    inside = parsed(*inner_words(typed, Path("/lab/target.toml")))
    assert inside.typed == typed
    assert inside.target == Path("/lab/target.toml")
    assert inside.argv[:3] == ["drill", "--fault", "node-down"]


def test_a_drill_in_the_lab_that_was_killed_has_the_exit_code_of_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def running(*_: object, **__: object) -> Iterator[SimpleNamespace]:
        yield SimpleNamespace(
            layout=SimpleNamespace(shipper_socket=tmp_path / "shipper"),
            target_file=tmp_path / "target.toml",
            exec_argv=lambda host, command: ["sh", "-c", "kill -9 $$"],
        )

    monkeypatch.setattr(drill, "Lab", running)
    typed = parsed("drill", "--out", str(tmp_path))
    with answering(dict.fromkeys(ENDING, lambda _number, _frame: None)):
        assert drill.drill_in_lab(read_settings(typed), typed) == 128 + signal.SIGKILL


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), LabError("the lab has gone")])
def test_a_configuration_that_cannot_be_kept_is_only_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def full(*_: object) -> None:
        raise error

    monkeypatch.setattr(LabDirectory, "copy_config", full)
    conduct.keep_config(tmp_path, tmp_path, Progress().note)
    assert "was not copied to" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("statuses", "said"),
    [
        (["--generator", "none", "--plan", "x.py"], "--plan needs a load: remove --generator none"),
        (["--jmeter-home", "x"], "--jmeter-home is for --generator jmeter"),
        (
            ["--generator", "jmeter", "--jmeter-home", "x"],
            "--jmeter-home x: this folder is not a JMeter",
        ),
        (["--plan", "x.jmx"], "--plan x.jmx: there is no such file"),
        (["--plan", "there.jmx"], "--plan there.jmx is a JMeter test plan: add --generator jmeter"),
    ],
)
def test_a_load_that_cannot_be_is_said_before_a_lab_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statuses: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.jmx").touch()
    with pytest.raises(UsageError) as refusal:
        drill.run(parsed("drill", *statuses))
    assert said in str(refusal.value)


def test_a_load_is_made_as_it_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_jmeter(tmp_path)
    monkeypatch.setattr(jmeter_home, "find_java", lambda: home.java)
    target = Target(Endpoint("http://127.0.0.1:1/"), source=tmp_path / "t.toml")
    statuses = ("--generator", "jmeter", "--jmeter-home", str(home.launcher.parents[1]), "--users", "5")
    load = new_load(choose_generator(settings(*statuses), refuse), target)
    assert isinstance(load, JMeterLoad) and load.generator == "jmeter"
    assert isinstance(new_load(settings(), target), LocustLoad)
    assert new_load(settings("--generator", "none"), target) is None


def refuse(note: str) -> None:
    raise AssertionError(note)


def test_where_locust_is_not_installed_a_drill_has_only_its_probes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(load_choice, "find_spec", lambda _: None)
    notes: list[str] = []
    assert new_load(choose_generator(settings(), notes.append), TARGET) is None
    assert notes == ["only probes, no load: Locust is not installed (the extra 'locust')"]


def test_each_drill_of_several_streams_its_own_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(_drill: Drill, current: CurrentRun) -> None:
        current.run.plan = Plan(start_us=1_700_000_000_000_000, end_us=1_700_000_001_000_000)
        current.save()
        journal = Journal(current.directory / "journal.lp", {"run": current.run.id})
        journal.event("start", "a drill", time_ns=1_700_000_000_000_000_000)
        journal.close()

    monkeypatch.setattr(Drill, "run", measure)
    with fake_influx() as influx:
        statuses = ("--fault", "none", "--repeat", "2", "--out", str(tmp_path), "--influx", influx.url())
        drill.drill_target(settings(*statuses, "--probe-rate", "9"), TARGET)
    runs = [read_run(path.parent) for path in tmp_path.glob("*/*/run.json")]
    assert [run.streaming and run.streaming["left"] for run in runs] == [0, 0]
    assert {dict(tags)["run"] for _, tags, _ in influx.points} == {run.id for run in runs}
    assert capsys.readouterr().err.count("streamed 2 of 2 points") == 2


def test_a_change_is_made_instead_of_the_usual_fault() -> None:
    chosen = settings("--change", "haproxy-reload", "--times", "3", "--every", "2s", "--connections")
    assert (chosen.fault, chosen.change, chosen.times, chosen.every_s, chosen.connections) == (
        None, "haproxy-reload", 3, 2.0, {},
    )  # fmt: skip
    refuse_unfit(chosen)
    assert settings().fault == "haproxy-kill"


@pytest.mark.parametrize(
    ("statuses", "complaint"),
    [
        (("--change", "haproxy-reload", "--fault", "haproxy-kill"), "only one of them is allowed"),
        (("--change", "haproxy-reload", "--repeat", "3"), "--repeat is for a fault"),
        (("--change", "haproxy-reload", "--hold", "9s"), "--hold is for a fault"),
        (("--times", "3"), "--times is for --change NAME"),
        (("--every", "3s"), "--every is for --change NAME"),
        (("--fault", "none", "--dry-run"), "--dry-run needs a fault"),
    ],
)
def test_options_that_mean_nothing_beside_each_other_are_refused(statuses: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        refuse_unfit(settings(*statuses))


@pytest.mark.parametrize(
    ("chosen", "urls", "kinds"),
    [
        (DrillSettings(change="reload"), ("pooled", "sse"), {"pooled", "sse"}),
        (DrillSettings(change="reload"), (), set()),
        (DrillSettings(fault="kill"), ("pooled",), set()),
        (DrillSettings(fault="kill", connections={}), ("pooled", "sse"), {"pooled", "sse"}),
        (DrillSettings(fault="kill", connections={HeldKind.SSE: 3}), ("pooled", "sse"), {"sse"}),
    ],
)
def test_what_is_kept_open_is_chosen_or_usual(chosen: DrillSettings, urls: tuple[str, ...], kinds: set[str]) -> None:
    target = replace(TARGET, connections={HeldKind(kind): "http://127.0.0.1:1/" for kind in urls})
    assert {load.kind for load in choose_held_loads(chosen, target)} == kinds


def test_changes_that_nothing_would_feel_are_refused() -> None:
    with pytest.raises(UsageError, match="no table"):
        choose_held_loads(DrillSettings(change="reload", generator="none"), TARGET)
    with pytest.raises(UsageError, match="--connections pooled=30"):
        choose_held_loads(DrillSettings(fault="kill", retrying_client=True), TARGET)
