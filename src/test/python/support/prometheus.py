"""A real Prometheus, which scrapes every second."""

import contextlib
import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.ports import free_port
from support.waiting import wait_for

CONFIG = """
global:
  scrape_interval: 1s
  scrape_timeout: 1s
scrape_configs:
  - job_name: drill
    static_configs:
      - targets: {addresses}
"""


@dataclass(frozen=True, slots=True)
class Prometheus:
    """A server that runs; `url` is its own."""

    url: str

    def ask(self, query: str) -> dict[tuple[str, ...], float]:
        """The value of each series of an instant query, by its labels' values in order of their names."""
        found = self._get("query", query=query)
        return {_labels(one): float(one["value"][1]) for one in found}

    def ask_range(self, query: str, start_s: int, end_s: int, step_s: int) -> dict[tuple[str, ...], list[float]]:
        """The values of each series, at the times from the start to the end at which there is one."""
        found = self._get("query_range", query=query, start=start_s, end=end_s, step=step_s)
        return {_labels(one): [float(value) for _, value in one["values"]] for one in found}

    def values_of(self, label: str, metric: str) -> list[str]:
        """Of a label, among the series of a metric."""
        return [str(one) for one in self._get(f"label/{label}/values", **{"match[]": metric})]

    def _get(self, path: str, **parameters: object) -> list[Any]:
        asked = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        data = json.loads(self._answer(asked))["data"]
        found: list[Any] = data if isinstance(data, list) else data["result"]
        return found

    def is_ready(self) -> bool:
        try:
            return bool(self._answer(f"{self.url}/-/ready"))
        except urllib.error.URLError:
            return False

    def _answer(self, url: str) -> bytes:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return bytes(answer.read())


def _labels(series: dict[str, Any]) -> tuple[str, ...]:
    """Their values, in order of their names."""
    return tuple(value for _, value in sorted(series["metric"].items()))


@contextlib.contextmanager
def prometheus(addresses: Sequence[str], folder: Path) -> Iterator[Prometheus]:
    """It scrapes these. Started, ready, and ended with the block; its configuration and data are in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "prometheus.yml"
    config.write_text(CONFIG.format(addresses=json.dumps(list(addresses))))
    listen = f"127.0.0.1:{free_port()}"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            (
                "prometheus",
                f"--config.file={config}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={listen}",
            ),
            stdout=log,
            stderr=log,
        )
    try:
        server = Prometheus(f"http://{listen}")
        wait_for(server.is_ready, "Prometheus")
        yield server
    finally:
        process.terminate()
        process.wait(30)
