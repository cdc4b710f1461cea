"""What is made of the commands' help: completion in a real bash."""

import subprocess

import pytest

from switchover.cli.main import COMMANDS, main
from switchover.rundir.former_names import FORMER_OPTIONS


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


@pytest.mark.parametrize("former", ["rehearse", "budget=outage=5s"])
def test_a_former_option_is_refused_in_a_line_with_its_present_name(
    former: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exited:
        main(["drill", f"--{former}"])
    said = capsys.readouterr().err
    assert exited.value.code == 2 and said.count("\n") == 1
    assert f"is now called --{FORMER_OPTIONS[former.partition('=')[0]]}" in said
