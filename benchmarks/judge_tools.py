"""The load generators that are asked about an outage: how each is started, and what its own output tells of it.

Each is started as its first page of documentation shows, with ten users (vegeta: 50 requests a second, as it comes;
k6 with a constant arrival rate: 30 a second, as the page of that executor has it), for so many seconds, and nothing
else set.
An output without a time for each request has only this to tell of an outage: the share of requests that failed, of
the time that was measured.
"""

import json
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jmeter_plan import http, plan, users

from switchover.load.jmeter_plan import find_jmeter
from switchover.study.figures import read_ab

USERS = 10
BY_SHARE = "share of failed requests, of the time"
BY_LOG = "first failed request to the last"
LOCUSTFILE = """
from locust import HttpUser, task

class QuickstartUser(HttpUser):
    @task
    def hello_world(self):
        self.client.get("/")
"""
K6_SCRIPT = """
import http from "k6/http";
import {{ sleep }} from "k6";

export const options = {options};

export default function () {{
  http.get("{url}");{pause}
}}
"""


@dataclass(frozen=True, slots=True)
class Account:
    """What a tool's output says of its run."""

    requests: int
    failed: int
    told_ms: dict[str, float | None]
    """How the outage is read from it -> that outage; None where it tells nothing."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A load generator."""

    name: str
    command: Callable[[Path, str, int], Sequence[str]]
    """Of a folder, a URL and a number of seconds."""
    read: Callable[[Path, float], Account]
    """Of the folder with its output, `output.txt`, and the seconds."""


def find_tools(wanted: Sequence[str]) -> list[Tool]:
    """Those that this machine has; what is missing is said."""
    tools = []
    for tool, program, package in (
        (JMETER, None, ""),
        (LOCUST, None, ""),
        (AB, "ab", "apt-get install apache2-utils"),
        (WRK, "wrk", "apt-get install wrk"),
        (HEY, "hey", "go install github.com/rakyll/hey@latest"),
        (VEGETA, "vegeta", "go install github.com/tsenart/vegeta/v12@latest"),
        (K6, "k6", "go install go.k6.io/k6@latest"),
        (K6_OPEN, "k6", "go install go.k6.io/k6@latest"),
    ):
        if wanted and tool.name not in wanted:
            continue
        if program is not None and shutil.which(program) is None:
            print(f"{tool.name} is left out: {package}", file=sys.stderr)
            continue
        tools.append(tool)
    return tools


def by_share(requests: int, failed: int, seconds: float) -> dict[str, float | None]:
    return {BY_SHARE: 1000 * seconds * failed / requests if requests else None}


def _jmeter_command(folder: Path, url: str, seconds: int) -> Sequence[str]:
    home = find_jmeter(None)
    (folder / "plan.jmx").write_text(plan(users(USERS, http(url), seconds=seconds)), encoding="utf-8")
    files = ["-t", str(folder / "plan.jmx"), "-l", str(folder / "results.jtl"), "-j", str(folder / "jmeter.log")]
    return [home.java, "-jar", str(home.launcher), "-n", *files]


def _read_jmeter(folder: Path, seconds: float) -> Account:
    """Its summary, and its result file, which has a time for each request."""
    rows = [line.split(",") for line in (folder / "results.jtl").read_text(encoding="utf-8").splitlines()]
    at = {name: rows[0].index(name) for name in ("timeStamp", "elapsed", "success")}
    marks = [(int(row[at["timeStamp"]]), int(row[at["elapsed"]]), "true" in row[at["success"] :]) for row in rows[1:]]
    failed = [(start, start + elapsed) for start, elapsed, success in marks if not success]
    told = by_share(len(marks), len(failed), seconds)
    span = max(end for _, end in failed) - min(start for start, _ in failed) if failed else 0
    return Account(len(marks), len(failed), {**told, BY_LOG: float(span)})


def _locust_command(folder: Path, url: str, seconds: int) -> Sequence[str]:
    (folder / "locustfile.py").write_text(LOCUSTFILE, encoding="utf-8")
    words = ["--headless", "--users", str(USERS), "--spawn-rate", str(USERS), "--run-time", f"{seconds}s", "--json"]
    return [sys.executable, "-m", "locust", "-f", str(folder / "locustfile.py"), "-H", url.rstrip("/"), *words]


def _read_locust(folder: Path, seconds: float) -> Account:
    text = (folder / "output.txt").read_text(encoding="utf-8")
    printed = re.search(r"^\[\n    \{.*?^\]", text, re.MULTILINE | re.DOTALL)  # between the lines of its log
    entries = json.loads(printed[0]) if printed else []
    requests = sum(entry["num_requests"] for entry in entries)
    failed = sum(entry["num_failures"] for entry in entries)
    return Account(requests, failed, by_share(requests, failed, seconds))


def _ab_command(folder: Path, url: str, seconds: int) -> Sequence[str]:
    return ["ab", "-q", "-c", str(USERS), "-t", str(seconds), "-n", "100000000", url]


def _read_ab(folder: Path, seconds: float) -> Account:
    figures, why = read_ab(folder / "output.txt")
    requests, failed = int(figures["requests"]), int(figures.get("failed", 0))
    if figures["aborted"]:
        return Account(requests, failed, {BY_SHARE: None}, f"broke off: {why}")
    return Account(requests, failed, by_share(requests, failed, seconds))


def _wrk_command(folder: Path, url: str, seconds: int) -> Sequence[str]:
    return ["wrk", "-t2", f"-c{USERS}", f"-d{seconds}s", url]


def _read_wrk(folder: Path, seconds: float) -> Account:
    return read_wrk((folder / "output.txt").read_text(encoding="utf-8"), seconds)


def read_wrk(text: str, seconds: float) -> Account:
    """Its requests are those that were answered."""
    answered = re.search(r"(\d+) requests in ", text)
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    status = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    without = sum(map(int, errors.groups())) if errors else 0
    requests = (int(answered[1]) if answered else 0) + without
    failed = without + (int(status[1]) if status else 0)
    return Account(requests, failed, by_share(requests, failed, seconds))


def _hey_command(folder: Path, url: str, seconds: int) -> Sequence[str]:
    return ["hey", "-z", f"{seconds}s", "-c", str(USERS), url]


def _read_hey(folder: Path, seconds: float) -> Account:
    return read_hey((folder / "output.txt").read_text(encoding="utf-8"), seconds)


def read_hey(text: str, seconds: float) -> Account:
    """Answers by status, and errors by message."""
    answers = {int(code): int(count) for code, count in re.findall(r"\[(\d{3})\]\s+(\d+) responses", text)}
    _, _, errors = text.partition("Error distribution:")
    without = sum(int(count) for count in re.findall(r"^\s+\[(\d+)\]\s", errors, re.MULTILINE))
    requests = sum(answers.values()) + without
    failed = without + sum(count for code, count in answers.items() if not 200 <= code < 400)
    return Account(requests, failed, by_share(requests, failed, seconds))


def _vegeta_command(folder: Path, url: str, seconds: int) -> Sequence[str]:
    return ["sh", "-c", f"echo 'GET {url}' | vegeta attack -duration={seconds}s | vegeta report"]


def _read_vegeta(folder: Path, seconds: float) -> Account:
    return read_vegeta((folder / "output.txt").read_text(encoding="utf-8"), seconds)


def read_vegeta(text: str, seconds: float) -> Account:
    """Answers by status; 0 is a request without one."""
    line = re.search(r"Status Codes\s+\[code:count\]\s+(.*)", text)
    counts = {int(code): int(count) for code, count in re.findall(r"(\d+):(\d+)", line[1] if line else "")}
    failed = sum(count for code, count in counts.items() if not 200 <= code < 400)
    return Account(sum(counts.values()), failed, by_share(sum(counts.values()), failed, seconds))


def _k6_command(folder: Path, url: str, seconds: int) -> Sequence[str]:
    """Ten users who pause for a second after each request, as in the script of its first page."""
    options = {"vus": USERS, "duration": f"{seconds}s"}
    return _run_k6(folder, K6_SCRIPT.format(options=json.dumps(options), url=url, pause="\n  sleep(1);"))


def _k6_open_command(folder: Path, url: str, seconds: int) -> Sequence[str]:
    """So many a second, without regard to the answers."""
    scenario = {"executor": "constant-arrival-rate", "duration": f"{seconds}s", "rate": 30, "timeUnit": "1s"}
    options = {"scenarios": {"contacts": {**scenario, "preAllocatedVUs": 2, "maxVUs": 50}}}
    return _run_k6(folder, K6_SCRIPT.format(options=json.dumps(options), url=url, pause=""))


def _run_k6(folder: Path, script: str) -> Sequence[str]:
    (folder / "script.js").write_text(script, encoding="utf-8")
    return ["k6", "run", "--quiet", "--no-usage-report", str(folder / "script.js")]


def _read_k6(folder: Path, seconds: float) -> Account:
    return read_k6((folder / "output.txt").read_text(encoding="utf-8"), seconds)


def read_k6(text: str, seconds: float) -> Account:
    """Failed requests of all that ended."""
    counts = re.search(r"http_req_failed\.*: +\S+ +(\d+) out of (\d+)", text)
    failed, requests = map(int, counts.groups()) if counts else (0, 0)
    return Account(requests, failed, by_share(requests, failed, seconds))


JMETER = Tool("JMeter", _jmeter_command, _read_jmeter)
LOCUST = Tool("Locust", _locust_command, _read_locust)
AB = Tool("ab", _ab_command, _read_ab)
WRK = Tool("wrk", _wrk_command, _read_wrk)
HEY = Tool("hey", _hey_command, _read_hey)
VEGETA = Tool("vegeta", _vegeta_command, _read_vegeta)
K6 = Tool("k6", _k6_command, _read_k6)
K6_OPEN = Tool("k6 (arrival rate)", _k6_open_command, _read_k6)
