"""`python -m proof.grafana_look GRAFANA`: pictures of every board in a real Grafana, to be looked at.

GRAFANA is the folder of an unpacked or compiled Grafana 11.6 or later: `bin/grafana`, `public`, `conf`. It is started
on loopback with what docs/dashboards.md provisions, over an InfluxDB 1.8 with kept runs; the pictures go to
build/grafana-look. Nothing is judged here: the rules in unit/dashboards hold what such pictures once showed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.browsing import chromium
from support.grafana import FOLDER, INFLUXQL_BOARDS
from support.influxdb import InfluxDB, influxdb
from support.kept_runs import kept_run
from support.many_backends import many_backends, never_recovered
from support.ports import free_port
from support.recorded import Recorded, read_run

PICTURES = FOLDER.parent / "build" / "grafana-look"
DATABASE, UNRELATED = "drills", "unrelated"
PATIENCE_S = 300.0
KEPT = ("haproxy-kill-locust", "keepalived-kill", "nginx-kill", "node-down")
DRILLS = {"finished": KEPT[0], "split-brain": KEPT[1], "nginx": KEPT[2]}
SIZES = {"drill": 1100, "balancers": 1700, "compare": 1400, "fleet": 1800}
"""Heights in pixels at which a whole board is seen, its closed rows closed."""
EARLIER_IN_THE_ALPHABET = """apiVersion: 1
datasources:
  - {name: Another, uid: another, type: influxdb, access: proxy, url: $INFLUX_URL,
     jsonData: {version: InfluxQL, dbName: unrelated}}
"""


@dataclass(frozen=True, slots=True)
class Look:
    """A board over a time range, and the name of its picture."""

    name: str
    board: str
    from_ms: int
    to_ms: int

    def address(self, grafana: str) -> str:
        return f"{grafana}/d/switchover-{self.board}?from={self.from_ms}&to={self.to_ms}&kiosk=1&refresh="


def main() -> int:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "bin" / "grafana").exists():
        print("say where Grafana is: make grafana-look GRAFANA=/usr/share/grafana (it has bin/grafana in it)")
        return 2
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="switchover-look-") as made,
        influxdb("1.8", Path(made) / "influxdb") as server,
    ):
        looks = list(_filled(server, Path(made)))
        with _grafana(Path(sys.argv[1]), server, Path(made)) as address, chromium(Path(made)) as browser:
            browser.page.set_default_timeout(1000 * PATIENCE_S)
            for look in looks:
                browser.page.set_viewport_size({"width": 1600, "height": SIZES[look.board]})
                browser.page.goto(look.address(address), wait_until="commit")
                browser.page.locator('[data-testid*="Panel header"]').first.wait_for()
                browser.page.wait_for_load_state("networkidle")
                browser.page.screenshot(path=PICTURES / f"{look.name}.png")
                print(PICTURES / f"{look.name}.png", flush=True)
    return 0


def _filled(server: InfluxDB, made: Path) -> Iterator[Look]:
    """What there is to look at, its points written."""
    for database in (DATABASE, UNRELATED):
        server.create(database)
    kept = {name: read_run(_judged(kept_run(name, made))) for name in KEPT}
    for run in kept.values():
        server.write(DATABASE, run.points)
    for name, directory in DRILLS.items():
        for board in ("drill", "balancers"):
            yield Look(f"{board}-{name}", board, *kept[directory].times_ms)
    first, last = (bound(one.times_ms[index] for one in kept.values()) for index, bound in ((0, min), (1, max)))
    for board in ("compare", "fleet"):
        yield Look(f"{board}-all", board, first, last)
    quiet = last + 86_400_000
    for name, points in (
        ("100-backends", many_backends(quiet)),
        ("never-recovered", never_recovered(quiet + 600_000)),
    ):
        server.write(DATABASE, points)
        times = Recorded(points, {}).times_ms
        for board in ("drill", "balancers"):
            yield Look(f"{board}-{name}", board, *times)
    for path in INFLUXQL_BOARDS:
        name = path.stem.removeprefix("switchover-")
        yield Look(f"{name}-nothing", name, quiet + 86_400_000, quiet + 86_700_000)


def _judged(directory: Path) -> Path:
    """With the points of its verdict, which kept runs are without."""
    subprocess.run([sys.executable, "-m", "switchover", "report", str(directory)], check=False, timeout=PATIENCE_S)
    return directory


@contextmanager
def _grafana(home: Path, server: InfluxDB, made: Path) -> Iterator[str]:
    """The address of a Grafana that serves the committed boards to anybody on this machine."""
    port = free_port()
    provisioning = made / "provisioning"
    shutil.copytree(FOLDER / "provisioning", provisioning)
    boards = provisioning / "dashboards" / "switchover.yaml"
    text = boards.read_text(encoding="utf-8").replace(
        "/var/lib/grafana/dashboards/switchover", str(FOLDER / "grafana")
    )
    boards.write_text(text, encoding="utf-8")
    (provisioning / "datasources").mkdir()
    shutil.copy(FOLDER / "datasources" / "influxdb-1.8.yaml", provisioning / "datasources")
    (provisioning / "datasources" / "another.yaml").write_text(EARLIER_IN_THE_ALPHABET, encoding="utf-8")
    with (made / "grafana.log").open("wb") as log:
        process = subprocess.Popen(
            [home / "bin" / "grafana", "server", "--homepath", home],
            env=os.environ | _settings(port, provisioning, made, server),
            stdout=log,
            stderr=log,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/api/health", process, made / "grafana.log")
        yield address
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def _settings(port: int, provisioning: Path, made: Path, server: InfluxDB) -> Mapping[str, str]:
    return {
        "GF_SERVER_HTTP_ADDR": "127.0.0.1",
        "GF_SERVER_HTTP_PORT": str(port),
        "GF_PATHS_PROVISIONING": str(provisioning),
        "GF_PATHS_DATA": str(made / "data"),
        "GF_PATHS_LOGS": str(made / "logs"),
        "GF_AUTH_ANONYMOUS_ENABLED": "true",
        "GF_AUTH_ANONYMOUS_ORG_ROLE": "Viewer",
        "GF_ANALYTICS_REPORTING_ENABLED": "false",
        "GF_ANALYTICS_CHECK_FOR_UPDATES": "false",
        "GF_PLUGINS_PREINSTALL_DISABLED": "true",
        "INFLUX_URL": server.url,
        "INFLUX_DATABASE": DATABASE,
        "INFLUX_USER": "",
        "INFLUX_PASSWORD": "",
    }


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5.0):
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"Grafana did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
