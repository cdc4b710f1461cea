"""The verdict as Markdown, and what GitHub Actions is told: nothing that a stranger wrote has a meaning in it."""

import html
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.report.console import final_text
from switchover.report.documents import judged_of
from switchover.report.github import annotations, tell_github
from switchover.report.markdown import TEXT_LENGTH, escaped, to_markdown
from switchover.verdict.judge import judge
from switchover.verdict.limit import parse_limit
from synthetic import drill

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "[here](https://evil.example/)",
    "![](http://evil.example/pixel)",
    "www.evil.example",
    "a@evil.example",
    "@everyone fixes #1",
    "`code` | **cell** ~~gone~~ \\",
    "one\n\n# two\r\n- three",
    "\u202egnihton\u202c \ud800 \x00",
    "&lt;b&gt; :tada: $x$",
]
LIVE = re.compile(r"[\\`*_{}\[\]<>|~!@\"^$]|#(?!\d+;)|&(?!#\d+;)|://|[\r\n]")
"""What must not be left of a text."""


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_text_has_a_meaning(text: str) -> None:
    made = escaped(text)
    assert not LIVE.search(made)
    shown = html.unescape(made).replace("\u200b", "")
    assert shown == re.sub("[\u202e\u202c\ud800\x00]", "\ufffd", " ".join(text.split()))


@given(st.text(max_size=2 * TEXT_LENGTH))
def test_any_text_is_one_line_without_markup(text: str) -> None:
    made = escaped(text)
    assert not LIVE.search(made)
    made.encode("utf-8")
    assert len(html.unescape(made).replace("\u200b", "")) <= TEXT_LENGTH


def test_nobody_is_notified_and_nothing_is_referred_to() -> None:
    shown = html.unescape(escaped("@someone #12 !3 %v1 &4 GH a@b"))
    assert not re.search(r"[@#!%&]\w", shown)


def test_the_summary_is_the_one_of_the_console_and_no_name_ends_its_block() -> None:
    data = drill()
    data.run.plan.confirmed_us = None
    data.run.id = "<b>|run|</b>"
    assert data.run.fault is not None
    data.run.fault.victim = "a```\n# b `````c\u202e"
    lines = to_markdown(judged_of(judge(data, [parse_limit("outage=1s")]))).splitlines()
    assert lines[0].startswith("### ❌ INVALID: ") and not any("<b>" in line for line in lines)
    fences = [place for place, line in enumerate(lines) if line.startswith("``````")]
    assert len(fences) == 2 and lines[fences[0] + 1].startswith("INVALID (exit 2)")
    assert "\u202e" not in "".join(lines)


def test_github_is_told_in_commands_that_a_stranger_cannot_forge(tmp_path: Path) -> None:
    data = drill()
    data.run.plan.confirmed_us = None
    data.run.fault.error = "100%\r\n::error::forged,\x00"  # type: ignore[union-attr]
    verdict = judge(data, [parse_limit("outage=1s")])
    told = list(annotations(judged_of(verdict)))
    assert all("\n" not in line and "\r" not in line for line in told)
    assert told[0].startswith("::error title=Switchover%3A INVALID::")
    assert "::error title=Switchover%3A limit on outage::outage 3.01 s (2.989–3.010), limit 1.00 s exceeded" in told
    assert not any(line.startswith("::notice") for line in told)
    out, summary = io.StringIO(), tmp_path / "summary"
    summary.write_text("before\n", encoding="utf-8")
    tell_github(verdict, {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}, out)
    assert out.getvalue().splitlines() == told
    assert summary.read_text(encoding="utf-8") == f"before\n{to_markdown(judged_of(verdict))}\n"


def test_a_summary_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    out = io.StringIO()
    tell_github(judge(drill()), {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(tmp_path)}, out)
    assert out.getvalue().splitlines()[-1].startswith("switchover: the job's summary is not written: ")


def test_what_locust_prints_at_its_end_is_told_to_github_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    verdict = judge(drill())
    assert "::" not in final_text(verdict, "streamed")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    *_, streamed, told = final_text(verdict, "streamed").splitlines()
    assert streamed == "streamed" and told.startswith("::notice title=Switchover%3A MEASURED::")
    assert (tmp_path / "summary").exists()
