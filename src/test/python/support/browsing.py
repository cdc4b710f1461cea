"""Headless Chromium, and Locust's web UI over a made-up run."""

import http.client
import json
import os
import subprocess
import sys
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, ViewportSize, sync_playwright

import switchover
from support.ports import free_port
from support.waiting import wait_for

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
PATIENCE_MS = 60_000.0
"""For whatever a page is to show; the machine may be busy."""
SIZE = ViewportSize(width=1280, height=800)


@dataclass
class Browser:
    """One page, and all that it complained about on its console."""

    page: Page
    complaints: list[str] = field(default_factory=list)


@contextmanager
def chromium(folder: Path, *flags: str) -> Iterator[Browser]:
    """A browser of its own, with its profile in this folder."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            folder / "profile",
            executable_path=CHROMIUM,
            headless=True,
            args=[*FLAGS, *flags],
            viewport=SIZE,
            accept_downloads=True,
        )
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        browser = Browser(page)
        page.on(
            "console",
            lambda said: browser.complaints.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: browser.complaints.append(str(error)))
        try:
            yield browser
        finally:
            context.close()


def wait_until_told(page: Page, reached: Callable[[], bool], what: str) -> None:
    """For what the page's events tell, which they do only within a call of the browser."""

    def look() -> bool:
        page.wait_for_timeout(10)
        return reached()

    wait_for(look, what)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class StagedLocust:
    """A running `staged_page`, asked as a browser or anybody else would ask it."""

    def __init__(self, port: int, base_path: str) -> None:
        self.port = port
        self.host = f"127.0.0.1:{port}"
        self.url = f"http://{self.host}{base_path}"
        self._base_path = base_path

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_MS / 1000)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, self._base_path + path, body, named)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read().decode())
        finally:
            connection.close()

    def start(self) -> None:
        """As Locust's page does."""
        form = urllib.parse.urlencode({"user_count": 5, "spawn_rate": 5})
        answer = self.ask("POST", "/swarm", form, Content_Type="application/x-www-form-urlencoded")
        assert answer.json["success"], answer.text

    def stop(self) -> None:
        self.ask("POST", "/stop")

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", "/switchover/state").json
        return found

    def token(self) -> str:
        page = self.ask("GET", "/switchover").text
        return page.partition('name="switchover-token" content="')[2].partition('"')[0]


@contextmanager
def staged_locust(**scene: Any) -> Iterator[StagedLocust]:
    """`scene`: fields of a `staged_page.Scene`."""
    port = free_port()
    folders = [str(Path(switchover.__file__).parents[1]), str(Path(__file__).parents[1])]
    path = os.pathsep.join(filter(None, (*folders, os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "support.staged_page", str(port), json.dumps(scene)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield StagedLocust(port, str(scene.get("base_path", "")))
        finally:
            process.kill()
