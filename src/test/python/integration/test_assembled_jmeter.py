"""What `make jmeter` assembles: its templates have what they need, and its commands start and end tests."""

import re
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

from support.jmetering import HOME, PATIENCE_S, end, only_run, output_of, shop, started, write_plan
from support.ports import free_port

pytestmark = pytest.mark.beside

TEMPLATES = HOME / "bin" / "templates"
BIN = HOME / "bin"


@pytest.fixture(scope="module")
def classes() -> set[str]:
    """All that its jars hold."""
    jars = [*HOME.glob("lib/*.jar"), *HOME.glob("lib/ext/*.jar")]
    names = (name for jar in jars for name in zipfile.ZipFile(jar).namelist())
    return {name.removesuffix(".class").replace("/", ".") for name in names if name.endswith(".class")}


@pytest.fixture(scope="module")
def aliases() -> dict[str, str]:
    """The short names of classes in test plans; a class may have several."""
    text = (BIN / "saveservice.properties").read_text(encoding="utf-8")
    return {name: of for names, of in re.findall(r"(?m)^([\w,]+)=([\w.]+)", text) for name in names.split(",")}


def test_there_are_templates() -> None:
    assert len(list(TEMPLATES.glob("**/*.jmx"))) >= 15


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("**/*.jmx")), ids=lambda path: path.name)
def test_each_template_has_its_elements(path: Path, classes: set[str], aliases: dict[str, str]) -> None:
    named = set(re.findall(r'\b(?:testclass|guiclass|elementType)="([\w.]+)"', path.read_text(encoding="utf-8")))
    assert named
    assert {name for name in named if aliases.get(name, name) not in classes} == set()


@pytest.mark.parametrize("name", ["shutdown.sh", "stoptest.sh"])
def test_a_test_is_started_and_ended_by_its_own_commands(tmp_path: Path, name: str) -> None:
    port = free_port()
    with shop() as server:
        plan = write_plan(tmp_path / "plan.jmx", server.port, threads=1, loops=-1, think_ms=20)
        statuses = [str(BIN / "jmeter"), "-n", "-t", str(plan), "-j", "jmeter.log"]
        listening = [f"-Jjmeterengine.nongui.{bound}={port}" for bound in ("port", "maxport")]
        jmeter = started([*statuses, *listening], tmp_path, {"HEAP": "-Xmx256m"})
        try:
            until = time.monotonic() + PATIENCE_S
            while not server.requests and jmeter.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
            subprocess.run([str(BIN / name), str(port)], check=True, timeout=PATIENCE_S, capture_output=True)
            output = output_of(jmeter)
            asked = server.requests
        finally:
            end(jmeter)
    assert jmeter.returncode == 0, output
    left = only_run(tmp_path / "runs")
    assert left.load["state"] == "ended"
    assert 0 < len(left.samples) <= asked
