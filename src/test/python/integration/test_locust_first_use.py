"""What a Locust user tries first: any host, Ctrl-C at any time, a line now and then."""

from pathlib import Path

import pytest

from support.locusting import OWN_CLIENT, locust, only_run

pytestmark = pytest.mark.beside

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
