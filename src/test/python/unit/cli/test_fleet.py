"""`switchover fleet`: every pair of a list is looked at and none is fired at, unless the whole list was armed."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.checkout import CHECKOUT
from support.many_runs import make_run, real_run
from support.ports import closed_port
from support.waiting import wait_for
from switchover.analysis.word import Word
from switchover.cli import fleet_drills
from switchover.cli.main import main
from switchover.rundir.skipped_drill import keep_skipped_drill


class Service(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("X-Backend", "web1")
        self.send_header("X-Balancer", "lb1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Nothing on the screen."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def describe(folder: Path, name: str, url: str, *, fault: str = "lb-kill") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(
        f"""[target]
url = "{url}"
[[node]]
name = "lb1"
role = "balancer"
[fault.{fault}]
kill = ["true"]
verify_down = ["true"]
heal = ["true"]
ready = ["true"]
predict = {{ low = 2.6, high = 3.6 }}
""",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def folder(tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two pairs that are well, eight that point to nothing, and a file that is none."""
    monkeypatch.chdir(tmp_path)
    pairs = tmp_path / "pairs"
    pairs.mkdir()
    for name in ("a-shop", "b-till"):
        describe(pairs, name, url)
    (pairs / "d-none.toml").write_text("nonsense", encoding="utf-8")
    with closed_port() as nothing:
        for number in range(8):
            describe(pairs, f"c-gone-{number}", f"http://127.0.0.1:{nothing}/")
        yield pairs


def drilled(
    folder: Path,
    url: str,
    number: int,
    *,
    low_ms: float = 2600.0,
    word: Word = Word.MEASURED,
    **facts: object,
) -> None:
    run, verdict = real_run()
    run["target"] = {"url": url, "file": str(folder / "a-shop.toml"), "nodes": [], **facts}
    verdict["prediction"] |= {"low_ms": low_ms, "high_ms": 3600.0}
    make_run(Path("runs"), number, run, verdict, fault="lb-kill", word=word)


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    code = main(["fleet", *words, "--json"])
    pairs = json.loads(capsys.readouterr().out)["pairs"]
    return code, {Path(pair["file"]).stem: pair for pair in pairs}


def test_a_table_says_of_each_pair_what_it_promises_and_what_does_not_work(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drilled(folder, url, 1)
    drilled(folder, url, 2)
    for columns in (80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main(["fleet", "pairs"]) == 2
        out = capsys.readouterr().out
        assert max(map(len, out.splitlines()[:40])) <= columns
        assert "2.60 to 3.60 s" in out and "MEASURED" in out and "never" in out
    assert out.splitlines()[-1] == "11 pairs; 9 with something that does not work, 10 never drilled"


def test_the_last_drill_is_told_with_its_checksum_and_a_promise_that_has_changed_since(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    drilled(folder, url, 1)
    drilled(folder, url, 2, low_ms=1600.0)
    _, pairs = shown(capsys, "pairs/a-shop.toml")
    (promise,) = pairs["a-shop"]["promises"]  # type: ignore[index]
    assert promise["drift"] == "was 1,600 ms to 3,600 ms at that run"
    last = promise["last"]
    assert (last["run"], last["word"], len(last["sha256"])) == ("run-000002", "MEASURED", 64)
    (path,) = Path("runs").rglob("run-000002/verdict.json")
    path.write_bytes(path.read_bytes() + b"\n")
    _, pairs = shown(capsys, "pairs/a-shop.toml")
    assert pairs["a-shop"]["promises"][0]["last"]["sha256"] != last["sha256"]  # type: ignore[index]


def test_the_checksum_is_what_a_shell_makes_of_the_run(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the command of docs/fleet.md. Names whose order a locale or a path's parts would change."""
    drilled(folder, url, 1)
    (run,) = Path("runs").rglob("run-000001")
    for name in ("a/b", "a-b", "a.b", "B", "two words"):
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_text(name, encoding="utf-8")
    (run / "link").symlink_to("/etc/passwd")
    (command,) = re.findall(r"\(cd RUN && (.*)\)", (CHECKOUT / "docs" / "fleet.md").read_text(encoding="utf-8"))
    done = subprocess.run(["sh", "-c", command], cwd=run, capture_output=True, text=True, check=True)
    _, pairs = shown(capsys, "pairs/a-shop.toml")
    last = pairs["a-shop"]["promises"][0]["last"]  # type: ignore[index]
    assert (last["sha256"], last["path"]) == (done.stdout.split()[0], "month-000/run-000001")


def test_a_run_with_a_file_that_cannot_be_read_has_no_checksum_and_says_why(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drilled(folder, url, 1)
    opened = Path.open

    def refuse(path: Path, *words: Any, **named: Any) -> Any:
        if path.name == "verdict.json" and words == ("rb",):
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *words, **named)

    monkeypatch.setattr(Path, "open", refuse)
    assert main(["fleet", "pairs/a-shop.toml"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "a-shop.toml: no checksum: cannot read " in out and "MEASURED" in out
    assert shown(capsys, "pairs/a-shop.toml")[1]["a-shop"]["promises"][0]["last"]["sha256"] is None  # type: ignore[index]


def test_a_setting_of_keepalived_that_was_another_at_the_last_drill_is_named(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "a-shop.toml"
    settings = "keepalived = { priority = 101, advert_int = 0.5, version = 3 }\n[fault."
    path.write_text(path.read_text(encoding="utf-8").replace("[fault.", settings), encoding="utf-8")
    drilled(folder, url, 1, keepalived={"lb1": {"priority": 101, "advert_int": 1.0}, "lb9": {"priority": 1}})
    drilled(folder, url, 2)
    _, pairs = shown(capsys, "pairs/a-shop.toml")
    changed = pairs["a-shop"]["changed"]  # type: ignore[index]
    assert "lb1 advert_int was 1, is 0.5 since the run of 2023-11-14 23:13" in changed
    assert not any("priority" in line or "lb9" in line for line in changed)
    assert main(["fleet", "pairs/a-shop.toml", "--html", "fleet.html"]) == 0
    assert "a-shop.toml: lb1 advert_int was 1, is 0.5 since" in " ".join(capsys.readouterr().out.split())
    assert "What has changed in Keepalived" in Path("fleet.html").read_text(encoding="utf-8")


def test_a_run_of_jmeters_own_kept_its_settings_elsewhere(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "a-shop.toml"
    settings = "keepalived = { priority = 101 }\n[fault."
    path.write_text(path.read_text(encoding="utf-8").replace("[fault.", settings), encoding="utf-8")
    run, verdict = real_run()
    run["target"] = {"url": url, "file": str(path), "nodes": []}
    run["settings"]["keepalived"] = {"lb1": {"priority": 99}}
    make_run(Path("runs"), 1, run, verdict, fault="lb-kill")
    _, pairs = shown(capsys, "pairs/a-shop.toml")
    assert pairs["a-shop"]["changed"] == [  # type: ignore[index]
        "lb1 priority was 99, is 101 since the run of 2023-11-14 23:13"
    ]


NODE = "vrrp_instance VI_1 {\n interface eth0\n virtual_router_id 51\n priority 90\n advert_int 0.5\n}\n"


def test_what_a_node_has_is_held_against_its_target_file_and_the_last_drill(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "a-shop.toml"
    settings = "keepalived = { priority = 101, version = 2 }\n[fault."
    path.write_text(path.read_text(encoding="utf-8").replace("[fault.", settings), encoding="utf-8")
    drilled(folder, url, 1, keepalived={"lb1": {"priority": 100}})
    Path("lb1.conf").write_text(NODE, encoding="utf-8")
    _, pairs = shown(capsys, "pairs/a-shop.toml", "--conf", "cat {node}.conf")
    changed = pairs["a-shop"]["changed"]  # type: ignore[index]
    assert "lb1 priority is 101 in the target file, 90 on the node" in changed
    assert "lb1 priority was 100, is 90 since the run of 2023-11-14 23:13" in changed
    assert not any("virtual_router_id" in line for line in changed)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("cat {node}.gone", "No such file"),
        ("echo nothing", "has no vrrp_instance"),
        ("no-such-program {node}", "no-such"),
    ],
)
def test_a_node_that_does_not_show_its_configuration_is_not_well(
    folder: Path, command: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, pairs = shown(capsys, "pairs/a-shop.toml", "--conf", command)
    (ill,) = pairs["a-shop"]["ill"]  # type: ignore[index]
    assert code == 2 and ill.startswith("lb1 --conf: ") and why in ill


def test_a_run_that_is_damaged_or_of_the_future_is_a_line_and_no_last_drill(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (1, 2, 1_000_000):
        drilled(folder, url, number)
    next(Path("runs").rglob("run-000002/run.json")).write_bytes(b"")
    assert main(["fleet", "pairs/a-shop.toml", "--json", "--html", "fleet.html"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pairs"][0]["promises"][0]["last"]["run"] == "run-000001"
    damaged, ahead = found["notes"]
    assert "run-000002 is damaged: run.json is no JSON" in damaged
    assert "run-1000000 begins in the future" in ahead
    assert damaged in Path("fleet.html").read_text(encoding="utf-8")


def test_a_folder_of_runs_that_is_not_there_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "pairs/a-shop.toml", "--runs", "nowhere"]) == 0
    assert "no drill is known: " in capsys.readouterr().out


def test_a_run_of_another_pair_with_a_file_of_that_name_is_not_its_last_drill(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drilled(folder, "http://elsewhere/", 1)
    _, pairs = shown(capsys, "pairs/a-shop.toml")
    assert pairs["a-shop"]["promises"][0]["last"] is None  # type: ignore[index]


def test_a_list_names_files_from_its_own_folder_each_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "list").write_text("a-shop.toml  # the shop\n\n# nothing\nb-till.toml\na-shop.toml\n", encoding="utf-8")
    code, pairs = shown(capsys, "pairs/list", "pairs/b-till.toml")
    assert (code, list(pairs)) == (0, ["a-shop", "b-till"])


@pytest.fixture
def fired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pairs that a drill was started for; the first of them ends with 1."""
    files: list[str] = []

    def command(file: str, arguments: object) -> list[str]:
        files.append(Path(file).stem)
        return [sys.executable, "-c", f"raise SystemExit({int(len(files) == 1)})"]

    monkeypatch.setattr(fleet_drills, "drill_command", command)
    return files


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["--drill", "lb-kill"],
            "--drill fires a fault at every pair of the list: --arm says that this is meant, --rehearse does "
            "everything but the kill",
        ),
        (["--arm"], "--arm is for --drill FAULT: which fault?"),
        (["--rehearse"], "--rehearse is for --drill FAULT: which fault?"),
    ],
)
def test_nothing_is_fired_unless_the_list_is_armed_and_the_fault_named(
    folder: Path, words: list[str], why: str, fired: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", "pairs", *words]) == 2
    assert (capsys.readouterr().err, fired) == (f"switchover: {why}\n", [])


def test_the_first_drill_that_is_not_well_stops_the_list_and_an_ill_pair_is_left_out(
    folder: Path, fired: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, pairs = shown(capsys, "pairs", "--drill", "lb-kill", "--arm", "--pause", "0s")
    came = {name: pair["drilled"] for name, pair in pairs.items()}  # type: ignore[index]
    assert (code, fired) == (1, ["a-shop"])
    assert came["a-shop"] == "drilled, and stops the list: exit code 1"
    assert came["b-till"] == "not drilled: a drill before it stopped the list"
    assert came["c-gone-0"].startswith("not drilled: http://127.0.0.1:")
    assert came["d-none"].startswith("not drilled: ")


def test_drills_follow_each_other_after_a_pause(
    folder: Path, fired: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []
    monkeypatch.setattr(fleet_drills.DrillRunner, "pause", lambda _, seconds: paused.append(seconds))
    fired.append("one before, so that none of these ends with 1")
    code, _ = shown(capsys, "pairs/a-shop.toml", "pairs/b-till.toml", "--drill", "lb-kill", "--arm", "--pause", "90s")
    assert (code, fired[1:], paused) == (0, ["a-shop", "b-till"], [90.0])


INTERRUPTED = "not drilled: the list was interrupted"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_passed_on_to_the_drill_which_ends_in_order_and_no_other_begins(
    number: signal.Signals, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    there = folder.parent / "there"
    drill = (
        "import pathlib, signal, sys\n"
        f"signal.pthread_sigmask(signal.SIG_BLOCK, [{int(number)}])\n"
        f"pathlib.Path({str(there)!r}).touch()\n"
        f"signal.sigwait([{int(number)}])\n"
        "sys.exit(2)\n"
    )
    monkeypatch.setattr(fleet_drills, "drill_command", lambda file, arguments: [sys.executable, "-c", drill])
    before = signal.getsignal(number)

    def interrupt() -> None:
        wait_for(there.exists, "the drill")
        os.kill(os.getpid(), number)

    sender = threading.Thread(target=interrupt)
    sender.start()
    code, pairs = shown(capsys, "pairs/a-shop.toml", "pairs/b-till.toml", "--drill", "lb-kill", "--arm")
    sender.join()
    assert (code, pairs["a-shop"]["drilled"]) == (2, "drilled, and stops the list: exit code 2")  # type: ignore[index]
    assert pairs["b-till"]["drilled"] == INTERRUPTED  # type: ignore[index]
    assert signal.getsignal(number) is before


def test_a_signal_in_a_pause_ends_the_list(
    folder: Path, fired: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pause = fleet_drills.DrillRunner.pause

    def interrupted(runner: fleet_drills.DrillRunner, seconds: float) -> None:
        signal.raise_signal(signal.SIGTERM)
        pause(runner, seconds)

    monkeypatch.setattr(fleet_drills.DrillRunner, "pause", interrupted)
    fired.append("one before, so that none of these ends with 1")
    code, pairs = shown(
        capsys, "pairs/a-shop.toml", "pairs/b-till.toml", "--drill", "lb-kill", "--arm", "--pause", "1h"
    )
    assert (code, fired[1:], pairs["b-till"]["drilled"]) == (2, ["a-shop"], INTERRUPTED)  # type: ignore[index]


def test_a_drill_that_was_killed_has_the_exit_code_of_a_shell(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_drills, "drill_command", lambda file, arguments: ["sh", "-c", "kill -9 $$"])
    code, pairs = shown(capsys, "pairs/a-shop.toml", "--drill", "lb-kill", "--arm")
    assert (code, pairs["a-shop"]["drilled"]) == (  # type: ignore[index]
        137,
        "drilled, and stops the list: exit code 137",
    )


def test_a_list_that_a_timer_began_keeps_what_was_not_drilled(
    folder: Path, url: str, fired: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    drilled(folder, url, 1)
    describe(folder, "e-other", url, fault="other")
    words = ["pairs", "--drill", "lb-kill", "--arm", "--pause", "0s"]
    assert "skipped" not in str(shown(capsys, *words)[1]["b-till"]["promises"][0]["unfired"])  # type: ignore[index]
    fired.clear()
    _, pairs = shown(capsys, *words, "--scheduled")
    (promise,) = pairs["b-till"]["promises"]  # type: ignore[index]
    assert (promise["last"], promise["unfired"]["reason"]) == (None, "a drill before it stopped the list")
    assert pairs["a-shop"]["promises"][0]["unfired"] is None  # type: ignore[index]
    assert "answer" in pairs["c-gone-0"]["promises"][0]["unfired"]["reason"]  # type: ignore[index]
    assert pairs["e-other"]["promises"][0]["unfired"] is None  # type: ignore[index]


def test_the_last_drill_stands_beside_one_that_was_skipped_since(
    folder: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    drilled(folder, url, 1)
    target = {"url": url, "file": str(folder / "a-shop.toml")}
    keep_skipped_drill(Path("runs"), "lb-kill", target, "lb1 is in use", [])
    assert main(["fleet", "pairs/a-shop.toml", "--html", "fleet.html"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "MEASURED" in out and "lb-kill of a-shop, SKIPPED: lb1 is in use" in out
    assert "lb-kill of a-shop, SKIPPED: lb1 is in use" in Path("fleet.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", [Word.REHEARSED, Word.NOT_FIRED])
def test_a_run_that_fired_nothing_hides_no_drill_before_it(
    word: Word, folder: Path, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    drilled(folder, url, 1)
    drilled(folder, url, 2, word=word)
    _, pairs = shown(capsys, "pairs/a-shop.toml")
    (promise,) = pairs["a-shop"]["promises"]  # type: ignore[index]
    assert (promise["last"]["run"], promise["unfired"]["word"]) == ("run-000001", word)
    assert main(["fleet", "pairs/a-shop.toml"]) == 0
    assert f"a-shop.toml: 2023-11-15 00:13 lb-kill of a-shop, {word}" in " ".join(capsys.readouterr().out.split())


def test_a_list_is_rehearsed_in_place_of_armed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = []

    def run(runner: fleet_drills.DrillRunner, command: list[str], out: int | None) -> int:
        commands.append(command)
        return 0

    monkeypatch.setattr(fleet_drills.DrillRunner, "run", run)
    _, pairs = shown(capsys, "pairs/a-shop.toml", "--drill", "lb-kill", "--rehearse")
    assert pairs["a-shop"]["drilled"] == "rehearsed, and all is well"  # type: ignore[index]
    ((*_, last),) = commands
    assert last == "--rehearse" and "--arm" not in commands[0]


def test_a_pair_without_the_fault_is_not_drilled(
    folder: Path, url: str, fired: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    describe(folder, "a-shop", url, fault="other")
    _, pairs = shown(capsys, "pairs/a-shop.toml", "pairs/b-till.toml", "--drill", "lb-kill", "--arm")
    assert pairs["a-shop"]["drilled"] == "not drilled: it has no fault lb-kill"  # type: ignore[index]
    assert fired == ["b-till"]


def test_a_fault_that_no_pair_has_is_one_line(
    folder: Path, fired: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fleet", "pairs/a-shop.toml", "pairs/b-till.toml", "--drill", "lb-kil", "--arm"]) == 2
    assert capsys.readouterr().err == "switchover: no pair of the list has a fault 'lb-kil'; they have lb-kill\n"
    assert fired == []


def test_a_page_that_cannot_be_written_loses_no_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "pairs/a-shop.toml", "--html", "nowhere/fleet.html"]) == 2
    told = capsys.readouterr()
    assert "1 pair; " in told.out and told.err.count("\n") == 1 and "nowhere" in told.err


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("missing", "cannot read missing: No such file or directory"),
        ("empty", "has no *.toml in it"),
        ("remarks", "remarks names no target file: a list has a path a line"),
    ],
)
def test_what_is_no_fleet_is_one_line(
    source: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "remarks").write_text("# none yet\n\n", encoding="utf-8")
    assert main(["fleet", source]) == 2
    said = capsys.readouterr().err
    assert why in said and said.count("\n") == 1


def test_the_page_has_what_an_auditor_files(folder: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    drilled(folder, url, 1)
    assert main(["fleet", "pairs", "--html", "fleet.html"]) == 2
    page = Path("fleet.html").read_text(encoding="utf-8")
    for part in ("a-shop.toml", "2.60 to 3.60 s", "MEASURED", "haproxy 2.6.12", "month-000/run-000001", "SHA-256"):
        assert part in page
