"""Whatever a user gets wrong is one clear line on stderr and exit code 2, and nothing is left behind."""

import errno
import json
from pathlib import Path

import pytest

from support.servers import answers_page, tcp_server
from switchover.cli.main import main

TARGET = '[target]\nurl = "http://127.0.0.1:9/"\ntimeout_connect = "50ms"\n'
EXEC_FAULT = '[fault.mine]\nkill = ["true"]\nverify_down = ["true"]\n'


def refused(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """Run the command; what it says, which must be one line."""
    try:
        code = main(arguments)
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    said = capsys.readouterr().err.strip()
    assert code == 2, said
    assert said.count("\n") == 0, said
    assert "Traceback" not in said
    return said


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "target.toml"
    path.write_text(TARGET + EXEC_FAULT)
    return path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "COMMAND"),
        (["nothing-like-it"], "invalid choice"),
        (["drill", "--nosuch"], "--nosuch"),
        (["report", "--jnuit", "x"], "unrecognized arguments: --jnuit (see 'switchover report --help')"),
        (["lab", "up", "--nonsense"], "unrecognized arguments: --nonsense (see 'switchover lab up --help')"),
        (["drill", "--probe-rate", "0"], "not above 0"),
        (["drill", "--probe-rate", "fast"], "not a rate"),
        (["drill", "--probe-rate", "nan"], "not a rate"),
        (["drill", "--probe-rate", "1e9"], "not a rate"),
        (["drill", "--timeout", "1s"], "two durations"),
        (["drill", "--timeout", "1s,soon"], "not a duration"),
        (["drill", "--late=-1s"], "'-1s' is not a duration"),
        (["drill", "--baseline", "0s"], "not above 0"),
        (["drill", "--hold", "2 days"], "not a duration"),
        (["drill", "--repeat", "0"], "not a count"),
        (["drill", "--repeat", "9999999999999999999"], "not a count"),
        (["drill", "--seed", "x"], "'x' is not a whole number"),
        (["drill", "--users", "0"], "not a count from 1 to 100000"),
        (["drill", "--spawn-rate", "0"], "not above 0"),
        (["drill", "--generator", "gatling"], "invalid choice"),
        (["drill", "--plan", "/no/such/plan.py"], "--plan /no/such/plan.py: there is no such file"),
        (["drill", "--plan", "/", "--generator", "none"], "--plan needs a load"),
        (["drill", "--limit", "speed=1s"], "known: outage"),
        (["drill", "--limit", "outage"], "has no maximum"),
        (["drill", "--limit", "outage=fast"], "not a duration"),
        (["drill", "--limit", "failed=200%"], "exceed 100%"),
        (["drill", "--fault", "nosuch"], "the lab has no fault 'nosuch'"),
        (["drill", "--fault", "haproxy-drain", "--balancer", "nginx"], "only HAProxy has a runtime socket"),
        (["drill", "--balancer", "apache"], "apache"),
        (["drill", "--backends", "0"], "backends"),
        (["drill", "--weights", "1,2"], "weights"),
        (["drill", "--keepalived", "advert=1"], "advert_int"),
        (["drill", "--keepalived", "priority=high"], "priority"),
        (["drill", "--target", "/no/such/target.toml"], "No such file"),
        (["drill", "--target", "/"], "Is a directory"),
        (["doctor", "--target", "/no/such/target.toml"], "No such file"),
        (["predict", "/no/such/keepalived.conf"], "No such file"),
        (["report", "/no/such/run"], "is not a directory"),
        (["lab", "exec", "--lab", "nosuch", "lb1", "--", "true"], "no lab"),
        (["lab", "up", "--mode", "udp"], "udp"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert expected in refused(capsys, arguments)


def test_an_unarmed_target_is_refused_before_anything_starts(
    capsys: pytest.CaptureFixture[str], target: Path, tmp_path: Path
) -> None:
    out = tmp_path / "runs"
    said = refused(capsys, ["drill", "--target", str(target), "--fault", "mine", "--out", str(out)])
    assert "not armed" in said and "--arm" in said
    assert not out.exists()


def test_an_unknown_fault_names_those_there_are(capsys: pytest.CaptureFixture[str], target: Path) -> None:
    said = refused(capsys, ["drill", "--target", str(target), "--fault", "nosuch", "--arm"])
    assert "[fault.nosuch]" in said and "mine" in said


def test_lab_options_do_not_go_with_a_target(capsys: pytest.CaptureFixture[str], target: Path) -> None:
    assert "--balancer" in refused(capsys, ["drill", "--target", str(target), "--balancer", "nginx"])


def test_a_fault_on_the_master_is_refused_where_there_is_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = tmp_path / "target.toml"
    target.write_text(TARGET + '[fault.mine]\nkill = ["ssh", "{master}", "true"]\nverify_down = ["true"]\n')
    said = refused(capsys, ["drill", "--target", str(target), "--fault", "mine", "--arm", "--allow-unidentified"])
    assert "ambiguous" in said


def test_a_run_folder_that_cannot_be_made_is_one_line(
    capsys: pytest.CaptureFixture[str], target: Path, tmp_path: Path
) -> None:
    out = tmp_path / "file"
    out.write_text("")
    said = refused(capsys, ["drill", "--target", str(target), "--fault", "none", "--out", str(out)])
    assert "cannot create run directory" in said


@pytest.mark.parametrize("content", ["", "{}", "[1, 2]", '{"plan": {"nosuch": 1}, "fault": null}', "\x00\xff"])
def test_a_garbled_run_directory_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str
) -> None:
    (tmp_path / "run.json").write_text(content)
    assert "run.json" in refused(capsys, ["report", str(tmp_path)])


def test_a_run_that_never_ended_is_said_to_be_stopped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"id": "x", "name": "x", "plan": {}, "fault": None}))
    code = main(["report", str(tmp_path)])
    assert code == 2
    assert "STOPPED" in capsys.readouterr().out


def test_a_target_that_does_not_answer_ends_before_the_fault(
    capsys: pytest.CaptureFixture[str], target: Path, tmp_path: Path
) -> None:
    out = tmp_path / "runs"
    options = ["--target", str(target), "--fault", "mine", "--arm", "--baseline", "1s", "--out", str(out)]
    options += ["--generator", "none", "--allow-unidentified"]
    assert main(["drill", *options]) == 2
    said = capsys.readouterr().err
    assert "gave no good answer in the baseline" in said
    (run,) = out.iterdir()
    assert json.loads((run / "run.json").read_text())["plan"]["fired_from_us"] is None
    assert (run / "probes.jtl").stat().st_size > 0


def test_an_interruption_at_once_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the modules of the command are still read."""

    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("switchover.cli.main.import_module", interrupted)
    assert main(["drill"]) == 130
    assert capsys.readouterr().err == "switchover: interrupted\n"


def test_doctor_holds_the_target_to_what_it_expects(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "target.toml"
    with tcp_server(answers_page(b"", "503 Service Unavailable")) as port:
        path.write_text(f'[target]\nurl = "http://127.0.0.1:{port}/"\n')
        assert main(["doctor", "--target", str(path)]) == 2
        said = " ".join(capsys.readouterr().out.split())
        assert "answers with status 503, which is not among 200-399" in said
        path.write_text(f'[target]\nurl = "http://127.0.0.1:{port}/"\nexpect = "503"\n')
        main(["doctor", "--target", str(path)])
        assert "answered by an unknown backend" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "another process"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "another process"),
        (RuntimeError("can't start new thread"), "another process or thread"),
        (OSError(errno.EMFILE, "Too many open files"), "ulimit -n"),
        (MemoryError(), "more memory"),
    ],
)
def test_what_the_machine_refuses_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    error: Exception,
    expected: str,
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("switchover.cli.verify.load", refuse)
    said = refused(capsys, ["verify", str(tmp_path)])
    assert said.startswith("switchover: this machine refuses ") and expected in said
