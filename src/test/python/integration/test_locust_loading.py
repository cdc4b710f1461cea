"""However the plugin gets into Locust it is there once; however its options are said they are heard, or refused."""

from pathlib import Path

import pytest

from support.locusting import Left, locust, only_run, runs_in, shop_plan
from support.misbehaving import MisbehavingServer
from support.ports import free_port
from switchover.cli.locustfile import LOCUSTFILE

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
