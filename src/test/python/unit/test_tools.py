"""The programs of tools/: make-dist, and the commands of the assembled JMeter (tools/jmeter/bin)."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import CHECKOUT


def test_a_python_without_setuptools_is_one_line_and_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    without_packages = (sys.executable, "-S", str(CHECKOUT / "tools" / "make-dist"), "--python-only", str(tmp_path))
    ended = subprocess.run(without_packages, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert "pip install 'setuptools>=77'" in ended.stderr
    assert (tmp_path / "kept").exists()


def run(home: Path, name: str, version: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with a Java that prints its version, or its arguments."""
    shutil.copytree(CHECKOUT / "tools" / "jmeter" / "bin", home / "bin", dirs_exist_ok=True)
    java = home / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = -XshowSettings:properties ] && echo "    java.specification.version = {version}" >&2 && exit\n'
        'printf "%s\\n" "$@"\n'
    )
    java.chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "JAVA_HOME": str(home / "java")}
    command = [str(home / "bin" / name), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize("version", ["1.8", "11"])
def test_an_older_java_gets_one_clear_line(tmp_path: Path, version: str) -> None:
    done = run(tmp_path, "jmeter", version, "-n")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "need Java 17 or newer" in done.stderr


@pytest.mark.parametrize("version", ["17", "25"])
def test_jmeter_gets_its_arguments(tmp_path: Path, version: str) -> None:
    done = run(tmp_path, "jmeter", version, "-n", "-t", "a plan.jmx")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == ["-n", "-t", "a plan.jmx"]
    assert f"{tmp_path}/bin/ApacheJMeter.jar" in done.stdout
    assert "--add-opens=java.desktop/sun.awt=ALL-UNNAMED" in done.stdout.splitlines()


def test_a_server_is_started_as_one(tmp_path: Path) -> None:
    assert run(tmp_path, "jmeter-server", "17").stdout.splitlines()[-3:] == ["-s", "-j", "jmeter-server.log"]


@pytest.mark.parametrize(("name", "word"), [("shutdown.sh", "Shutdown"), ("stoptest.sh", "StopTestNow")])
def test_a_running_test_is_asked_to_end(tmp_path: Path, name: str, word: str) -> None:
    said = run(tmp_path, name, "17", "4446").stdout.splitlines()
    assert said[-3:] == ["org.apache.jmeter.util.ShutdownClient", word, "4446"]
