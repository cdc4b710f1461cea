"""A real Grafana on loopback with what docs/metrics.md provisions, beside an unrelated InfluxDB source."""

import json
import os
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from support.grafana import FOLDER
from support.influxdb import InfluxDB
from support.ports import free_port
from support.prometheus import Prometheus

PATIENCE_S = 300.0
UNRELATED = "unrelated"
CREDENTIALS = ("USER", "PASSWORD", "TOKEN")
ANOTHER = {
    "name: Switchover": "name: Another",
    "uid: switchover": "uid: another",
    "isDefault: true": "isDefault: false",
    "$INFLUX_DATABASE": UNRELATED,
}
"""What makes of the provisioned source the unrelated one, which is earlier in the alphabet and is not the default."""


@contextmanager
def grafana(home: Path, runs: InfluxDB, database: str, scraper: Prometheus, made: Path) -> Iterator[str]:
    """The address of a Grafana that serves the committed boards to anybody on this machine; its files in `made`."""
    runs.create(UNRELATED)
    port = free_port()
    provisioning = _provisioned(made / "provisioning", runs.kind)
    log = made / "grafana.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            [home / "bin" / "grafana", "server", "--homepath", home],
            env=os.environ
            | _settings(port, provisioning, made)
            | {"INFLUX_URL": runs.url, "INFLUX_DATABASE": database, "PROMETHEUS_URL": scraper.url}
            | {f"INFLUX_{name}": runs.environment.get(f"SWITCHOVER_INFLUX_{name}", "") for name in CREDENTIALS},
            stdout=written,
            stderr=written,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/api/health", process, log)
        yield address
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def alerts_said(address: str) -> Iterator[str]:
    """What each provisioned alert rule came to: its name, its state, whether its query works, whom it accuses."""
    with urllib.request.urlopen(f"{address}/api/prometheus/grafana/api/v1/rules", timeout=PATIENCE_S) as answer:
        groups = json.load(answer)["data"]["groups"]
    for rule in (rule for group in groups for rule in group["rules"]):
        accused = (one for one in rule.get("alerts") or () if one["state"] == "Alerting")
        runs = sorted(one["labels"].get("run", "") for one in accused)
        yield " ".join((f"{rule['name']}: {rule['state']}, {rule['health']}", *filter(None, runs)))


def _provisioned(provisioning: Path, kind: str) -> Path:
    shutil.copytree(FOLDER / "provisioning", provisioning)
    boards = provisioning / "dashboards" / "switchover.yaml"
    text = boards.read_text(encoding="utf-8").replace(
        "/var/lib/grafana/dashboards/switchover", str(FOLDER / "grafana")
    )
    boards.write_text(text, encoding="utf-8")
    sources = provisioning / "datasources"
    sources.mkdir()
    for name in (f"influxdb-{kind}", "prometheus"):
        shutil.copy(FOLDER / "datasources" / f"{name}.yaml", sources)
    another = (sources / f"influxdb-{kind}.yaml").read_text(encoding="utf-8")
    for ours, its in ANOTHER.items():
        another = another.replace(ours, its)
    (sources / "another.yaml").write_text(another, encoding="utf-8")
    return provisioning


def _settings(port: int, provisioning: Path, made: Path) -> Mapping[str, str]:
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
        "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES": "false",
        "GF_NEWS_NEWS_FEED_ENABLED": "false",
        "GF_PLUGINS_PREINSTALL_DISABLED": "true",
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
