"""Which JMeter and which Java make a load, and what is said where one of them cannot."""

from pathlib import Path

import pytest

from support.fake_java import fake_jmeter
from switchover.load import jmeter_plan as jmeter_home
from switchover.load.jmeter_plan import find_java, find_jmeter
from switchover.model.errors import UsageError


@pytest.fixture(autouse=True)
def nothing_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JMETER_HOME", raising=False)
    monkeypatch.setattr(jmeter_home, "ASSEMBLED", tmp_path / "assembled")
    java_of(tmp_path / "jdk", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2", monkeypatch)


def java_of(home: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True, exist_ok=True)
    java.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    return java


def test_the_chosen_one_comes_before_the_environments_and_that_before_the_assembled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes = [fake_jmeter(tmp_path / name).launcher.parents[1] for name in ("a", "b", "c")]
    monkeypatch.setattr(jmeter_home, "ASSEMBLED", homes[2])
    assert find_jmeter(None).launcher.parents[1] == homes[2]
    monkeypatch.setenv("JMETER_HOME", str(homes[1]))
    assert find_jmeter(None).launcher.parents[1] == homes[1]
    found = find_jmeter(homes[0])
    assert found.launcher == homes[0] / "bin" / "ApacheJMeter.jar"
    assert found.java == str(tmp_path / "jdk" / "bin" / "java")


def test_no_jmeter_is_said_with_where_it_was_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"the load needs JMeter: .*--jmeter-home DIR or in JMETER_HOME"):
        find_jmeter(None)
    with pytest.raises(UsageError, match=r"--jmeter-home no/such: .* it has no bin/ApacheJMeter\.jar"):
        find_jmeter(Path("no/such"))
    monkeypatch.setenv("JMETER_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=f"JMETER_HOME={tmp_path}: this folder is not a JMeter installation"):
        find_jmeter(None)


def test_a_jmeter_without_the_plugin_is_refused(tmp_path: Path) -> None:
    home = fake_jmeter(tmp_path).launcher.parents[1]
    for plugin in (home / "lib" / "ext").iterdir():
        plugin.unlink()
    with pytest.raises(UsageError, match=r"lacks the Switchover plugin: put .* into .*/lib/ext"):
        find_jmeter(home)


def test_no_java_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    with pytest.raises(UsageError, match=f"there is no command java in JAVA_HOME={tmp_path}/none"):
        find_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="the load needs Java 17 or newer, but there is no command java on the PATH"):
        find_java()
