"""One drill, from its settings to its verdict, and a series of drills; their fault is one of touched files."""

import os
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from support.guards import give_up_after_one_heal
from support.touching import Notes, Playing, play, prepared, recipe
from switchover.drill import conduct as repeat
from switchover.drill import drill as drill_module
from switchover.drill import fire_and_heal
from switchover.drill.conduct import Conducted, conduct
from switchover.drill.drill import Drill
from switchover.drill.options import DrillSettings
from switchover.drill.plan import TimedPlan
from switchover.faults import healer
from switchover.model.clock import Clock
from switchover.model.errors import FaultError, RunDirectoryError, UsageError
from switchover.predict.phase_lengths import Timing
from switchover.prober import ProberProgress
from switchover.rundir import run_directory
from switchover.rundir.run_directory import CurrentRun, Run, read_run, write_run
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Endpoint, FaultRecipe, Node, Target
from switchover.target.telemetry_sources import LogFile

URL = "http://127.0.0.1:1/?token=s3cret"


@pytest.fixture(autouse=True)
def touched_files(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch)


@dataclass
class Loading:
    """A load that makes nothing, and tells when it is started and stopped."""

    notes: Notes
    died: str | None = None
    ends_badly: str | None = None
    generator: str = "locust"
    pid: int | None = None

    def start(self, directory: Path, clock: Clock) -> None:
        self.notes.note("load started")

    def stop(self) -> str | None:
        self.notes.note("load stopped")
        return self.ends_badly


def drilled(
    place: Path, what: FaultRecipe | None, *, notes: Notes | None = None, load: Loading | None = None, **target: Any
) -> tuple[Drill, Run]:
    place.mkdir(mode=0o700, exist_ok=True)
    notes = notes or Notes()
    drill = Drill(
        Target(Endpoint(URL), **target),
        prepared(what) if what else None,
        TimedPlan(Timing(0.05, 0.05, 0.05), DrillSettings(), load=load),
        notes,
        DrillSettings(),
    )
    run = Run(id="r", name="touch")
    drill.run(CurrentRun(place, run, notes.note))
    return drill, run


def error_of(place: Path) -> str:
    fault = read_run(place).fault
    assert fault is not None
    return fault.error or ""


def test_a_whole_drill_goes_through_its_phases_without_an_error(tmp_path: Path) -> None:
    notes = Notes()
    _, run = drilled(tmp_path / "run", recipe(tmp_path), notes=notes)
    assert notes.said == ["baseline", "fired touch on the target", "switchover", "failback"]
    assert error_of(tmp_path / "run") == ""
    assert read_run(tmp_path / "run") == run
    assert not list((tmp_path / "run").glob("run.json?*"))


def test_an_access_log_that_cannot_be_kept_is_a_missing_part_and_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise RunDirectoryError("cannot write access-web1.csv: No space left on device")

    monkeypatch.setattr(drill_module, "write_access_log", full)
    log = tmp_path / "access.log"
    log.touch()
    _, run = drilled(tmp_path / "run", None, nodes=(Node("web1", "backend", access_log=LogFile(str(log))),))
    assert "access-web1.csv" in run.parts
    assert any("No space left" in warning for warning in run.warnings)


def test_any_exception_marks_the_run_before_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(fire_and_heal, "refuse_another_master", broken)
    with pytest.raises(ZeroDivisionError):
        drilled(tmp_path / "run", recipe(tmp_path))
    assert error_of(tmp_path / "run") == "the drill failed: ZeroDivisionError: division by zero"


def test_a_fault_that_a_supervisor_undid_in_the_meantime_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what = recipe(tmp_path)
    restarted = replace(
        what,
        verify_down=("sh", "-c", f"cd '{tmp_path}' && test -e down && echo >> asked && test $(wc -l < asked) -lt 3"),
    )
    drilled(tmp_path / "run", restarted)
    assert "the fault was over before the heal" in error_of(tmp_path / "run")
    assert read_run(tmp_path / "run").plan.healed_us is not None


def test_a_sick_baseline_does_not_fire_at_a_real_target(tmp_path: Path) -> None:
    Playing.says = ProberProgress(sent=9, good=8, failed=1, last_error="refused")
    _, run = drilled(tmp_path / "run", recipe(tmp_path))
    error = error_of(tmp_path / "run")
    assert "was not healthy in the baseline (1 of 9 probes failed, the last failure: refused)" in error
    assert run.plan.fired_from_us is None


def test_a_full_disk_in_the_middle_does_not_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_before_it_fires(directory: Path, run: Run) -> None:
        if run.plan.fired_from_us is not None:
            raise RunDirectoryError("cannot write run.json: No space left on device")
        write_run(directory, run)

    monkeypatch.setattr(run_directory, "write_run", write_before_it_fires)
    notes = Notes()
    _, run = drilled(tmp_path / "run", recipe(tmp_path), notes=notes)
    full = "cannot write run.json: No space left on device"
    fired, healed, over = full, full, full
    assert notes.said == ["baseline", "fired touch on the target", fired, "switchover", healed, "failback", over]
    assert run.fault is not None and run.fault.error is None and run.plan.healed_us is not None


def test_a_heal_that_the_watchdog_mended_is_said_behind_its_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_up_after_one_heal(monkeypatch)
    monkeypatch.setattr(healer, "RETRY_S", 60.0)
    second = f"cd '{tmp_path}' && echo >> heals && test $(wc -l < heals) -ge 2 && rm -f down"
    drilled(tmp_path / "run", replace(recipe(tmp_path), heal=("sh", "-c", second)))
    assert "IS NOT HEALED" in error_of(tmp_path / "run")
    assert error_of(tmp_path / "run").endswith("touch: finally healed by the watchdog")


def test_the_load_begins_before_the_baseline_and_ends_after_the_last_phase(tmp_path: Path) -> None:
    notes = Notes()
    _, run = drilled(tmp_path / "run", recipe(tmp_path), notes=notes, load=Loading(notes))
    fired = "fired touch on the target"
    assert notes.said == ["load started", "baseline", fired, "switchover", "failback", "load stopped"]
    assert (run.settings.generator, run.parts[-1]) == ("locust", "load.json")
    assert error_of(tmp_path / "run") == ""


def test_a_load_that_ends_badly_is_why_the_run_counts_as_not_done(tmp_path: Path) -> None:
    load = Loading(Notes(), ends_badly="it was killed")
    _, run = drilled(tmp_path / "run", recipe(tmp_path), load=load)
    assert error_of(tmp_path / "run") == "it was killed" and run.plan.healed_us is not None


def test_an_interrupted_fault_is_healed_before_the_load_is_ended_and_has_no_failback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()

    def interrupt(text: str) -> None:
        notes.said.append(text)
        if text.startswith("fired"):
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(notes, "note", interrupt)
    _, run = drilled(tmp_path / "run", recipe(tmp_path), notes=notes, load=Loading(notes))
    assert notes.said[-1] == "load stopped" and run.plan.healed_us is not None
    assert run.plan.end_us is not None and run.plan.heal_from_us is not None
    assert run.plan.heal_from_us >= run.plan.end_us
    assert read_run(tmp_path / "run").stopped == "interrupted before the end of the plan"


def test_a_signal_while_the_report_is_written_waits_for_it_and_a_second_one_does_not(tmp_path: Path) -> None:
    drill, _ = drilled(tmp_path / "run", None)
    with drill.writing_report():
        signal.raise_signal(signal.SIGINT)
    assert drill.interrupted
    with pytest.raises(KeyboardInterrupt), drill.writing_report():
        signal.raise_signal(signal.SIGINT)


class Unjudged(TimedPlan):
    is_judged = False


def conducted(
    place: Path,
    settings: DrillSettings,
    *,
    notes: Notes | None = None,
    plan: type[TimedPlan] = TimedPlan,
    lab: Path | None = None,
) -> Conducted:
    target = Target(Endpoint("http://127.0.0.1:1/?token=s3cret"), faults={"touch": recipe(place)}, lab=lab)
    return conduct(settings, lambda _: plan(Timing(0.05, 0.05, 0.05), settings), notes or Notes(), target)


def test_settings_become_a_run_directory_and_its_verdict(tmp_path: Path) -> None:
    notes = Notes()
    settings = DrillSettings(
        fault="touch",
        arm=True,
        allow_no_backup=True,
        allow_unidentified=True,
        probe_rate=9.0,
        seed=7,
        command=("x",),
        out=tmp_path / "runs",
    )
    done = conducted(tmp_path, settings, notes=notes)
    assert done.verdict is not None and (done.directory / "verdict.json").exists()
    assert notes.said[0] == "baseline" and notes.said[-1] == "judging"
    run = read_run(done.directory)
    assert (run.id, run.name, run.seed, run.command) == (done.directory.name, "touch", 7, ["x"])
    assert run.settings.probe_rate == 9.0 and run.plan.healed_us is not None


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        (DrillSettings(fault="touch"), "add --arm to confirm it"),
        (DrillSettings(fault="touch", prefix="--switchover-"), "add --switchover-arm to confirm it"),
        (DrillSettings(fault="other"), "a target file must define the commands"),
        (DrillSettings(fault="touch", arm=True), "nothing identifies the target.*, or --allow-unidentified"),
        (DrillSettings(limits=("split-brain=0s",)), "have no ownership source"),
        (DrillSettings(prometheus="nowhere"), "nowhere"),
    ],
)
def test_what_is_refused_leaves_no_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: DrillSettings, refusal: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((FaultError, UsageError), match=refusal):
        conducted(tmp_path, settings)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("plan", [TimedPlan, Unjudged])
def test_the_configuration_of_a_lab_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: type[TimedPlan]
) -> None:
    def copy(_lab: LabDirectory, destination: Path) -> None:
        destination.mkdir()
        (destination / "haproxy.cfg").write_text("backend of-the-lab\n")

    monkeypatch.setattr(LabDirectory, "copy_config", copy)
    monkeypatch.setattr(LabDirectory, "versions", lambda _: {})
    settings = DrillSettings(probe_rate=9.0, out=tmp_path / "runs")
    done = conducted(tmp_path, settings, plan=plan, lab=tmp_path)
    assert (done.directory / "config" / "haproxy.cfg").exists()


TARGET = Target(Endpoint("http://127.0.0.1:1/"))


def done(name: str, *, interrupted: bool = False) -> Conducted:
    return Conducted(Path(name), Run(name, name), None, interrupted)


def names_of(monkeypatch: pytest.MonkeyPatch, *outcomes: Conducted | Exception, notes: Notes) -> list[str]:
    left = list(outcomes)

    def conduct(*_: object) -> Conducted:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(repeat, "conduct", conduct)
    settings = DrillSettings(repeat=len(outcomes))
    drills = repeat.conduct_all(settings, lambda _: TimedPlan(Timing(0, 0, 0), settings), notes, TARGET)
    return [one.run.name for one in drills]


def test_a_drill_that_fails_ends_the_series_and_keeps_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    ambiguous = FaultError("the master is ambiguous")
    assert names_of(monkeypatch, done("a"), done("b"), ambiguous, done("never"), notes=notes) == ["a", "b"]
    assert notes.said[-1] == "no more drills: the master is ambiguous"
