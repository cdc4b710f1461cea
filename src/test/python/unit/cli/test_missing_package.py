"""Where only what recording needs is installed, the rest says in one line which package it wants."""

import subprocess
import sys
from pathlib import Path

import pytest

from switchover.process.json_child import package_environment

WITHOUT = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Missing())
"""
RECORDING = ("switchover.locust.plugin", "switchover.prober.process", "switchover.streaming.process")


def python(code: str, *missing: str) -> subprocess.CompletedProcess[str]:
    names = f"MISSING = {missing or ('numpy', 'duckdb')!r}\n"
    return subprocess.run(
        [sys.executable, "-P", "-c", names + WITHOUT + code],
        env=dict(package_environment()),
        capture_output=True,
        text=True,
        timeout=60,
    )


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return python(f"from switchover.cli.main import main; sys.exit(main({list(arguments)!r}))")


@pytest.mark.parametrize("module", RECORDING)
def test_recording_needs_neither_numpy_nor_duckdb(module: str) -> None:
    ended = python(f"import {module}")
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("arguments", [("report", "x"), ("drill",), ("compare", "a", "b")])
def test_what_judges_names_the_package(arguments: tuple[str, ...]) -> None:
    ended = command(*arguments)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "the Python package numpy is not installed: run `pip install numpy`" in ended.stderr


def test_the_help_lists_every_command_all_the_same() -> None:
    ended = command("--help")
    assert ended.returncode == 0, ended.stderr
    assert "influx" in ended.stdout and "the Python package numpy" in ended.stdout


def test_the_controller_tells_its_parent(tmp_path: Path) -> None:
    ended = python("import runpy; runpy.run_module('switchover.drill.remote', run_name='__main__')")
    assert ended.returncode == 2
    assert "the Python package numpy is not installed" in ended.stdout
    assert "Traceback" not in ended.stderr


def test_what_looks_after_a_database_names_the_package() -> None:
    ended = python("from switchover.cli.main import main; sys.exit(main(['influx', 'check']))", "influxdb_client")
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "the Python package influxdb_client is not installed: run `pip install influxdb_client`" in ended.stderr
