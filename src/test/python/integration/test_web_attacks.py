"""Real Chromium, real Locust and an armed fault: no other site, no turned name and no stranger fires it."""

import http.server
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.browsing import Browser, chromium, staged_locust, wait_until_told
from support.locusting import Locust
from support.waiting import wait_for
from support.web_of_locust import Web, ask, send, state

pytestmark = [pytest.mark.beside, pytest.mark.core]

SECRET = "the-page-may-not-see-this"
ATTACKS = """<!DOCTYPE html>
<title>evil</title>
<form id="swarm" method="post" action="{url}/swarm" target="swarmed">{fields}</form>
<form id="stop" method="post" action="{url}/stop" target="stopped"></form>
<form id="fire" method="post" enctype="text/plain" action="{url}/switchover/fire" target="fired">
<input name='{{"fault":"lb-kill","x":"' value='"}}'></form>
<iframe name="swarmed"></iframe><iframe name="stopped"></iframe><iframe name="fired"></iframe>
<script>
const learned = {{}};
const read = (path, options) => fetch("{url}" + path, options).then((answer) => answer.text())
  .then((text) => {{ learned[path] = text; }}, () => {{ learned[path] = null; }});
const form = new URLSearchParams({{ user_count: "1", spawn_rate: "1" }});
const json = {{ "Content-Type": "application/json", "X-Switchover-Token": "x" }};
Promise.all([
  read("/switchover"), read("/switchover/state"),
  read("/switchover/fire", {{ method: "POST", headers: json, body: '{{"fault": "lb-kill"}}' }}),
  read("/swarm", {{ method: "POST", body: form, mode: "no-cors" }}),
]).then(() => {{
  for (const one of document.forms) one.submit();
  window.learned = learned;
}});
</script>"""
FIELDS = {
    "user_count": "1",
    "spawn_rate": "1",
    "switchover_target": "/etc/passwd",
    "switchover_arm": "true",
    "switchover_fault_at": "1s",
}


@pytest.fixture
def armed(tmp_path: Path) -> Iterator[tuple[Locust, str]]:
    """A load would fire the fault after a second."""
    options = ("--switchover-target", "site.toml", "--switchover-fault", "lb-kill", "--switchover-fault-at", "1")
    statuses = ("--switchover-arm", "--switchover-allow-no-backup", "--switchover-probe-rate", "0")
    with Web(tmp_path, *options, *statuses, more=f'headers = {{ Authorization = "{SECRET}" }}') as found:
        yield found


@contextmanager
def evil_page(url: str) -> Iterator[int]:
    """A site that serves nothing but the attack; its port."""
    fields = "".join(f'<input name="{name}" value="{value}">' for name, value in FIELDS.items())
    content = ATTACKS.format(url=url, fields=fields).encode()

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


@pytest.mark.parametrize("name", ["127.0.0.1", "evil.example"], ids=["another port", "another site"])
def test_a_page_of_another_site_starts_stops_fires_and_learns_nothing(
    armed: tuple[Locust, str], tmp_path: Path, name: str
) -> None:
    running, url = armed
    with ExitStack() as stack:
        port = stack.enter_context(evil_page(url))
        browser = stack.enter_context(chromium(tmp_path, "--host-resolver-rules=MAP evil.example 127.0.0.1"))
        refused = answers_of(browser)
        browser.page.goto(f"http://{name}:{port}/")
        learned = learned_by(browser)
        assert [path for path, text in learned.items() if text] == []
        forms = {"/swarm", "/stop", "/switchover/fire"}
        wait_until_told(browser.page, lambda: forms <= set(refused), "the forms to be answered")
        assert refused["/stop"] == refused["/switchover/fire"] == 403
    assert_nothing_happened(running, url, tmp_path)


def test_a_site_that_turns_its_name_to_this_machine_starts_fires_and_learns_nothing(
    armed: tuple[Locust, str], tmp_path: Path
) -> None:
    """DNS rebinding: for the browser all of it is the site's own, so it may read every answer."""
    running, url = armed
    turned = f"http://evil.example:{urllib.parse.urlsplit(url).port}"
    with ExitStack() as stack:
        browser = stack.enter_context(chromium(tmp_path, "--host-resolver-rules=MAP evil.example 127.0.0.1"))
        answer = browser.page.goto(f"{turned}/switchover")
        assert answer is not None and answer.status == 421
        found = browser.page.evaluate(
            """async (fields) => {
              const json = { "Content-Type": "application/json", "X-Switchover-Token": "x" };
              const form = new URLSearchParams(fields);
              const asked = [
                ["/switchover", {}], ["/switchover/state", {}],
                ["/switchover/fire", { method: "POST", headers: json, body: '{"fault": "lb-kill"}' }],
                ["/swarm", { method: "POST", body: form }], ["/stop", { method: "POST" }],
              ];
              const learned = {};
              for (const [path, options] of asked) {
                const answer = await fetch(path, options);
                learned[path] = [answer.status, await answer.text()];
              }
              return learned;
            }""",
            {"user_count": "1", "spawn_rate": "1"},
        )
    assert [found[path][0] for path in ("/switchover", "/switchover/state", "/switchover/fire")] == [421, 421, 421]
    assert '"success":false' in found["/swarm"][1].replace(" ", "") and found["/stop"][0] == 403
    assert "token" not in found["/switchover"][1] and SECRET not in str(found)
    assert_nothing_happened(running, url, tmp_path)


def test_who_is_not_signed_in_sees_only_the_login(tmp_path: Path) -> None:
    """Locust's login stands before the page, its figures and its buttons."""
    with staged_locust(login=True) as locust, chromium(tmp_path) as browser:
        browser.page.goto(f"{locust.url}/switchover")
        assert urllib.parse.urlsplit(browser.page.url).path == "/login"
        assert "switchover-token" not in browser.page.content()
        fired = browser.page.evaluate(
            """() => fetch("/switchover/fire", { method: "POST", redirect: "manual",
                 headers: { "Content-Type": "application/json" }, body: '{"fault": "haproxy-kill"}' })
                 .then((answer) => answer.type)"""
        )
        assert fired == "opaqueredirect"


def answers_of(browser: Browser) -> dict[str, int]:
    """By path the status of the last answer that a form got."""
    found: dict[str, int] = {}

    def remember(answer: Any) -> None:
        if answer.request.method == "POST" and answer.request.resource_type == "document":
            found[urllib.parse.urlsplit(answer.url).path] = answer.status

    browser.page.on("response", remember)
    return found


def learned_by(browser: Browser) -> dict[str, str | None]:
    browser.page.wait_for_function("window.learned")
    learned: dict[str, str | None] = browser.page.evaluate("window.learned")
    return learned


def test_its_operator_starts_the_load_that_fires(armed: tuple[Locust, str], tmp_path: Path) -> None:
    """What the attacks are after is there to be had."""
    _, url = armed
    assert send(url, {"Origin": url})["success"]
    wait_for(lambda: (tmp_path / "fired").exists(), "the kill")


def assert_nothing_happened(running: Locust, url: str, folder: Path) -> None:
    """Locust still waits for its operator, who can start."""
    assert state(url)["state"] == "none"
    assert ask(url, "GET", "/switchover")[0] == 200
    assert "Ramping" not in running.said and SECRET not in running.said
    assert not (folder / "fired").exists()
