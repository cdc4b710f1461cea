"""However the plugin gets into Locust it is there once; what its user tries first, and what a defect of it costs."""

import signal
from pathlib import Path

import pytest

from support.locusting import OWN_CLIENT, Left, locust, only_run, runs_in, shop_plan
from support.misbehaving import MisbehavingServer
from support.ports import free_port
from switchover.cli.locustfile import LOCUSTFILE
from switchover.rundir.load_facts import RUNNING, read_load
from switchover.rundir.run_directory import VERDICT_FILE

pytestmark = pytest.mark.beside

BARE = shop_plan(0.01)
PLUGGED = "import switchover.locust\n" + BARE
BRIEF = ("--headless", "-u", "2", "-r", "2", "-t", "3s", "--only-summary", "--stop-timeout", "5")
TARGET = """
[target]
url = "{url}"
[fault.nothing]
kill = ["true"]
heal = ["true"]
verify_down = ["true"]
verify_healed = ["true"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bare.py").write_text(BARE, encoding="utf-8")
    (tmp_path / "plugged.py").write_text(PLUGGED, encoding="utf-8")
    (tmp_path / "other.py").write_text(BARE.replace("Shop", "Bank").replace("/home", "/bank"), encoding="utf-8")
    (tmp_path / "several").mkdir()
    return tmp_path


def brief_run(folder: Path, server: MisbehavingServer, *arguments: str, **environment: str) -> Left:
    before = server.seen("site").requests
    with locust(folder, "-H", server.url("site", ""), *BRIEF, *arguments, environment=environment) as run:
        assert run.end() == 0, run.said
        assert "Unknown message" not in run.said
    left = Left(runs_in(folder)[-1])
    assert 0 < left.answered <= server.seen("site").requests - before <= len(left.samples) == left.counted
    return left


@pytest.mark.parametrize(
    "files",
    [
        "plugged.py",
        f"{LOCUSTFILE},bare.py",
        f"bare.py,{LOCUSTFILE}",
        f"{LOCUSTFILE},plugged.py",
        f"plugged.py,other.py,{LOCUSTFILE}",
    ],
    ids=["import", "-f first", "-f last", "both", "several"],
)
def test_the_plugin_is_there_once(folder: Path, server: MisbehavingServer, files: str) -> None:
    left = brief_run(folder, server, "-f", files)
    assert {sample.label for sample in left.samples} - {"abandoned"} == (
        {"/home", "/bank"} if "other" in files else {"/home"}
    )


def test_a_folder_of_locustfiles(folder: Path, server: MisbehavingServer) -> None:
    for name in ("plugged.py", "other.py"):
        (folder / name).rename(folder / "several" / name)
    left = brief_run(folder, server, "-f", "several")
    assert sorted(left.load["settings"]["plan"]) == ["other.py", "plugged.py"]


def test_a_locustfile_without_users_is_told_as_locust_tells_it(folder: Path) -> None:
    """Locust then looks for tests, by pytest, which reads the settings of the checkout that the plugin is in."""
    (folder / "empty.py").write_text("", encoding="utf-8")
    with locust(folder, *BRIEF, "-f", f"{LOCUSTFILE},empty.py") as run:
        assert run.end() == 1
        assert "No User class found" in run.said and "Traceback" not in run.said


def test_a_module_of_the_users_own_called_locustfile_stays_theirs(folder: Path, server: MisbehavingServer) -> None:
    (folder / "locustfile.py").write_text(BARE, encoding="utf-8")
    (folder / "derived.py").write_text("from locustfile import Shop\nclass Mine(Shop): pass\n", encoding="utf-8")
    left = brief_run(folder, server, "-f", f"{LOCUSTFILE},derived.py", "Mine")
    assert left.load["settings"]["user_classes"] == ["Mine"]


def test_workers_that_are_sent_the_locustfile_are_sent_the_plugin(folder: Path, server: MisbehavingServer) -> None:
    port = str(free_port())
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    leading = ("-H", server.url("site", ""), "--master", "--master-bind-port", port)
    with (
        locust(folder, "-f", f"{LOCUSTFILE},bare.py", *BRIEF, *leading) as master,
        locust(elsewhere, "-f", "-", "--worker", "--master-port", port) as worker,
    ):
        assert master.end() == 0, master.said
        assert worker.end() == 0, worker.said
    left = only_run(folder)
    assert len(left.samples) == left.counted > 0


@pytest.mark.parametrize("where", ["command line", "environment", "locust.conf", "pyproject.toml"])
def test_options_are_heard_wherever_they_are_said(folder: Path, server: MisbehavingServer, where: str) -> None:
    """A class without time-outs of its own is given those that were said."""
    text = PLUGGED.replace("    network_timeout = connection_timeout = 20.0\n", "")
    (folder / "my.py").write_text(text, encoding="utf-8")
    said = {
        "timeout": "2s,3s",
        "late": "20ms",
        "limit": "failed-total=10%,late=90%",
        "probe-rate": "50",
    }
    arguments: list[str] = []
    environment: dict[str, str] = {}
    if where == "command line":
        arguments = [status for name, value in said.items() for status in (f"--switchover-{name}", value)]
    elif where == "environment":
        environment = {f"LOCUST_SWITCHOVER_{name.upper().replace('-', '_')}": value for name, value in said.items()}
    elif where == "locust.conf":
        lines = [f"switchover-{name} = {value}" for name, value in said.items()]
        (folder / "locust.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        lines = ["[tool.locust]", *(f'switchover-{name} = "{value}"' for name, value in said.items())]
        (folder / "pyproject.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with locust(
        folder, "-f", "my.py", "-H", server.url("site", ""), *BRIEF, *arguments, environment=environment
    ) as run:
        run.end()
    left = only_run(folder)
    client = left.load["settings"]["clients"]["Shop"]
    assert (client["timeout_connect_s"], client["timeout_read_s"]) == (2.0, 3.0)
    settings = left.run()["settings"]
    assert settings["limits"] == ["failed-total=10%", "late=90%"]
    assert (settings["late_ms"], settings["probe_rate"]) == (20.0, 50.0)
    assert left.load["warnings"] == []


def test_who_asks_for_nothing_loses_no_test_to_a_full_disk(folder: Path, server: MisbehavingServer) -> None:
    (folder / "runs").write_text("no directory", encoding="utf-8")
    before = server.seen("site").requests
    with locust(folder, "-f", "plugged.py", "-H", server.url("site", ""), *BRIEF) as run:
        assert run.end() == 0, run.said
    assert run.said.count("nothing is recorded: cannot create run directory") == 1
    assert server.seen("site").requests > before


HEADLESS = ("--headless", "-u", "2", "-r", "2", "--only-summary", "--stop-timeout", "3")
SLOW_TARGET = """
[target]
url = "http://198.18.255.1/"
[[node]]
name = "lb1"
role = "balancer"
clock = ["sleep", "600"]
"""


@pytest.mark.parametrize("host", [("-H", "localhost:50051"), ("-H", "mqtt://broker"), ("-H", "192.0.2.1"), ()])
def test_a_host_that_is_no_http_url_is_recorded_and_judged(tmp_path: Path, host: tuple[str, ...]) -> None:
    (tmp_path / "my.py").write_text(OWN_CLIENT, encoding="utf-8")
    limit = ("--switchover-limit", "failed-total=1%")
    with locust(tmp_path, "-f", "my.py", *host, *HEADLESS, "-t", "2s", *limit) as run:
        assert run.end() == 0, run.said
    left = only_run(tmp_path)
    assert left.samples
    assert left.verdict()["samples"]["total"] == len(left.samples)


def test_a_host_that_is_no_http_url_cannot_be_probed(tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text(OWN_CLIENT, encoding="utf-8")
    probed = ("--switchover-probe-rate", "10")
    with locust(tmp_path, "-f", "my.py", "-H", "localhost:50051", *HEADLESS, "-t", "2s", *probed) as run:
        assert run.end() == 2
    assert "'localhost:50051' is not a URL to probe" in run.said


def test_ctrl_c_while_the_controller_starts_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text(OWN_CLIENT, encoding="utf-8")
    (tmp_path / "site.toml").write_text(SLOW_TARGET, encoding="utf-8")
    arguments = (*HEADLESS, "-t", "2s", "--switchover-target", "site.toml")
    with locust(tmp_path, "-f", "my.py", *arguments) as run:
        run.wait_until(lambda: any((tmp_path / "runs").glob("*")), "run directory")
        run.interrupt()
        assert run.end() == 2, run.said
    assert "interrupted before the run began" in run.said
    assert "Traceback" not in run.said, run.said


@pytest.mark.parametrize("processes", [(), ("--processes", "2")], ids=["single", "processes"])
def test_relative_paths_of_a_target_file_count_from_its_folder(tmp_path: Path, processes: tuple[str, ...]) -> None:
    (tmp_path / "my.py").write_text(OWN_CLIENT, encoding="utf-8")
    folder = tmp_path / "targets"
    folder.mkdir()
    (folder / "token").write_text("hush\n", encoding="utf-8")
    text = '[target]\nurl = "http://198.18.255.1/"\nheaders = {X-Token = "file:token"}\n'
    (folder / "site.toml").write_text(text, encoding="utf-8")
    arguments = ("--switchover-target", "targets/site.toml", "--switchover-probe-rate", "0")
    with locust(tmp_path, "-f", "my.py", *HEADLESS, *arguments, *processes) as run:
        run.wait_until(lambda: has_a_sample(tmp_path), "sample")
        run.interrupt()
        run.end()
    assert "cannot" not in run.said, run.said
    assert only_run(tmp_path).verdict()["samples"]["total"] > 0


def has_a_sample(folder: Path) -> bool:
    return any(len(path.read_bytes().splitlines()) > 1 for path in folder.glob("runs/*/samples*.jtl"))


PLAN = "import switchover.locust\n" + shop_plan(
    0.01, 'def broken(self): self.client.get("/status/500", name="broken")'
)
QUIETLY = ("--headless", "-u", "2", "-r", "2", "--only-summary", "--stop-timeout", "5")


UNACCOUNTED = "the check of the recording processes"


@pytest.mark.parametrize(
    ("broken", "event"),
    [
        ("switchover.locust.leader.Leader._start_run", "test_start"),
        ("switchover.locust.run.LoadRun.spawned", "spawning_complete"),
        ("switchover.locust.run.LoadRun.stop", "test_stop"),
        ("switchover.locust.run.SingleProcess.facts", UNACCOUNTED),
    ],
)
def test_a_defect_of_ours_is_one_warning_and_the_test_goes_on(
    tmp_path: Path, server: MisbehavingServer, broken: str, event: str
) -> None:
    """`init` prepares the run of a single process; here it is left to `test_start`."""
    module, cls, method = broken.rsplit(".", 2)
    breaking = f"""
import {module}
import switchover.locust.leader
def fails(*_, **__):
    raise RuntimeError("a defect")
switchover.locust.leader.Leader._starts_at_once = False
{module}.{cls}.{method} = fails
"""
    (tmp_path / "my.py").write_text(PLAN + breaking, encoding="utf-8")
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *QUIETLY, "-t", "8s") as run:
        code = run.end()
    # Without the account of its process the load is invalid; else the code is Locust's, of the failed requests.
    assert code == (2 if event == UNACCOUNTED else 1), run.said
    assert server.seen("site").requests > 20
    assert run.said.count("a defect") == 1
    assert "Traceback" not in run.said


def test_a_drill_that_conducts_gets_rows_and_facts_and_nothing_else(
    tmp_path: Path, server: MisbehavingServer
) -> None:
    (tmp_path / "my.py").write_text(PLAN, encoding="utf-8")
    directory = tmp_path / "20260101T000000Z-drill"
    directory.mkdir()
    environment = {"SWITCHOVER_RUN_DIRECTORY": str(directory), "SWITCHOVER_CLOCK_ANCHOR": "5000000000000000000"}
    options = ("--switchover-late", "5s")
    with locust(
        tmp_path, "-f", "my.py", "-H", server.url("site", ""), *QUIETLY, *options, environment=environment
    ) as run:
        run.wait_until(lambda: (facts := read_load(directory)) is not None and facts.state == RUNNING, "users")
        server.wait("site", lambda seen: seen.requests >= 100)
        run.signal(signal.SIGTERM)
        assert run.end() == 0, run.said
    left = Left(directory)
    assert left.answered <= server.seen("site").requests <= len(left.samples) == left.counted
    assert left.load["state"] == "ended"
    assert left.load["parts"] == ["journal-locust.lp", "samples.jtl"]
    assert min(sample.start_us for sample in left.samples) > 5_000_000_000_000_000
    assert not (directory / VERDICT_FILE).exists()
    assert not (tmp_path / "runs").exists()
    assert run.printed == ""


def test_a_kill_costs_a_second_at_most_and_the_controller_ends_the_run(
    tmp_path: Path, server: MisbehavingServer
) -> None:
    (tmp_path / "my.py").write_text(PLAN, encoding="utf-8")
    with locust(tmp_path, "-f", "my.py", "-H", server.url("site", ""), *QUIETLY, "-u", "6", "-r", "6") as run:
        server.wait("site", lambda seen: seen.requests >= 300)
        run.signal(signal.SIGKILL)
        run.end()
        seen = server.seen("site").requests
        verdicts = tmp_path.glob(f"runs/*/{VERDICT_FILE}")
        for _ in range(600):
            if any(verdicts):
                break
            signal.sigtimedwait([], 0.1)
            verdicts = tmp_path.glob(f"runs/*/{VERDICT_FILE}")
    left = only_run(tmp_path)
    rows = left.samples
    rate = len(rows) / (max(row.end_us for row in rows) - min(row.start_us for row in rows)) * 1e6
    assert seen - len(rows) < rate + 6
    assert not left.verdict()["valid"]
