"""What is made of the commands' help: completion in a real bash, and a manual page that man can show."""

import re
import shutil
import subprocess

import pytest

from switchover.cli.main import COMMANDS, main


def printed(capsys: pytest.CaptureFixture[str], command: str) -> str:
    assert main([command]) == 0
    return capsys.readouterr().out


def offered(script: str, *words: str) -> set[str]:
    """What bash offers for the last of these words."""
    typed = " ".join(f"'{word}'" for word in ("switchover", *words))
    code = (
        f"{script}\nCOMP_WORDS=({typed}); COMP_CWORD={len(words)}; _switchover; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    ended = subprocess.run(("bash", "-c", code), capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and not ended.stderr, ended.stderr
    return set(ended.stdout.split())


def test_bash_completes_commands_options_and_their_choices(capsys: pytest.CaptureFixture[str]) -> None:
    script = printed(capsys, "completion")
    assert offered(script, "") == set(COMMANDS)
    assert offered(script, "dr") == {"drill"}
    assert {"--probe-rate", "--prometheus"} <= offered(script, "drill", "--p")
    assert "--typed" not in offered(script, "drill", "--")
    assert offered(script, "drill", "--generator", "") == {"locust", "jmeter", "none"}
    assert offered(script, "report", "") == set()


def test_the_manual_page_has_every_command_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    page = printed(capsys, "man")
    for command in COMMANDS:
        assert f".SS switchover {command}" in page
    assert r".B \-\-probe\-rate R" in page
    assert "%(" not in page and "%%" not in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_man_shows_it_without_a_complaint(capsys: pytest.CaptureFixture[str]) -> None:
    page = printed(capsys, "man")
    shown = subprocess.run(
        ("groff", "-man", "-Tutf8", "-ww"), input=page, capture_output=True, text=True, timeout=60, check=True
    )
    assert not [line for line in shown.stderr.splitlines() if "adjust line" not in line and "break line" not in line]
    assert "--prometheus" in re.sub("\x1b\\[[0-9;]*m|.\b", "", shown.stdout).replace("\N{MINUS SIGN}", "-")
