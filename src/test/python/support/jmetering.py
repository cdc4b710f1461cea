"""Running JMeter as a user does: processes of the assembled one, a test plan, and what it left behind."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from support.journals import read_journal
from support.ports import free_port
from support.sample_rows import read_samples
from switchover.rundir.sample_log import Sample

HOME = Path(__file__).parents[4] / "build" / "jmeter"
VERSION = "5.6.3"
"""Of the JMeter that the plugins are built with."""
OLDER_VERSIONS = ("5.4.3", "5.5")
PATIENCE_S = 120.0
"""For a run; the machine may be busy."""
PACKAGE = "io.github.switchover.jmeter.element"
PROBED = "/probed"
"""What a probe asks a shop for: always a good answer."""
LOCALLY = ("-Jserver.rmi.ssl.disable=true", "-Djava.rmi.server.hostname=127.0.0.1")


class Shop(ThreadingHTTPServer):
    """A balancer with two backends, as a client sees it; it counts what it answered."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.requests = 0
        self.loads: list[float] = []
        """When it answered what was not a probe, by the monotonic clock."""
        self.lock = threading.Lock()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def count(self, path: str) -> int:
        with self.lock:
            self.requests += 1
            if path != PROBED:
                self.loads.append(time.monotonic())
            return self.requests


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Shop

    def do_GET(self) -> None:
        number = self.server.count(self.path)
        broken = number % 10 == 0 and self.path != PROBED
        body = b"no server" if broken else b"hello"
        self.send_response(503 if broken else 200)
        if not broken:
            self.send_header("X-Backend", f"web{1 + number % 2}")
        self.send_header("X-Balancer", "lb1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Not into the test's output."""


@contextlib.contextmanager
def shop() -> Iterator[Shop]:
    with Shop() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def jar_of(version: str) -> Path:
    """What starts a JMeter of that version."""
    home = HOME if version == VERSION else HOME.with_name(f"{HOME.name}-{version}")
    jar = home / "bin" / "ApacheJMeter.jar"
    if not jar.exists():
        pytest.fail(f"there is no {jar}: run 'make jmeter jmeter-versions' first")
    return jar


def command(*arguments: str, folder: Path, version: str = VERSION, java: str = "java") -> list[str]:
    """A JMeter whose log is `jmeter.log` in the folder."""
    java_itself = [java, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-jar", str(jar_of(version))]
    return [*java_itself, "-j", str(folder / "jmeter.log"), *arguments]


def java(*arguments: str, folder: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """A JMeter, in a process group of its own."""
    return started(command(*arguments, folder=folder), folder, environment)


def started(
    statuses: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        statuses,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def run(*arguments: str, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """What it printed, once it has ended by itself."""
    return output_of(java(*arguments, folder=folder, environment=environment))


def output_of(process: subprocess.Popen[str]) -> str:
    try:
        output, _ = process.communicate(timeout=PATIENCE_S)
        return output
    finally:
        end(process)


def end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()


@contextlib.contextmanager
def remote_server(folder: Path, *arguments: str) -> Iterator[str]:
    """One of JMeter's servers, by the name that its client knows it by."""
    port = free_port()
    folder.mkdir()
    process = java(
        "-s", f"-Jserver_port={port}", f"-Jserver.rmi.localport={free_port()}", *LOCALLY, *arguments, folder=folder
    )
    try:
        _await_port(process, port)
        yield f"127.0.0.1:{port}"
    finally:
        end(process)


def _await_port(process: subprocess.Popen[str], port: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    pytest.fail("JMeter's server did not start")


def _property(kind: str, name: str, value: object) -> str:
    return f'<{kind}Prop name="{name}">{escape(str(value))}</{kind}Prop>'


def _element(kind: str, name: str, gui: str, *properties: str, test_class: str | None = None) -> str:
    attributes = f'guiclass="{gui}" testclass="{test_class or kind}" testname="{name}" enabled="true"'
    return f"<{kind} {attributes}>{''.join(properties)}</{kind}>"


def bean(kind: str, **fields: str) -> str:
    """One of our elements, for a plan."""
    properties = [_property("string", name, value) for name, value in fields.items()]
    return _element(f"{PACKAGE}.{kind}", kind, "TestBeanGUI", *properties) + "<hashTree/>"


def write_plan(
    path: Path,
    port: int,
    *,
    threads: int,
    loops: int,
    think_ms: int = 0,
    more: str = "",
    who: bool = True,
) -> Path:
    """Users of a shop, with a Switchover Listener and, if `who`, Who Answered below it; `more` stands before them."""
    loop = (
        _element(
            "LoopController",
            "loop",
            "LoopControlPanel",
            _property("bool", "LoopController.continue_forever", "false"),
            _property("int", "LoopController.loops", loops),
        )
        .replace("<LoopController ", '<elementProp name="ThreadGroup.main_controller" elementType="LoopController" ')
        .replace("</LoopController>", "</elementProp>")
    )
    group = _element(
        "ThreadGroup",
        "users",
        "ThreadGroupGui",
        loop,
        _property("int", "ThreadGroup.num_threads", threads),
        _property("int", "ThreadGroup.ramp_time", 0),
        _property("string", "ThreadGroup.on_sample_error", "continue"),
    )
    request = _element(
        "HTTPSamplerProxy",
        "home",
        "HttpTestSampleGui",
        _property("string", "HTTPSampler.domain", "127.0.0.1"),
        _property("string", "HTTPSampler.port", port),
        _property("string", "HTTPSampler.protocol", "http"),
        _property("string", "HTTPSampler.path", "/home"),
        _property("string", "HTTPSampler.method", "GET"),
        _property("bool", "HTTPSampler.use_keepalive", "true"),
        _property("string", "HTTPSampler.connect_timeout", 5000),
        _property("string", "HTTPSampler.response_timeout", 20000),
        '<elementProp name="HTTPsampler.Arguments" elementType="Arguments">'
        '<collectionProp name="Arguments.arguments"/></elementProp>',
    )
    timer = _element(
        "ConstantTimer", "think", "ConstantTimerGui", _property("string", "ConstantTimer.delay", think_ms)
    )
    answered = _element(f"{PACKAGE}.WhoAnswered", "who", "TestBeanGUI") + "<hashTree/>" if who else ""
    listener = _element(f"{PACKAGE}.SwitchoverListener", "record", "TestBeanGUI")
    nothing = "<hashTree/>"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>'
        + _element("TestPlan", "plan", "TestPlanGui")
        + f"<hashTree>{more}{listener}{nothing}{group}<hashTree>{request}"
        + f"<hashTree>{timer}{nothing}{answered}</hashTree></hashTree>"
        + "</hashTree></hashTree></jmeterTestPlan>",
        encoding="utf-8",
    )
    return path


class LoadLeft:
    """What a load left in its run directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.load: dict[str, Any] = json.loads((directory / "load.json").read_text())
        self.samples: list[Sample] = [
            sample for path in sorted(directory.glob("samples*.jtl")) for sample in read_samples(path)
        ]

    @property
    def counted(self) -> int:
        """Requests that the traffic points stand for."""
        points = read_journal([self.directory / "journal-jmeter.lp"])
        return sum(int(point.fields["count"]) for point in points if point.measurement == "switchover_requests")


def only_run(out: Path) -> LoadLeft:
    (directory,) = out.iterdir()
    return LoadLeft(directory)
