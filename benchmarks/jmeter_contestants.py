"""Who takes part: JMeter processes, each with its plan, pinned to one core."""

import http.client
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from jmeter_surroundings import Balancer
from jmeter_warmth import COMPILERS, Warmth, compilers_s, pin, ran_s, threads, warm
from players import Reading, cpu_s, until

HOME = Path(__file__).parents[1] / "build" / "jmeter"
JAR = HOME / "bin" / "ApacheJMeter.jar"
SOURCES = Path(__file__).parents[1] / "jmeter-plugins" / "src"
MEMORY = ("-Xms512m", "-Xmx512m", "-XX:MaxMetaspaceSize=256m")
COLLECTOR = ("-XX:+UseG1GC", "-XX:MaxGCPauseMillis=100", "-XX:G1ReservePercent=20")
"""As JMeter's own start script has it."""
AS_ON_ONE_CORE = ("-XX:ActiveProcessorCount=1",)
"""On which it plays; warming up it may have all."""
BY_THE_SECOND = ("prober", "telemetry")
"""Threads of the plugin whose work does not depend on the load."""
START_S = 240.0
"""What a JMeter takes on a machine that has much else to do."""
FAILED = re.compile(r"summary = .*Err:\s+(\d+)")


@dataclass(frozen=True, slots=True)
class Stage:
    """What all contestants have in common."""

    url: str
    """Of a server that no one else asks."""
    users: int
    load_core: int
    other_core: int
    balancer: Balancer
    warm_up_s: float
    """Of CPU, at most."""
    warmth: dict[str, list[Warmth]] = field(default_factory=dict)
    """What the warm-up of each contestant took, round by round."""
    compiled_s: dict[str, list[float]] = field(default_factory=dict)
    """CPU of its compilers from then on, which is not counted."""


@dataclass(frozen=True, slots=True)
class JMeterContestant:
    name: str
    base: str | None
    """The contestant without what this one has in addition."""
    plan: Callable[[Stage, Path], str]
    """Its test plan, and where it may leave something."""
    jtl: bool = True
    """Whether JMeter writes its own."""
    variables: tuple[str, ...] = ()
    """Additional columns of that."""

    def start(self, stage: Stage, directory: Path) -> "JMeterPlayer":
        options = ["-l", "result.jtl"] if self.jtl else []
        if self.variables:
            options.append(f"-Jsample_variables={','.join(self.variables)}")
        process = start_jmeter(self.plan(stage, directory), directory, options, AS_ON_ONE_CORE)
        player = JMeterPlayer(process, stage, directory, self.name)
        began = player.reading().requests
        if not until(lambda: player.reading().requests > began + stage.users, process, START_S):
            player.end()
            sys.exit(f"{self.name} sends nothing: {said(directory)}")
        return player


class JMeterPlayer:
    """Its requests are those that the server has counted, which costs it nothing: no one else asks it meanwhile."""

    reads_when_held = True

    def __init__(self, process: "subprocess.Popen[bytes]", stage: Stage, directory: Path, name: str = "") -> None:
        self.process = process
        self._name = name
        self._stage = stage
        self._server = http.client.HTTPConnection(stage.url.partition("//")[2].strip("/"), timeout=10)
        self._asked = 0
        self._directory = directory
        self._uncounted: list[Path] = []
        self._warmth: Warmth | None = None

    def reading(self) -> Reading:
        """As exact as the clock of a process that stands still."""
        self._server.request("GET", "/status")
        page = self._server.getresponse().read().split()
        self._asked += 1
        # accepts, handled and requests stand below the line that names them.
        requests = int(page[page.index(b"requests") + 3]) - self._asked
        return Reading(requests, self._failures(), cpu_s(self.process.pid) - sum(map(ran_s, self._uncounted)))

    def warmed_up(self) -> None:
        """What runs beside the load may have the other core, as it would on any machine, and is not counted.

        Nor are the compilers. What they do now is of the first minutes still, and much of it for what runs beside:
        code that is called a hundred times a second is compiled after a minute or two (by the JVM's own log of it).
        """
        self._warmth = warm(self.process, self._stage.warm_up_s)
        self._stage.warmth.setdefault(self._name, []).append(self._warmth)
        for thread in threads(self.process.pid):
            pin(thread, self._stage.load_core)
        for thread in threads(self.process.pid, BY_THE_SECOND):
            pin(thread, self._stage.other_core)
            self._uncounted.append(thread / "schedstat")
        self._uncounted += [thread / "schedstat" for thread in threads(self.process.pid, COMPILERS)]

    def end(self) -> None:
        """Without an analysis of what it has recorded."""
        if self._warmth is not None and self.process.poll() is None:
            since_s = round(compilers_s(self.process.pid) - self._warmth.compilers_s, 2)
            self._stage.compiled_s.setdefault(self._name, []).append(since_s)
        self._server.close()
        self.process.kill()
        self.process.wait()

    def _failures(self) -> int:
        """As many as its last summary tells, so up to half a minute late."""
        found = FAILED.findall((self._directory / "said").read_text(encoding="utf-8", errors="replace"))
        return int(found[-1]) if found else 0


def require_current_plugins() -> None:
    """What is measured is what the sources say."""
    ours = [path.stat().st_mtime for path in (HOME / "lib" / "ext").glob("jmeter-switchover-*.jar")]
    sources = (path.stat().st_mtime for path in SOURCES.rglob("*") if path.is_file())
    if not JAR.exists() or not ours or max(sources) > min(ours):
        sys.exit(f"{HOME} is not there, or has plugins older than their sources: run 'make jmeter' first")


def start_jmeter(
    plan: str, directory: Path, options: list[str], machine: tuple[str, ...] = ()
) -> "subprocess.Popen[bytes]":
    """On all cores; ``machine``: what Java is told of them."""
    (directory / "plan.jmx").write_text(plan, encoding="utf-8")
    cores = f"0-{(os.cpu_count() or 1) - 1}"
    command = ["taskset", "-c", cores, "java", *MEMORY, *COLLECTOR, *machine, "-jar", str(JAR)]
    command += ["-n", "-t", "plan.jmx", "-j", "jmeter.log", *options]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SWITCHOVER_")}
    with (directory / "said").open("wb") as log:
        return subprocess.Popen(
            command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )


def versions() -> dict[str, str]:
    java = subprocess.run(["java", "-version"], capture_output=True, text=True, check=True).stderr
    found = re.search(r'version "([^"]+)"', java)
    with zipfile.ZipFile(HOME / "lib" / "ext" / "ApacheJMeter_core.jar") as core:
        manifest = core.read("META-INF/MANIFEST.MF").decode()
    jmeter = re.search(r"Implementation-Version: (\S+)", manifest)
    return {"java": found[1] if found else "?", "jmeter": jmeter[1] if jmeter else "?"}


def said(directory: Path) -> str:
    files = [directory / name for name in ("said", "jmeter.log")]
    return "\n".join(file.read_text(errors="replace")[-2000:] for file in files if file.exists())
