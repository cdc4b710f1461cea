import re
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from proof.cases import CASES
from support.checkout import CHECKOUT
from support.servers import Behaviour, unix_server
from switchover.faults import mechanisms
from switchover.faults.catalogue import CATALOGUE, CHANGES, EXEC, fault_named, require_deadman
from switchover.faults.mechanism import TRAITS, LabCommands
from switchover.faults.on_node import node_state
from switchover.model.errors import FaultError
from switchover.rundir.run_directory import FaultRun, Run
from switchover.target.model import FaultRecipe
from switchover.verdict.confirmation import SourceKind, source_kinds

LAB = LabCommands("/usr/bin/python3", "/opt/exec.py", "/run/lab", "haproxy")
NAMES = sorted(CATALOGUE)
PLACEHOLDER = re.compile(r"\{[a-z]+\}")


def commands(recipe: FaultRecipe) -> list[tuple[str, ...]]:
    every = (recipe.kill, recipe.heal, recipe.verify_down, recipe.verify_healed, recipe.deadman)
    return [command for command in every if command is not None]


def test_each_mechanism_has_one_entry() -> None:
    """The catalogue would keep only one of two entries with the same name."""
    files = [import_module(f"{mechanisms.__name__}.{file.name}") for file in iter_modules(mechanisms.__path__)]
    entries = [one.name for file in files for table in ("FAULTS", "CHANGES") for one in getattr(file, table, ())]
    assert sorted(entries) == sorted({**CATALOGUE, **CHANGES})
    assert all(fault_named(name).name == name for name in entries)


def test_the_documentation_has_them_all_and_a_place_for_the_figures() -> None:
    page = (CHECKOUT / "docs" / "faults.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in CATALOGUE)
    assert "<!-- measured -->" in (CHECKOUT / "docs" / "proof" / "faults.txt").read_text(encoding="utf-8")


def test_the_table_of_traits_has_each_mechanism_and_no_other() -> None:
    assert list(TRAITS) == [*{**CATALOGUE, **CHANGES}]


@pytest.mark.parametrize("name", NAMES)
def test_the_sources_of_a_fault_are_known_where_a_run_does_not_name_them(name: str) -> None:
    """A run of JMeter's does not."""
    run = Run(id="run", name="run", fault=FaultRun(name=name, kind=CATALOGUE[name].kind))
    assert source_kinds(run) == [*map(SourceKind, CATALOGUE[name].sources), SourceKind.PROBES]


def test_each_fault_is_drilled_again_and_again_by_the_proof() -> None:
    assert {case.fault for case in CASES} == set(CATALOGUE)


@pytest.mark.parametrize("fault", [*CATALOGUE.values(), EXEC], ids=lambda fault: fault.name)
def test_every_fault_tells_its_whole_story(fault: object) -> None:
    for text in ("summary", "does", "proof", "heals", "expectation"):
        assert len(getattr(fault, text)) > 10


def test_documented_commands_ask_systemd_for_one_unit_each() -> None:
    """`systemctl is-active a b` exits with 0 if only one of the two is active."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in (CHECKOUT / "docs").glob("*.md")}
    asked = [
        (name, [word for word in re.findall(r"[\w.@-]+", words) if not word.startswith("-")])
        for name, page in pages.items()
        for words in re.findall(r"is-active\b([^&;|\]\n`']*)", page)
    ]
    assert len(asked) > 3
    assert [(name, units) for name, units in asked if len(units) > 1 and units != ["a", "b"]] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_is_proved_and_healed_by_argument_lists(name: str) -> None:
    fault, recipe = CATALOGUE[name], CATALOGUE[name].recipe(LAB)
    assert recipe.name == name and fault.sources
    assert recipe.verify_down and recipe.ready and recipe.heal
    assert (recipe.verify_healed is None) == fault.heals_itself
    words = [word for command in commands(recipe) for word in command]
    assert set(PLACEHOLDER.findall(" ".join(words))) <= {"{master}", "{backup}"}
    assert any("{master}" in word for word in words) == (fault.kind == "master")


def test_commands_reach_hosts_over_their_sockets() -> None:
    assert LAB.on("{master}", "ip", "link") == (
        "/usr/bin/python3", "-I", "-S", "/opt/exec.py", "/run/lab/{master}/exec.sock", "--", "ip", "link",
    )  # fmt: skip
    assert LAB.service("web1", "backend", "kill")[4:] == ("/run/lab/web1/exec.sock", "--service", "backend", "kill")
    assert LAB.bridge("bridge", "link")[4] == "/run/lab/bridge/exec.sock"


NEED_A_BALANCER = {"haproxy-kill", "haproxy-stop", "haproxy-hang", "haproxy-reload", "haproxy-drain"}


@pytest.mark.parametrize(
    ("balancer", "refused"),
    [
        ("haproxy", set()),
        ("nginx", {"haproxy-reload", "haproxy-drain"}),
        ("caddy", {"haproxy-reload", "haproxy-drain"}),
        ("none", NEED_A_BALANCER),
    ],
)
def test_a_lab_does_what_its_balancer_can(balancer: str, refused: set[str]) -> None:
    lab = replace(LAB, balancer=balancer)
    reasons = {name: reason for name in NAMES if (reason := CATALOGUE[name].applies(lab)) is not None}
    assert set(reasons) & NEED_A_BALANCER == refused
    assert all(repr(balancer) in reason for reason in reasons.values())


def test_any_other_name_is_exec() -> None:
    assert fault_named("pull-the-plug") is EXEC
    assert fault_named("node-down") is CATALOGUE["node-down"]
    assert EXEC.predict(None, None).low_s is None
    assert "only faults with a name from" in EXEC.predict(None, None).reason
    assert EXEC.applies(LAB) is not None


def test_a_fault_that_cuts_the_way_needs_a_deadman_on_a_real_node() -> None:
    recipe = FaultRecipe("node-down", kill=("ssh", "{master}", "ip", "link", "set", "eth0", "down"))
    with pytest.raises(FaultError, match="systemd-run"):
        require_deadman(recipe)
    require_deadman(replace(recipe, deadman=("ssh", "{master}", "systemd-run", "…")))
    require_deadman(replace(recipe, name="haproxy-kill"))


STATISTICS = "# pxname,svname,status,\nwww,FRONTEND,OPEN,\ncontrol,FRONTEND,PAUSED,\nwww,BACKEND,UP,\n\n"


def haproxy(answers: dict[str, str]) -> Behaviour:
    """A runtime socket that gives one answer to each command."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(answers.get(connection.recv(4096).decode().strip(), "Unknown command\n").encode())

    return behave


@pytest.mark.parametrize(
    ("verb", "value", "status"),
    [
        ("--send", "disable frontend control", 0),
        ("--send", "disable frontend typo", 1),
        ("--is", "www/FRONTEND:status=OPEN", 0),
        ("--is", "control/FRONTEND:status=OPEN", 1),
        ("--is-not", "control/FRONTEND:status=OPEN", 0),
        ("--is-not", "www/FRONTEND:status=OPEN", 1),
        ("--is", "nowhere/FRONTEND:status=OPEN", 2),
        ("--is", "www/FRONTEND:height=1", 2),
        ("--jump", "high", 2),
    ],
)
def test_the_node_state_helper(tmp_path: Path, verb: str, value: str, status: int) -> None:
    path = tmp_path / "s"
    answers = {
        "disable frontend control": "\n",
        "show stat": STATISTICS,
        "show info": "Name: HAProxy\nPid: 4711\nUptime_sec: 2\n\n",
    }
    with unix_server(path, haproxy(answers)):
        assert node_state.main([str(path), verb, value]) == status


def test_another_process_on_the_socket_proves_a_reload(tmp_path: Path) -> None:
    path, note = tmp_path / "s", tmp_path / "pid"
    helper = [sys.executable, "-I", "-S", node_state.__file__, str(path)]
    with unix_server(path, haproxy({"show info": "Pid: 4711\n\n"})):
        assert node_state.main([str(path), "--other-pid", str(note)]) == 2, "nothing was written down"
        done = subprocess.run([*helper, "--note-pid", str(note), "sh", "-c", "exit 7"], check=False)
        assert done.returncode == 7
        assert note.read_text() == "4711"
        assert node_state.main([str(path), "--other-pid", str(note)]) == 1
        note.write_text("4710")
        assert node_state.main([str(path), "--other-pid", str(note)]) == 0


def test_a_socket_that_says_nothing_is_left_after_the_time_limit(tmp_path: Path) -> None:
    def keep_silent(_connection: socket.socket, over: threading.Event) -> None:
        over.wait(60)

    with unix_server(tmp_path / "s", keep_silent), pytest.raises(TimeoutError):
        node_state.answering_pid(str(tmp_path / "s"), 0.05)


def test_the_node_state_helper_without_haproxy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert node_state.main([str(tmp_path / "s"), "--send", "show info"]) == 2
    assert "No such file" in capsys.readouterr().err
    assert node_state.main([]) == 2
