"""Go's client is built once, by the Go that is there; where there is none, or it fails, that is said in one line."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from switchover.drill.patient_loads import prepare_twins
from switchover.patient.go_build import build_go_client, is_go_client_to_be_built

BUILDS = """if [ $1 = version ]; then echo go1.99; exit; fi
echo building >>"$LOG"
while [ $1 != -o ]; do shift; done
>$2"""
FAILS = "if [ $1 = version ]; then echo go1.99; else echo '# a package'; echo 'main.go:1:1: no' >&2; exit 1; fi"
Go = Callable[[str], None]


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Go:
    """Puts a Go on the PATH that does what a line of shell says."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    build_go_client.cache_clear()

    def does(line: str) -> None:
        (tmp_path / "go").write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (tmp_path / "go").chmod(0o755)
        build_go_client.cache_clear()

    return does


def test_it_is_built_once_for_each_version_of_go(go: Go, tmp_path: Path) -> None:
    programs = []
    for version in ("go1.99", "go1.99", "go2.0"):
        go(BUILDS.replace("go1.99", version))
        programs.append(build_go_client().program)
    assert programs[0] == programs[1] != programs[2]
    assert all(program is not None and program.is_file() for program in programs)
    assert (tmp_path / "log").read_text(encoding="utf-8").count("building") == 2


def test_the_first_build_is_said_because_it_takes_a_while(go: Go) -> None:
    notes: list[str] = []
    go(BUILDS)
    prepare_twins(notes.append)
    prepare_twins(notes.append)
    assert notes == ["building Go's client, once for this version of Go: up to a minute"]


def test_nothing_is_to_be_built_by_a_go_that_does_not_tell_its_version(go: Go) -> None:
    go("exit 1")
    assert not is_go_client_to_be_built()
    assert build_go_client().why == "'go version' failed: code 1"


def test_a_go_that_cannot_build_it_says_why_in_one_line(go: Go) -> None:
    go(FAILS)
    found = build_go_client()
    assert found.program is None and found.why == "'go build' failed: main.go:1:1: no"


def test_without_a_go_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    build_go_client.cache_clear()
    assert build_go_client().why == "there is no go on the PATH"
