"""The verdict as Markdown: no name from the network is markup."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchover.report.documents import judged_of
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
