"""Load generators and balancers of others that write logs while a drill runs: how each is started, what it writes.

Each makes some requests a second. Those that are not installed are left out, and that is said.
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.load.jmeter_home import find_java, find_jmeter

NGINX_PORT, HAPROXY_PORTS = 9110, {"httplog": 9101, "clf": 9102, "json": 9103}
"""On the client's loopback: balancers before the pair, whose logs are of what they were asked there."""


@dataclass(frozen=True, slots=True)
class Log:
    """A file that a tool writes, and what `switchover report` is told of it."""

    name: str
    file: str
    options: tuple[str, ...] = ()
    refused: bool = False
    """It has no time for each request."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a tool is told."""

    folder: Path
    url: str
    seconds: int
    gatling: Path | None
    """The folder of its jars."""


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    logs: tuple[Log, ...]
    command: Callable[[Place], Sequence[str]]
    """To be run on the client; writes the files that it needs."""
    programs: tuple[str, ...] = ()
    output: str = ""
    """The file that its standard output goes to; empty: one of no use."""
    begins: str = ""
    """The file (a pattern) that is there when it has begun, of one that takes its time to begin."""


def find_tools(gatling: Path | None) -> list[Tool]:
    """Those that are here."""
    found = []
    for tool in TOOLS:
        missing = [program for program in tool.programs if shutil.which(program) is None]
        if tool is GATLING and gatling is None:
            missing = ["--gatling FOLDER"]
        if missing:
            print(f"{tool.name} is left out: {', '.join(missing)} is missing", file=sys.stderr)
        else:
            found.append(tool)
    return found


JMETER_CSV = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success"
_SAVED = ("time", "timestamp", "success", "label", "code", "message", "threadName")
_NOT_SAVED = (
    "latency", "dataType", "encoding", "assertions", "subresults", "responseData", "samplerData", "fieldNames",
    "responseHeaders", "requestHeaders", "responseDataOnError",
)  # fmt: skip


def _listener(file: Path, *, xml: bool) -> str:
    """JMeter's Simple Data Writer: as XML, or as CSV of a few columns without a header."""
    kept = "".join(f"<{name}>true</{name}>" for name in _SAVED)
    left_out = "".join(f"<{name}>false</{name}>" for name in _NOT_SAVED)
    return (
        '<ResultCollector guiclass="SimpleDataWriter" testclass="ResultCollector" testname="writer" enabled="true">'
        '<boolProp name="ResultCollector.error_logging">false</boolProp><objProp><name>saveConfig</name>'
        f'<value class="SampleSaveConfiguration">{kept}{left_out}<xml>{str(xml).lower()}</xml></value></objProp>'
        f'<stringProp name="filename">{file}</stringProp></ResultCollector><hashTree/>'
    )


def _sampler(url: str) -> str:
    host, _, path = url.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    return (
        '<HTTPSamplerProxy guiclass="HttpTestSampleGui" testclass="HTTPSamplerProxy" testname="home" enabled="true">'
        f'<stringProp name="HTTPSampler.domain">{name}</stringProp>'
        f'<stringProp name="HTTPSampler.port">{port or 80}</stringProp>'
        f'<stringProp name="HTTPSampler.path">/{path}</stringProp>'
        '<stringProp name="HTTPSampler.method">GET</stringProp>'
        '<boolProp name="HTTPSampler.use_keepalive">false</boolProp>'
        '<stringProp name="HTTPSampler.connect_timeout">1000</stringProp>'
        '<stringProp name="HTTPSampler.response_timeout">1000</stringProp>'
        '<elementProp name="HTTPsampler.Arguments" elementType="Arguments" guiclass="HTTPArgumentsPanel" '
        'testclass="Arguments"><collectionProp name="Arguments.arguments"/></elementProp>'
        "</HTTPSamplerProxy><hashTree/>"
    )


def _jmeter_plan(place: Place, *, in_transactions: bool, listeners: str = "") -> str:
    pause = (
        '<ConstantTimer guiclass="ConstantTimerGui" testclass="ConstantTimer" testname="pause" enabled="true">'
        '<stringProp name="ConstantTimer.delay">100</stringProp></ConstantTimer><hashTree/>'
    )
    inside = _sampler(place.url)
    if in_transactions:
        inside = (
            '<TransactionController guiclass="TransactionControllerGui" testclass="TransactionController" '
            'testname="visit" enabled="true"><boolProp name="TransactionController.parent">false</boolProp>'
            f"</TransactionController><hashTree>{inside}</hashTree>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3">'
        '<hashTree><TestPlan guiclass="TestPlanGui" testclass="TestPlan" testname="plan" enabled="true"/><hashTree>'
        '<ThreadGroup guiclass="ThreadGroupGui" testclass="ThreadGroup" testname="users" enabled="true">'
        '<intProp name="ThreadGroup.num_threads">3</intProp><intProp name="ThreadGroup.ramp_time">0</intProp>'
        '<stringProp name="ThreadGroup.on_sample_error">continue</stringProp>'
        '<elementProp name="ThreadGroup.main_controller" elementType="LoopController" guiclass="LoopControlPanel" '
        'testclass="LoopController"><intProp name="LoopController.loops">-1</intProp>'
        '<boolProp name="LoopController.continue_forever">false</boolProp></elementProp>'
        '<boolProp name="ThreadGroup.scheduler">true</boolProp>'
        f'<stringProp name="ThreadGroup.duration">{place.seconds}</stringProp></ThreadGroup>'
        f"<hashTree>{inside}{pause}</hashTree>{listeners}</hashTree></hashTree></jmeterTestPlan>\n"
    )


def _run_jmeter(place: Place, name: str, plan: str, *options: str) -> Sequence[str]:
    home = find_jmeter(None)
    path = place.folder / f"{name}.jmx"
    path.write_text(plan, encoding="utf-8")
    files = ["-t", str(path), "-l", str(place.folder / f"{name}.jtl"), "-j", str(place.folder / f"{name}.log")]
    return [home.java, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-jar", str(home.launcher), "-n", *files, *options]


def _jmeter(place: Place) -> Sequence[str]:
    listeners = _listener(place.folder / "jmeter.xml", xml=True) + _listener(place.folder / "bare.csv", xml=False)
    return _run_jmeter(place, "jmeter", _jmeter_plan(place, in_transactions=False, listeners=listeners))


def _jmeter_in_dates(place: Place) -> Sequence[str]:
    settings = {"default_delimiter": ";", "timestamp_format": "yyyy/MM/dd HH:mm:ss.SSS"}
    options = [f"-Jjmeter.save.saveservice.{name}={value}" for name, value in settings.items()]
    return _run_jmeter(place, "dates", _jmeter_plan(place, in_transactions=True), *options)


LOCUSTFILE = """
import csv
import time

from locust import HttpUser, constant, events, task
from locust.contrib.csv_request_logger import CsvRequestLogger

FOLDER = {folder!r}


@events.init.add_listener
def on_init(environment, **_):
    CsvRequestLogger(FOLDER + "/locust.csv").register(environment)


own = open(FOLDER + "/own.csv", "w", newline="", encoding="utf-8")
writer = csv.writer(own)
writer.writerow(["start_time", "name", "response_time", "response_code", "success", "exception"])


@events.request.add_listener
def on_request(start_time, name, response_time, response, exception, **_):
    code = getattr(response, "status_code", "")
    writer.writerow([start_time, name, response_time, code, exception is None, exception or ""])


@events.quitting.add_listener
def on_quitting(**_):
    own.close()


class QuickstartUser(HttpUser):
    wait_time = constant(0.1)

    @task
    def home(self):
        self.client.get("/", timeout=1, headers={{"Connection": "close"}})
"""


def _locust(place: Place) -> Sequence[str]:
    file = place.folder / "locustfile.py"
    file.write_text(LOCUSTFILE.format(folder=str(place.folder)), encoding="utf-8")
    words = ["--headless", "-u", "3", "-r", "3", "-t", f"{place.seconds}s", "--csv", str(place.folder / "statistics")]
    return [sys.executable, "-m", "locust", "-f", str(file), "-H", place.url.rstrip("/"), *words]


def _in_shell(text: str) -> Sequence[str]:
    return ["bash", "-c", text]


def _vegeta(place: Place) -> Sequence[str]:
    at = place.folder
    return _in_shell(
        f"echo 'GET {place.url}' | vegeta attack -rate=25 -duration={place.seconds}s -timeout=1s -keepalive=false "
        f"> {at}/vegeta.bin; vegeta encode --to csv < {at}/vegeta.bin > {at}/vegeta.csv; "
        f"vegeta encode --to json < {at}/vegeta.bin > {at}/vegeta.json"
    )


def _h2load(place: Place) -> Sequence[str]:
    """It does not connect again to what refused it, and may never end then: so it is started for each request."""
    part = place.folder / "h2load.part"
    return _in_shell(
        f"end=$((SECONDS + {place.seconds})); while [ $SECONDS -lt $end ]; do "
        f"timeout -s INT 2 h2load --h1 -c 1 -n 1 --log-file={part} {place.url}; "
        f"cat {part} >> {place.folder}/h2load.tsv; rm {part}; sleep 0.1; done"
    )


def _hey(place: Place) -> Sequence[str]:
    return [
        "hey",
        "-z",
        f"{place.seconds}s",
        "-c",
        "2",
        "-q",
        "15",
        "-t",
        "1",
        "-disable-keepalive",
        "-o",
        "csv",
        place.url,
    ]


def _curl(place: Place) -> Sequence[str]:
    """As many have one: a loop, a stamp before and one after."""
    return _in_shell(
        "echo timeStamp,elapsed,label,responseCode,responseMessage,success; "
        f"end=$((SECONDS + {place.seconds})); while [ $SECONDS -lt $end ]; do begun=$(date +%s%3N); "
        f"said=$(curl -s -o /dev/null -m 1 -w '%{{http_code}},\"%{{errormsg}}\"' {place.url}); ended=$(date +%s%3N); "
        'good=false; [ "${said:0:3}" = 200 ] && good=true; '
        'echo "$begun,$((ended - begun)),curl,${said/#000/},$good"; sleep 0.1; done'
    )


def _ab(place: Place) -> Sequence[str]:
    return ["ab", "-q", "-r", "-n", "300", "-c", "1", "-g", str(place.folder / "ab.tsv"), place.url]


SIMULATION = """
import static io.gatling.javaapi.core.CoreDsl.*;
import static io.gatling.javaapi.http.HttpDsl.*;

import io.gatling.javaapi.core.Simulation;
import java.time.Duration;

public class Outage extends Simulation {
    {
        var home = http("home").get("/").requestTimeout(Duration.ofSeconds(1)).check(status().is(200));
        var visit = exec(home).pause(Duration.ofMillis(100));
        setUp(scenario("visits").during(Duration.ofSeconds(Long.getLong("seconds"))).on(visit)
                .injectOpen(atOnceUsers(3)))
            .protocols(http.baseUrl(System.getProperty("url")).connectionHeader("close").disableCaching());
    }
}
"""


def _gatling(place: Place) -> Sequence[str]:
    at = place.folder / "gatling"
    at.mkdir()
    (at / "Outage.java").write_text(SIMULATION, encoding="utf-8")
    (at / "logback.xml").write_text('<configuration><root level="ERROR"/></configuration>', encoding="utf-8")
    java, jars = find_java(), f"{place.gatling}/*"
    subprocess.run([f"{java}c", "-cp", jars, "-d", str(at), str(at / "Outage.java")], check=True)
    run = f"-cp '{at}:{jars}' -Xmx256m -Dseconds={place.seconds} -Durl={place.url.rstrip('/')} io.gatling.app.Gatling"
    return _in_shell(
        f"{java} {run} -s Outage -rf {at}/results -nr; cp {at}/results/*/simulation.log {place.folder}/simulation.log"
    )


NGINX_CONF = """
daemon off;
worker_processes 1;
pid {at}/nginx.pid;
error_log {at}/nginx-error.log;
events {{ worker_connections 256; }}
http {{
    log_format timed '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" '
        '"$http_user_agent" rt=$request_time $upstream_addr';
    log_format exact '$msec $remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
        '"$http_referer" "$http_user_agent" rt=$request_time $upstream_addr';
    log_format json escape=json '{{"msec":$msec,"request_time":$request_time,"status":$status,"request":"$request",'
        '"upstream_addr":"$upstream_addr","upstream_header_time":"$upstream_header_time","bytes":$body_bytes_sent}}';
    access_log {at}/nginx-timed.log timed;
    access_log {at}/nginx-exact.log exact;
    access_log {at}/nginx-json.log json;
    client_body_temp_path {at}/nginx-body;
    proxy_temp_path {at}/nginx-proxy;
    fastcgi_temp_path {at}/nginx-fastcgi;
    uwsgi_temp_path {at}/nginx-uwsgi;
    scgi_temp_path {at}/nginx-scgi;
    upstream pair {{ server {server} max_fails=0; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://pair;
            proxy_connect_timeout 1s;
            proxy_read_timeout 1s;
            proxy_next_upstream off;
        }}
    }}
}}
"""


def _server(url: str) -> str:
    host = url.removeprefix("http://").partition("/")[0]
    return host if ":" in host else f"{host}:80"


def _nginx(place: Place) -> Sequence[str]:
    conf = place.folder / "nginx.conf"
    text = NGINX_CONF.format(at=place.folder, server=_server(place.url), port=NGINX_PORT)
    conf.write_text(text, encoding="utf-8")
    return ["nginx", "-c", str(conf), "-p", str(place.folder)]


HAPROXY_FORMATS = {
    "httplog": "option httplog",
    "clf": "option httplog clf",
    "json": "log-format '"
    '{"time":"%t","Ta":%Ta,"status":%ST,"server":"%s","bytes":%B,"termination_state":"%ts","path":"%HP"}'
    "'",
}
HAPROXY_CONF = """
global
    log stdout format raw local0
    maxconn 256
defaults
    mode http
    log global
    timeout connect 1s
    timeout client 5s
    timeout server 1s
    retries 0
frontend here
    bind 127.0.0.1:{port}
    {log_format}
    default_backend pair
backend pair
    server vip {server}
"""


def _haproxy(kind: str) -> Callable[[Place], Sequence[str]]:
    def command(place: Place) -> Sequence[str]:
        conf = place.folder / f"haproxy-{kind}.cfg"
        values = {"port": HAPROXY_PORTS[kind], "log_format": HAPROXY_FORMATS[kind], "server": _server(place.url)}
        text = HAPROXY_CONF.format(**values)
        conf.write_text(text, encoding="utf-8")
        return ["haproxy", "-db", "-f", str(conf)]

    return command


VISITOR = """
import sys, threading, time, urllib.request

def visit(port, until):
    due = time.monotonic()
    while due < until:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=3).read()
        except OSError:
            pass
        due += 0.08
        time.sleep(max(0, due - time.monotonic()))

until = time.monotonic() + float(sys.argv[1])
threads = [threading.Thread(target=visit, args=(port, until)) for port in map(int, sys.argv[2:])]
for thread in threads:
    thread.start()
"""


def _visitors(place: Place) -> Sequence[str]:
    """Those whom the balancers on the client's loopback serve."""
    ports = [str(port) for port in (NGINX_PORT, *HAPROXY_PORTS.values())]
    return [sys.executable, "-c", VISITOR, str(place.seconds), *ports]


GATLING = Tool(
    "Gatling",
    (Log("Gatling 3.9, simulation.log", "simulation.log"),),
    _gatling,
    begins="gatling/results/*/simulation.log",
)
TOOLS = (
    Tool(
        "JMeter",
        (
            Log("JMeter, `-l` as it comes", "jmeter.jtl"),
            Log("JMeter, XML", "jmeter.xml"),
            Log("JMeter, 7 columns and no header", "bare.csv", ("--columns", JMETER_CSV)),
        ),
        _jmeter,
        begins="jmeter.jtl",
    ),
    Tool(
        "JMeter",
        (Log("JMeter, `;`, dates, Transaction Controllers", "dates.jtl"),),
        _jmeter_in_dates,
        begins="dates.jtl",
    ),
    Tool(
        "Locust",
        (
            Log("Locust, `CsvRequestLogger`", "locust.csv"),
            Log("Locust, a listener of one's own", "own.csv"),
            Log("Locust, `--csv`", "statistics_stats.csv", refused=True),
            Log("Locust, `--csv`, its history", "statistics_stats_history.csv", refused=True),
        ),
        _locust,
        begins="locust.csv",
    ),
    Tool(
        "vegeta",
        (
            Log("vegeta, CSV", "vegeta.csv"),
            Log("vegeta, JSON", "vegeta.json"),
            Log("vegeta, as `attack` writes it", "vegeta.bin", refused=True),
        ),
        _vegeta,
        ("vegeta",),
    ),
    Tool("h2load", (Log("h2load, `--log-file`", "h2load.tsv"),), _h2load, ("h2load",)),
    Tool("hey", (Log("hey, `-o csv`", "hey.csv"),), _hey, ("hey",), output="hey.csv"),
    Tool("curl", (Log("curl in a loop", "curl.csv"),), _curl, ("curl",), output="curl.csv"),
    Tool("ab", (Log("ab, `-g`", "ab.tsv", refused=True),), _ab, ("ab",)),
    GATLING,
    Tool(
        "Nginx",
        (
            Log("Nginx, `combined`, `$request_time`", "nginx-timed.log"),
            Log("Nginx, the same behind `$msec`", "nginx-exact.log"),
            Log("Nginx, JSON", "nginx-json.log"),
        ),
        _nginx,
        ("nginx",),
    ),
    *(
        Tool(
            "HAProxy",
            (Log(f"HAProxy, {called}", f"haproxy-{kind}.log"),),
            _haproxy(kind),
            ("haproxy",),
            output=f"haproxy-{kind}.log",
        )
        for kind, called in (("httplog", "`option httplog`"), ("clf", "`option httplog clf`"), ("json", "JSON"))
    ),
    Tool("visitors", (), _visitors),
)
