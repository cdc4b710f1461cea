"""The guard against recipes of touched files: `down` stands for the fault, every command writes a line to `log`."""

import re
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from support.disk import file_size_limit
from support.guards import be_patient, confirm_soon_or_never, give_up_after_one_heal, guard_of
from support.waiting import wait_for
from switchover.faults import guard as guard_module
from switchover.faults import watchdog
from switchover.faults.guard import CHECKS_S, Guard
from switchover.faults.watchdog import FIRED_FILE, FiredFile, UndoList
from switchover.model.clock import boot_time_s
from switchover.model.errors import FaultError
from switchover.target.model import ChangeRecipe, FaultRecipe


@dataclass
class Events:
    """A journal that remembers."""

    seen: list[tuple[str, str, str]] = field(default_factory=list)

    def event(self, kind: str, text: str, *, time_ns: int, node: str = "", id: str = "") -> None:  # noqa: A002
        assert time_ns > 0
        self.seen.append((kind, text, node))

    def texts(self, kind: str) -> list[str]:
        return [text for seen, text, _ in self.seen if seen == kind]


def recipe(place: Path) -> FaultRecipe:
    """A fault as files in `place`."""
    return FaultRecipe(
        name="touch",
        kill=logged(place, "kill", "touch down"),
        heal=logged(place, "heal", "rm -f down"),
        verify_down=("test", "-e", str(place / "down")),
        verify_healed=("test", "!", "-e", str(place / "down")),
    )


def logged(place: Path, word: str, script: str) -> tuple[str, ...]:
    return ("sh", "-c", f"cd '{place}' && echo {word} >> log && {{ {script}\n}}")


def log_of(place: Path) -> list[str]:
    return (place / "log").read_text().split() if (place / "log").exists() else []


def guard(what: FaultRecipe, place: Path, **options: object) -> Guard:
    return guard_of(what, place, **({"journal": Events()} | options))


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A runner that a busy machine holds up in its heal does not hang: it beats, which holds for longer."""
    be_patient(monkeypatch)
    monkeypatch.setattr(UndoList, "healing", UndoList.beat)


@pytest.fixture
def short_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    confirm_soon_or_never(monkeypatch)


def test_it_kills_proves_heals_and_tells_the_journal(tmp_path: Path) -> None:
    events = Events()
    with guard(recipe(tmp_path), tmp_path, journal=events) as armed:
        armed.arm()
        firing = armed.fire()
        assert (tmp_path / "down").exists()
        healing = armed.heal()
    assert firing.error is None
    assert firing.proved_us is not None
    assert firing.from_us < firing.to_us < firing.proved_us < healing.from_us < healing.to_us
    assert {type(us) for us in (firing.proved_us, healing.to_us, healing.proved_us)} == {int}
    assert healing.error is None
    assert healing.proved_us is not None and healing.proved_us >= healing.to_us
    assert log_of(tmp_path) == ["kill", "heal"]
    assert [(kind, node) for kind, _, node in events.seen] == [("fault", "lb1"), ("heal", "lb1")]
    assert "the runner has healed the fault" in (tmp_path / "watchdog.log").read_text()


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "unarmed": ({}, {"armed": False}, "--arm"),
    "nothing would prove it": ({"verify_down": None}, {}, "no verify_down"),
    "the proof holds before, as of a mistyped service": (
        {"verify_down": ("true",)},
        {},
        "its verify_down succeeds before the kill, so it would prove nothing",
    ),
    "the target is not well": ({"verify_healed": ("false",)}, {}, "its verify_healed fails before the kill"),
    "an ambiguous master": ({"heal": ("echo", "{master}")}, {"names": {"backup": "lb2"}}, "the master is not known"),
    "an ambiguous backup": ({"heal": ("echo", "{backup}")}, {"names": {"master": "lb1"}}, "the backup is not known"),
    "no such program to kill": (
        {"kill": ("systemctll", "1")},
        {},
        "kill: `systemctll …`: cannot run: no such program",
    ),
    "no such file to heal": ({"heal": ("/bin/kil", "1")}, {}, "heal: `/bin/kil …`: cannot run: No such file"),
    "a dead-man that is not taken": (
        {"deadman": ("sh", "-c", "echo not permitted >&2; exit 1")},
        {},
        r"dead-man .*exit status 1 \(not permitted\)",
    ),
    "nodes that cannot be claimed": ({}, {"claim": ("false",)}, "the command claim of .target. failed"),
}


@pytest.mark.parametrize(("changes", "options", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_before_the_kill_runs_nothing(
    tmp_path: Path, changes: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    refused = pytest.raises(FaultError, match=said)
    with guard(replace(recipe(tmp_path), **changes), tmp_path, **options) as armed, refused:
        armed.arm()
        armed.fire()
    assert log_of(tmp_path) == []
    assert not (tmp_path / FIRED_FILE).exists()


FIRED: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "it strikes": ("touch down", {}, ()),
    "it fails but strikes, as of a node that takes its ssh with it": ("touch down; exit 255", {}, ()),
    "it does nothing": ("true", {}, ("the proof command did not succeed within 0.2 s",)),
    "it fails and does not strike": (
        "echo no route >&2; exit 255",
        {},
        ("the proof command did not succeed", "exit status 255 (no route)"),
    ),
    "a supervisor restarts it after the first proof": (
        "touch down",
        {"verify_down": "test -e down || exit 1; test ! -e asked || { rm down; exit 1; }; touch asked"},
        ("s later (`sh …`: exit status 1)", "supervisor"),
    ),
    "the heal's proof holds while it is in force": (
        "touch down",
        {"verify_healed": "true"},
        ("verify_down succeeds, and so does [fault.touch] verify_healed",),
    ),
}


@pytest.mark.usefixtures("short_proof")
@pytest.mark.parametrize(("kill", "proofs", "said"), FIRED.values(), ids=FIRED)
def test_what_a_kill_does_is_confirmed_or_not_and_healed_in_any_case(
    tmp_path: Path, kill: str, proofs: dict[str, str], said: tuple[str, ...]
) -> None:
    changes: dict[str, Any] = {key: ("sh", "-c", f"cd '{tmp_path}'; {script}") for key, script in proofs.items()}
    what = replace(recipe(tmp_path), kill=logged(tmp_path, "kill", kill), **changes)
    with guard(what, tmp_path) as armed:
        armed.arm()
        firing = armed.fire()
        with pytest.raises(FaultError, match="already"):
            armed.fire()
    assert (firing.proved_us is None) == bool(said) == (firing.error is not None)
    assert all(part in (firing.error or "") for part in said)
    assert ("the kill command" in (firing.error or "")) == ("exit 255" in kill and bool(said))
    assert log_of(tmp_path)[:2] == ["kill", "heal"]


def test_of_two_guards_of_a_run_one_fires(tmp_path: Path) -> None:
    with guard(recipe(tmp_path), tmp_path) as first, guard(recipe(tmp_path), tmp_path) as second:
        first.arm()
        second.arm()
        first.fire()
        with pytest.raises(FaultError, match="fired in this run already"):
            second.fire()
    assert log_of(tmp_path) == ["kill", "heal"]
    assert (tmp_path / FIRED_FILE).read_text().startswith("touch by process ")


def test_on_a_full_disk_it_refuses_and_leaves_no_mark(tmp_path: Path) -> None:
    with guard(recipe(tmp_path), tmp_path) as one:
        one.arm()
        with file_size_limit(5), pytest.raises(FaultError, match=r"does not fire: cannot write .*File too large"):
            FiredFile(tmp_path, "touch").create()
    FiredFile(tmp_path, "touch").remove()
    assert not (tmp_path / FIRED_FILE).exists()
    with pytest.raises(FaultError, match=r"does not fire: cannot write .*No such file"):
        FiredFile(tmp_path / "gone", "touch").create()


def test_a_fault_that_strikes_late_is_confirmed_when_it_does(tmp_path: Path) -> None:
    late = "(sleep 0.2; touch down) > /dev/null 2>&1 &"
    with guard(replace(recipe(tmp_path), kill=logged(tmp_path, "kill", late)), tmp_path) as armed:
        armed.arm()
        firing = armed.fire()
    assert firing.proved_us is not None
    assert firing.proved_us - firing.from_us >= 200_000


def test_an_exception_in_the_run_heals(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), guard(recipe(tmp_path), tmp_path) as armed:
        armed.arm()
        armed.fire()
        raise RuntimeError
    assert log_of(tmp_path) == ["kill", "heal"]
    assert not (tmp_path / "down").exists()


def test_a_failed_heal_is_the_loudest_line_and_the_watchdog_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heal works once the guard has given up."""
    give_up_after_one_heal(monkeypatch)
    what = replace(recipe(tmp_path), heal=logged(tmp_path, "heal", "test -e given-up && rm down"))
    events = Events()
    with guard(what, tmp_path, journal=events) as armed:
        armed.arm()
        armed.fire()
        healing = armed.heal()
        assert healing.proved_us is None and healing.from_us < healing.to_us
        assert healing.error is not None
        assert healing.error.startswith("touch IS NOT HEALED: ")
        assert "by hand with the commands in [fault.touch] of the target file" in healing.error
        assert armed.watchdog_result is None
        (tmp_path / "given-up").touch()
    assert not (tmp_path / "down").exists()
    assert events.texts("warning") == [healing.error]
    assert events.texts("heal") == ["touch: finally healed by the watchdog"] == [armed.watchdog_result]


def test_what_the_kill_has_left_running_ends_before_the_heal(tmp_path: Path) -> None:
    again = "touch down; (while sleep 0.02; do touch down; done) > /dev/null 2>&1 & echo $! > pid"
    with guard(replace(recipe(tmp_path), kill=logged(tmp_path, "kill", again)), tmp_path) as armed:
        armed.arm()
        assert armed.fire().error is None
        assert armed.heal().error is None
        pid = (tmp_path / "pid").read_text().strip()
        wait_for(lambda: not Path("/proc", pid).exists())
    assert log_of(tmp_path) == ["kill", "heal"]
    assert not (tmp_path / "down").exists()


def test_what_comes_back_after_the_heal_is_healed_again_until_the_run_ends(tmp_path: Path) -> None:
    """By something that the kill has left on a node: nothing here can end it."""
    with guard(recipe(tmp_path), tmp_path) as armed:
        armed.arm()
        armed.fire()
        assert armed.heal().error is None
        (tmp_path / "down").touch()
        wait_for(lambda: "touch: healed by the watchdog" in (tmp_path / "watchdog.log").read_text())
        (tmp_path / "down").touch()
    assert not (tmp_path / "down").exists(), "at the end it is looked at once more"
    assert log_of(tmp_path) == ["kill", "heal", "heal", "heal"]
    assert armed.watchdog_result is None
    points = [line for line in (tmp_path / "journal-watchdog.lp").read_text().splitlines() if "kind=warning" in line]
    assert len(points) == 2 and "touch was in force again after its heal" in points[0]


@pytest.mark.parametrize("never", ["exec sleep 1000", "exec yes"])
def test_a_kill_that_does_not_end_is_ended_once_the_fault_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, never: str
) -> None:
    monkeypatch.setattr(guard_module, "KILL_PATIENCE_S", 0.1)
    with guard(replace(recipe(tmp_path), kill=logged(tmp_path, "kill", f"touch down; {never}")), tmp_path) as armed:
        armed.arm()
        assert armed.fire().error is None
        assert armed.heal().error is None


def test_what_a_slow_supervisor_restarted_is_found_before_the_heal(tmp_path: Path) -> None:
    with guard(recipe(tmp_path), tmp_path) as armed:
        armed.arm()
        assert armed.still_down() is None, "nothing was fired"
        assert armed.fire().error is None
        (tmp_path / "down").unlink()
        said = armed.still_down()
        armed.heal()
        assert armed.still_down() is None, "it is healed"
    assert said is not None and said.startswith("touch: the fault was over before the heal")
    assert said.endswith(": [fault.touch] verify_down: `test …`: exit status 1")


def over_ssh(place: Path) -> FaultRecipe:
    """Its proof is asked by a program called ssh, which does not reach the node while `cut` is there."""
    ssh = place / "ssh"
    ssh.write_text(f"#!/bin/sh\ncd '{place}'\ntest -e cut && exit 255\ntest -e down\n", encoding="utf-8")
    ssh.chmod(0o700)
    return replace(recipe(place), verify_down=(str(ssh), "lb1", "! pidof haproxy"))


def test_a_node_that_ssh_does_not_reach_proves_nothing_before_the_kill(tmp_path: Path) -> None:
    (tmp_path / "cut").touch()
    with guard(over_ssh(tmp_path), tmp_path) as armed:
        armed.arm()
        with pytest.raises(FaultError, match=r"its verify_down cannot run: .* verify_down: .*: exit status 255"):
            armed.fire()
    assert log_of(tmp_path) == []


def test_while_it_looks_whether_the_fault_lasts_the_heal_is_not_overdue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its look takes until the watchdog is told that the heal goes on."""
    monkeypatch.setattr(UndoList, "healing", lambda undo: (tmp_path / "healing").touch())
    slow = "test ! -e slow || timeout 60 sh -c 'until test -e healing; do sleep 0.01; done' && test -e down"
    with guard(replace(recipe(tmp_path), verify_down=("sh", "-c", f"cd {tmp_path}; {slow}")), tmp_path) as armed:
        armed.arm()
        armed.fire()
        assert not (tmp_path / "healing").exists()
        (tmp_path / "slow").touch()
        assert armed.still_down() is None
        assert (tmp_path / "healing").exists()


def test_no_message_holds_the_arguments_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An API is called with a token in the arguments; what is said of it reaches run.json and the console."""
    give_up_after_one_heal(monkeypatch)
    failing = ("sh", "-c", "exit 1", "Authorization: Bearer s3cret")
    striking = ("sh", "-c", f"touch '{tmp_path}/down'; exit 1", "Authorization: Bearer s3cret")
    events = Events()
    with guard(replace(recipe(tmp_path), kill=striking, heal=failing), tmp_path, journal=events) as armed:
        armed.arm()
        armed.fire()
        (tmp_path / "down").unlink()
        said = [armed.still_down() or ""]
        (tmp_path / "down").touch()
        said.append(armed.heal().error or "")
        (tmp_path / "down").unlink()
    said += [text for _, text, _ in events.seen]
    said.append((tmp_path / "watchdog.log").read_text())
    assert "[fault.touch] heal: `sh …`: exit status 1" in said[1]
    assert "s3cret" not in "".join(said)


def test_a_fault_without_heal_is_healed_by_its_proof_alone(tmp_path: Path) -> None:
    itself = "touch down; (timeout 60 sh -c 'until test -e over; do sleep 0.05; done'; rm down) > /dev/null 2>&1 &"
    what = replace(recipe(tmp_path), kill=logged(tmp_path, "kill", itself), heal=None)
    with guard(what, tmp_path) as armed:
        armed.arm()
        assert armed.fire().error is None
        (tmp_path / "over").touch()
        wait_for(lambda: not (tmp_path / "down").exists())
        assert armed.still_down() is None
        assert armed.heal().error is None
    assert log_of(tmp_path) == ["kill"]


def test_a_heal_from_another_thread_cuts_the_proof_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "CONFIRM_S", 600.0)
    proof = ("sh", "-c", f"test ! -e '{tmp_path}/log' || exec sleep 1000; exit 1")
    what = replace(recipe(tmp_path), kill=logged(tmp_path, "kill", "true"), verify_down=proof)
    with guard(what, tmp_path) as armed:
        armed.arm()
        firings: list[str | None] = []
        firing = threading.Thread(target=lambda: firings.append(armed.fire().error))
        firing.start()
        wait_for(lambda: log_of(tmp_path) == ["kill"])
        armed.heal()
        firing.join(60)
    assert firings and firings[0] is not None and "healed before the proof" in firings[0]
    assert log_of(tmp_path) == ["kill", "heal"]


def test_a_deadman_is_disarmed_after_the_heal_or_when_nothing_was_fired(tmp_path: Path) -> None:
    """Otherwise it heals in the middle of the next drill."""
    deadman, disarm = (logged(tmp_path, word, "true") for word in ("deadman", "disarm-{master}"))
    what = replace(recipe(tmp_path), deadman=deadman, disarm=disarm)
    with guard(what, tmp_path) as armed:
        armed.arm()
        with pytest.raises(FaultError, match="its preflight began"):
            armed.fire(checked_s=-1000.0)
        assert log_of(tmp_path) == ["deadman", "disarm-lb1"], "armed before the kill"
        armed.fire()
    assert log_of(tmp_path)[2:] == ["deadman", "kill", "heal", "disarm-lb1"]


def test_a_run_directory_that_cannot_be_written_is_refused_before_the_kill(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with guard(recipe(tmp_path), gone) as armed, pytest.raises(FaultError, match="its watchdog did not start"):
        armed.arm()
    assert log_of(tmp_path) == []


def test_what_is_wrong_with_a_change_is_said_in_the_words_of_its_table(tmp_path: Path) -> None:
    fault = recipe(tmp_path)
    what = ChangeRecipe("reload", fault.kill, fault.heal, ("true",))
    with guard(what, tmp_path) as armed:
        armed.arm()
        said = r"its verify succeeds before the change, so it would prove nothing: \[change.reload\] verify: `true`"
        with pytest.raises(FaultError, match=said):
            armed.fire()
    with guard(replace(what, verify_down=("false",)), tmp_path) as armed:
        armed.arm()
        lines = armed.dry_run()
        nothing = armed.heal()
    assert nothing.from_us == nothing.to_us > 0 and (nothing.proved_us, nothing.error) == (None, None)
    assert lines[0] == "reload: verify fails, as it must before the change"
    assert [line.split()[0] for line in lines[1:]] == ["do", "verify", "undo"]


@pytest.mark.parametrize(
    ("disarm", "said", "listed"),
    [
        (("true", "disarm"), "the dead-man was armed and disarmed again", ["disarm        true disarm"]),
        (None, "the dead-man was not armed, because there is no `disarm` command", []),
    ],
)
def test_a_dry_run_lists_what_was_done_and_every_command_in_its_order(
    tmp_path: Path, disarm: tuple[str, ...] | None, said: str, listed: list[str]
) -> None:
    what = FaultRecipe(
        name="touch",
        kill=("false", "kill", "{master}"),
        heal=("false", "heal", "{backup}"),
        verify_down=("false",),
        verify_healed=("true", "a b"),
        ready=("false", "is asked before, of each node"),
        deadman=("true", "deadman"),
        disarm=disarm,
    )
    with guard(what, tmp_path, claim=("true", "{master}"), release=("true", "release")) as armed:
        armed.arm()
        lines = armed.dry_run()
    assert lines == [
        "touch: verify_down fails and verify_healed succeeds, as they must before the kill",
        f"touch: {said}",
        "claim         true lb1",
        "deadman       true deadman",
        "kill          false kill lb1",
        "verify_down   false",
        "heal          false heal lb2",
        "verify_healed true 'a b'",
        *listed,
        "release       true release",
    ]
    with (
        guard(replace(what, disarm=("false",)), tmp_path) as armed,
        pytest.raises(FaultError, match="is not disarmed"),
    ):
        armed.arm()
        armed.dry_run()


def test_a_kill_that_cannot_be_started_was_not_fired(tmp_path: Path) -> None:
    script = tmp_path / "kill"
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(0o700)
    with guard(replace(recipe(tmp_path), kill=(str(script),), deadman=("rm", str(script))), tmp_path) as armed:
        armed.arm()
        firing = armed.fire()
    assert (firing.error or "").startswith("touch was not fired: [fault.touch] kill: ")
    assert 0 < firing.from_us <= firing.to_us and firing.proved_us is None


def test_commands_get_a_clean_environment_and_what_the_file_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWITCHOVER_INFLUX_TOKEN", "s3cret")
    monkeypatch.setenv("KUBECONFIG", "/here")
    monkeypatch.setattr(guard_module, "KILL_PATIENCE_S", 0.1)
    monkeypatch.setattr(guard_module, "KILL_LOOK_S", 0.1)

    def named(script: str) -> tuple[str, ...]:
        return ("sh", "-c", f'cd "{tmp_path}" && test "$KUBECONFIG" = /here && {script}')

    what = FaultRecipe(
        name="touch",
        kill=named("env > seen && sleep 0.3; touch down; exec sleep 1000"),
        heal=named("rm down"),
        verify_down=named("test -e down"),
        verify_healed=named("test ! -e down"),
        variables=("KUBECONFIG",),
    )
    with guard(what, tmp_path) as armed:
        armed.arm()
        firing = armed.fire()
        assert firing.error is None and firing.to_us - firing.from_us < 10_000_000, "its kill is ended in time"
        assert armed.still_down() is None
        assert armed.heal().error is None
    seen = (tmp_path / "seen").read_text()
    assert "KUBECONFIG=/here" in seen and "PATH=" in seen
    assert "s3cret" not in seen


HEALING = UndoList.healing


@pytest.fixture
def said_to_watchdog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that is said to the watchdog, which gets it, too; a heartbeat is due all the time. What is said five times
    has a file of its name."""
    said: list[str] = []
    send = UndoList.send

    def remember(undo: UndoList, line: str) -> bool:
        said.append(line)
        if said.count(line) == 5:
            (tmp_path / line).touch()
        return send(undo, line)

    monkeypatch.setattr(UndoList, "healing", HEALING)
    monkeypatch.setattr(UndoList, "send", remember)
    monkeypatch.setattr(watchdog, "BEAT_S", 0.0)
    return said


def test_as_long_as_the_kill_takes_its_heal_is_promised_anew(tmp_path: Path, said_to_watchdog: list[str]) -> None:
    """So a runner that is stopped in the middle of its kill is healed as soon as one that is stopped after it."""
    kill = "touch down; until test -e 'within 30.000'; do sleep 0.01; done"
    what = replace(recipe(tmp_path), kill=logged(tmp_path, "kill", kill))
    with guard(what, tmp_path) as guarded:
        guarded.arm()
        guarded.fire(heal_within_s=30.0)
        while_it_ran = said_to_watchdog[said_to_watchdog.index("firing") : said_to_watchdog.index("fired")]
        assert while_it_ran.count("within 30.000") > 2
        assert {line for line in said_to_watchdog if line.startswith("within")} == {"within 30.000"}


def test_checks_of_a_process_that_slept_are_not_believed(tmp_path: Path) -> None:
    with guard(recipe(tmp_path), tmp_path) as guarded:
        guarded.arm()
        with pytest.raises(
            FaultError, match=r"its preflight began \d+ s ago.*suspended\? Run the drill again"
        ) as refused:
            guarded.fire(checked_s=boot_time_s() - CHECKS_S - 1)
    assert [int(number) >= 61 for number in re.findall(r"began (\d+) s", str(refused.value))] == [True]
    assert log_of(tmp_path) == []
