"""One drill from its settings to its verdict, whichever way it is started; its fault is one of touched files."""

from pathlib import Path

import pytest

from support.touching import Notes, play, recipe
from switchover.drill.conduct import Conducted, conduct
from switchover.drill.options import DrillSettings
from switchover.drill.plan import TimedPlan
from switchover.model.errors import FaultError, UsageError
from switchover.predict.phase_lengths import Timing
from switchover.rundir.run_directory import read_run
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import Endpoint, Target


class Unjudged(TimedPlan):
    is_judged = False


@pytest.fixture(autouse=True)
def touched_files(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch)


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
