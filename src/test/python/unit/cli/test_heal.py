"""`switchover heal RUN`: what a run has left broken is healed by hand, from its run directory."""

from pathlib import Path

import pytest
import tomli_w

from switchover.cli.main import main
from switchover.faults.watchdog import FIRED_FILE
from switchover.rundir.run_directory import FaultRun, Run, write_run
from switchover.rundir.run_records import TargetFacts


def left_broken(place: Path, *, heal: str = "rm -f down", target_named: bool = True) -> Path:
    """A run whose fault was fired and not healed."""

    def shell(script: str) -> list[str]:
        return ["sh", "-c", f"cd '{place}' && {script}", "{master}"]

    fault = {
        "kill": shell("touch down"),
        "heal": shell(f"echo healed $0 >> log; {heal}"),
        "verify_down": shell("test -e down"),
        "verify_healed": shell("test ! -e down"),
    }
    values = {
        "target": {"url": "http://127.0.0.1:9/", "claim": ["true"], "release": shell("touch released")},
        "fault": {"touch": fault},
    }
    target = place / "site.toml"
    target.write_text(tomli_w.dumps(values), encoding="utf-8")
    run = place / "run"
    run.mkdir()
    facts = TargetFacts.of({"file": str(target)} if target_named else {})
    write_run(run, Run(id="r", name="touch", target=facts, fault=FaultRun("touch", "master", master="lb1")))
    (run / FIRED_FILE).touch()
    (place / "down").touch()
    return run


def test_it_heals_proves_and_releases_with_the_nodes_of_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["heal", str(left_broken(tmp_path))]) == 0
    assert not (tmp_path / "down").exists()
    assert (tmp_path / "released").exists()
    assert (tmp_path / "log").read_text() == "healed lb1\n"
    assert "touch is healed" in capsys.readouterr().out
    assert "healed by hand" in (tmp_path / "run" / "journal.lp").read_text()


def test_a_change_that_was_not_taken_back_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = left_broken(tmp_path)
    commands = {
        "do": ["false"],
        "undo": ["rm", str(tmp_path / "down")],
        "verify": ["test", "-e", str(tmp_path / "down")],
    }
    site = tmp_path / "site.toml"
    site.write_text(tomli_w.dumps({"target": {"url": "http://127.0.0.1:9/"}, "change": {"touch": commands}}))
    facts = TargetFacts.of({"file": str(site)})
    write_run(run, Run(id="r", name="touch", target=facts, change=FaultRun("touch", "master", master="lb1")))
    assert main(["heal", str(run)]) == 0
    assert not (tmp_path / "down").exists()
    printed = capsys.readouterr().out
    assert "undo: " in printed and "touch is undone" in printed
    journal = (run / "journal.lp").read_text()
    assert "kind=undo" in journal and "touch: undone by hand" in journal
    monkeypatch.setattr("switchover.cli.heal.HEAL_S", 0.2)
    assert main(["heal", str(run)]) == 2
    says = "touch IS NOT UNDONE: undo: `rm …`: exit status 1"
    error = capsys.readouterr().err
    assert says in error and "; run the undo command of [change.touch] on the node itself" in error
    site.write_text(site.read_text().replace("undo = ", "ready = "))
    assert main(["heal", str(run)]) == 2
    assert "[change.touch] has no undo, so the change cannot be undone" in capsys.readouterr().err


def test_a_heal_that_fails_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("switchover.cli.heal.HEAL_S", 0.2)
    assert main(["heal", str(left_broken(tmp_path, heal="true"))]) == 2
    assert "touch IS NOT HEALED" in capsys.readouterr().err


def test_where_nothing_was_fired_nothing_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = left_broken(tmp_path)
    (run / FIRED_FILE).unlink()
    assert main(["heal", str(run)]) == 2
    assert "nothing was fired" in capsys.readouterr().err
    assert (tmp_path / "down").exists()


def test_a_lab_that_has_ended_needs_no_heal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = left_broken(tmp_path)
    facts = TargetFacts.of({"file": str(tmp_path / "ended" / "target.toml"), "lab": True})
    write_run(run, Run(id="r", name="touch", target=facts, fault=FaultRun("touch", "master", master="lb1")))
    assert main(["heal", str(run)]) == 2
    assert "has ended, so there is nothing to heal" in capsys.readouterr().err


def test_a_run_that_does_not_name_its_target_file_asks_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = left_broken(tmp_path, target_named=False)
    assert main(["heal", str(run)]) == 2
    assert "--target FILE" in capsys.readouterr().err
    assert main(["heal", str(run), "--target", str(tmp_path / "site.toml")]) == 0
