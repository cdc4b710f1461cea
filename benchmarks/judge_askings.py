"""How each load generator is asked about an outage: as its first page has it, for its own log, and with care.

With care is what its documentation offers to somebody who expects an outage: a time-out of a second, going on after
an error, a threshold, a log with a time for each request.
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jmeter_plan import http, plan, users
from judge_tools import K6_SCRIPT, USERS

from switchover.load.jmeter_plan import find_jmeter

FIRST_PAGE, OWN_LOG, WITH_CARE = "first page", "its own log", "with care"
TIMEOUT_MS = 1000
FIRST_PAGE_TIMEOUTS_MS = (5000, 20000)
"""JMeter's own are none: a thread would wait in a silent node for as long as the kernel does."""
LOCUSTFILE = """
from locust import HttpUser, events, task
from locust.contrib.csv_request_logger import CsvRequestLogger


@events.init.add_listener
def on_init(environment, **_):
    CsvRequestLogger({log!r}).register(environment)


class QuickstartUser(HttpUser):
    @task
    def hello_world(self):
        self.client.get("/"{timeout})
"""
Command = Callable[[Path, str, int], Sequence[str]]
"""Of a folder, a URL and a number of seconds."""


@dataclass(frozen=True, slots=True)
class Log:
    """A file that a tool writes."""

    name: str
    file: str


@dataclass(frozen=True, slots=True)
class Asking:
    tool: str
    how: str
    """FIRST_PAGE, OWN_LOG or WITH_CARE."""
    shown: str
    """The command, for readers."""
    command: Command
    quoted: tuple[str, ...] = ()
    """Patterns of what its summary prints: the last match of each is quoted, of groups what they hold."""
    log: Log | None = None
    program: str = ""

    def quotes(self, printed: str) -> list[str]:
        """What it printed, word for word but for spaces."""
        found = [(pattern, list(re.finditer(pattern, printed, re.MULTILINE))) for pattern in self.quoted]
        return [
            " ".join(" … ".join(matches[-1].groups() or (matches[-1][0],)).split()) for _, matches in found if matches
        ]


def _jmeter(timeouts_ms: tuple[int, int]) -> Command:
    def command(folder: Path, url: str, seconds: int) -> Sequence[str]:
        home = find_jmeter(None)
        (folder / "plan.jmx").write_text(plan(users(USERS, http(url, timeouts_ms=timeouts_ms), seconds=seconds)))
        files = ["-t", str(folder / "plan.jmx"), "-l", str(folder / "results.jtl"), "-j", str(folder / "jmeter.log")]
        return [home.java, "-jar", str(home.launcher), "-n", *files]

    return command


def _locust(timeout: str) -> Command:
    def command(folder: Path, url: str, seconds: int) -> Sequence[str]:
        text = LOCUSTFILE.format(log=str(folder / "requests.csv"), timeout=timeout)
        (folder / "locustfile.py").write_text(text, encoding="utf-8")
        words = ["--headless", "--users", str(USERS), "--spawn-rate", str(USERS), "--run-time", f"{seconds}s"]
        return [sys.executable, "-m", "locust", "-f", str(folder / "locustfile.py"), "-H", url.rstrip("/"), *words]

    return command


def _words(text: str) -> Command:
    """A command line with {folder}, {url} and {seconds}."""

    def command(folder: Path, url: str, seconds: int) -> Sequence[str]:
        return ["sh", "-c", text.format(folder=folder, url=url, seconds=seconds)]

    return command


def _k6(options: dict[str, object], pause: str, params: str = "", *, exact: bool = False) -> Command:
    def command(folder: Path, url: str, seconds: int) -> Sequence[str]:
        told = json.dumps(options).replace("SECONDS", f"{seconds}s")
        script = K6_SCRIPT.format(options=told, url=url, pause=pause)
        (folder / "script.js").write_text(script.replace(f'"{url}")', f'"{url}"{params})'), encoding="utf-8")
        out = f"csv={folder / 'k6.csv'}"
        times = ["env", "K6_CSV_TIME_FORMAT=unix_milli"] if exact else []
        return [*times, "k6", "run", "--quiet", "--no-usage-report", "--out", out, str(folder / "script.js")]

    return command


_K6_USERS: dict[str, object] = {"vus": USERS, "duration": "SECONDS"}
_K6_THRESHOLD: dict[str, object] = {"thresholds": {"http_req_failed": ["rate<0.01"]}}
_K6_QUOTED = (
    r"http_req_duration\.+: .*(max=\S+)",
    r"http_req_failed\.+: .*",
    r"[✓✗] 'rate.*",
    r"dropped_iterations\.+: .*",
)


def _k6_rate(most: int) -> dict[str, object]:
    scenario = {"executor": "constant-arrival-rate", "duration": "SECONDS", "rate": 30, "timeUnit": "1s"}
    return {"scenarios": {"contacts": {**scenario, "preAllocatedVUs": 2 if most < 100 else most, "maxVUs": most}}}


_JMETER_QUOTED = (r"summary =.*",)
_LOCUST_QUOTED = (r"Aggregated +\d+ +\d+\(.*",)
_AB_QUOTED = (
    r"apr_\w+: .*",
    r"Total of \d+ requests completed",
    r"Complete requests: .*",
    r"Failed requests: .*",
    r"100% .*",
)
_WRK_QUOTED = (
    r"(Latency) +\S+ +\S+ +(\S+) +\S+$",
    r"\d+ requests in [\d.]+\w+",
    r"Socket errors: .*",
    r"Non-2xx or 3xx.*",
)
_HEY_QUOTED = (
    r"Slowest:\s.*",
    r"\[200\].*responses",
    r"\[503\].*responses",
    *(rf"(\[\d+\])\s+Get.*({reason}.*)$" for reason in ("connect: ", "read: ", "EOF", "Client.Timeout exceeded")),
)
_VEGETA_QUOTED = (r"(Latencies) .*, (\S+)$", r"Success .*", r"Status Codes .*")
_HEY_LOG = Log("hey, `-o csv`", "output.txt")
_VEGETA_LOG = Log("vegeta, CSV", "vegeta.csv")
_K6_LOG = Log("k6, CSV", "k6.csv")
_VEGETA = (
    "echo 'GET {url}' | vegeta attack -duration={seconds}s OPTIONS-output={folder}/vegeta.bin; "
    "vegeta report {folder}/vegeta.bin; vegeta encode -to csv -output {folder}/vegeta.csv {folder}/vegeta.bin"
)

ASKINGS = (
    Asking(
        "JMeter",
        FIRST_PAGE,
        "`jmeter -n -t plan.jmx -l results.jtl`: 10 threads, one HTTP Request, time-outs of 5 and 20 s",
        _jmeter(FIRST_PAGE_TIMEOUTS_MS),
        _JMETER_QUOTED,
        Log("JMeter, JTL", "results.jtl"),
    ),
    Asking(
        "JMeter",
        WITH_CARE,
        "the same; in HTTP Request, Timeouts: Connect 1000, Response 1000",
        _jmeter((TIMEOUT_MS, TIMEOUT_MS)),
        _JMETER_QUOTED,
        Log("JMeter, JTL", "results.jtl"),
    ),
    Asking(
        "Locust",
        FIRST_PAGE,
        "`locust --headless -u 10 -r 10 -t 15s`, the quickstart; its `CsvRequestLogger` keeps the log",
        _locust(""),
        _LOCUST_QUOTED,
        Log("Locust, CsvRequestLogger", "requests.csv"),
    ),
    Asking(
        "Locust",
        WITH_CARE,
        'the same with `self.client.get("/", timeout=1)`',
        _locust(", timeout=1"),
        _LOCUST_QUOTED,
        Log("Locust, CsvRequestLogger", "requests.csv"),
    ),
    Asking(
        "ab",
        FIRST_PAGE,
        "`ab -c 10 -t 15 -n 100000000 URL`",
        _words("ab -q -c 10 -t {seconds} -n 100000000 {url}"),
        _AB_QUOTED,
        program="ab",
    ),
    Asking(
        "ab",
        WITH_CARE,
        "`ab -r -s 1 -c 10 -t 15 -n 100000000 URL`: goes on after an error, waits 1 s",
        _words("ab -q -r -s 1 -c 10 -t {seconds} -n 100000000 {url}"),
        _AB_QUOTED,
        program="ab",
    ),
    Asking(
        "wrk",
        FIRST_PAGE,
        "`wrk -t2 -c10 -d15s URL`",
        _words("wrk -t2 -c10 -d{seconds}s {url}"),
        _WRK_QUOTED,
        program="wrk",
    ),
    Asking(
        "wrk",
        WITH_CARE,
        "`wrk -t2 -c10 -d15s --timeout 1s --latency URL`",
        _words("wrk -t2 -c10 -d{seconds}s --timeout 1s --latency {url}"),
        _WRK_QUOTED,
        program="wrk",
    ),
    Asking(
        "hey",
        FIRST_PAGE,
        "`hey -z 15s -c 10 URL`",
        _words("hey -z {seconds}s -c 10 {url}"),
        _HEY_QUOTED,
        program="hey",
    ),
    Asking(
        "hey",
        OWN_LOG,
        "`hey -z 15s -c 10 -o csv URL`, in place of its summary",
        _words("hey -z {seconds}s -c 10 -o csv {url}"),
        log=_HEY_LOG,
        program="hey",
    ),
    Asking(
        "hey",
        WITH_CARE,
        "`hey -z 15s -c 10 -t 1 -o csv URL`, in place of its summary",
        _words("hey -z {seconds}s -c 10 -t 1 -o csv {url}"),
        log=_HEY_LOG,
        program="hey",
    ),
    Asking(
        "vegeta",
        FIRST_PAGE,
        "`vegeta attack -duration=15s`, 50 a second; `-output` keeps the log, `vegeta encode -to csv` writes it",
        _words(_VEGETA.replace("OPTIONS", "")),
        _VEGETA_QUOTED,
        _VEGETA_LOG,
        program="vegeta",
    ),
    Asking(
        "vegeta",
        WITH_CARE,
        "the same with `-timeout=1s`",
        _words(_VEGETA.replace("OPTIONS", "-timeout=1s ")),
        _VEGETA_QUOTED,
        _VEGETA_LOG,
        program="vegeta",
    ),
    Asking(
        "k6",
        FIRST_PAGE,
        "`k6 run script.js`: 10 users who pause for 1 s; `--out csv=FILE` keeps the log",
        _k6(_K6_USERS, "\n  sleep(1);"),
        _K6_QUOTED,
        _K6_LOG,
        program="k6",
    ),
    Asking(
        "k6",
        WITH_CARE,
        '`http.get(URL, { timeout: "1s" })`, the threshold `http_req_failed: ["rate<0.01"]`; '
        "`K6_CSV_TIME_FORMAT=unix_milli`",
        _k6({**_K6_USERS, **_K6_THRESHOLD}, "\n  sleep(1);", ', { timeout: "1s" }', exact=True),
        _K6_QUOTED,
        _K6_LOG,
        program="k6",
    ),
    Asking(
        "k6 (arrival rate)",
        FIRST_PAGE,
        "the executor `constant-arrival-rate`: 30 a second, 2 to 50 users",
        _k6(_k6_rate(50), ""),
        _K6_QUOTED,
        _K6_LOG,
        program="k6",
    ),
    Asking(
        "k6 (arrival rate)",
        WITH_CARE,
        "the same time-out, threshold and time format, 100 users from the start",
        _k6({**_k6_rate(100), **_K6_THRESHOLD}, "", ', { timeout: "1s" }', exact=True),
        _K6_QUOTED,
        _K6_LOG,
        program="k6",
    ),
)
