"""JMeter without a GUI: its listener records what the server was asked for, in each JMeter and each Java here."""

import re
from pathlib import Path

import pytest

from support.jmetering import (
    OLDER_VERSIONS,
    VERSION,
    LoadLeft,
    command,
    only_run,
    output_of,
    run,
    shop,
    started,
    write_plan,
)

pytestmark = pytest.mark.beside

LONG_TERM = ("17", "21", "25")
DEBIAN = Path("/usr/lib/jvm")


def javas() -> dict[str, str]:
    """The long-term Javas that are installed, by their number; where none is found, that of the search path."""
    found = {}
    for note in sorted(DEBIAN.glob("*/release")):
        number = re.search(r'JAVA_VERSION="(\d+)', note.read_text(encoding="utf-8"))
        program = note.with_name("bin") / "java"
        if number and number[1] in LONG_TERM and program.exists():
            found[number[1]] = str(program)
    return found or {"of the search path": "java"}


JAVAS = javas()


@pytest.mark.parametrize("java", JAVAS.values(), ids=[f"java {name}" for name in JAVAS])
@pytest.mark.parametrize("version", [*OLDER_VERSIONS, VERSION])
def test_every_request_is_a_row(tmp_path: Path, version: str, java: str) -> None:
    with shop() as server:
        plan = write_plan(tmp_path / "plan.jmx", server.port, threads=2, loops=20)
        columns = "-Jsample_variables=backend,balancer,answered_by"
        arguments = ("-n", "-t", str(plan), "-l", "results.csv", columns)
        output = output_of(started(command(*arguments, folder=tmp_path, version=version, java=java), tmp_path))
        asked = server.requests
    log = (tmp_path / "jmeter.log").read_text(encoding="utf-8")
    assert f"Version {version}" in log
    assert " ERROR " not in log and "at io.github.switchover" not in log, log
    left = only_run(tmp_path / "runs")
    assert asked == 40
    assert len(left.samples) == left.counted == asked
    assert sum(not sample.success for sample in left.samples) == 4
    assert {sample.identity.backend for sample in left.samples if sample.success} == {"web1", "web2"}
    assert left.load["state"] == "ended"
    header, *rows = (tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()
    assert header.endswith('"backend","balancer","answered_by"')
    assert len(rows) == asked
    assert str(left.directory) in output


def test_a_conducted_load_goes_into_the_directory_that_the_environment_names(tmp_path: Path) -> None:
    directory = tmp_path / "20260101T000000Z-drill"
    directory.mkdir()
    with shop() as server:
        plan = write_plan(tmp_path / "plan.jmx", server.port, threads=2, loops=10)
        environment = {"SWITCHOVER_RUN_DIRECTORY": str(directory)}
        run("-n", "-t", str(plan), folder=tmp_path, environment=environment)
    left = LoadLeft(directory)
    assert len(left.samples) == left.counted == 20
    assert left.load["state"] == "ended"
    assert sorted(path.name for path in directory.iterdir()) == ["journal-jmeter.lp", "load.json", "samples.jtl"]
