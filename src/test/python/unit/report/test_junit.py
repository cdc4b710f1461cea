"""junit.xml: a case for each limit, and what the common CI systems ask of it beyond that it is XML.

Jenkins' xUnit plugin checks documents against a schema of its own; its JUnit plugin reads what it knows and adds the
times of the cases up. GitLab keys a case by class and name, drops those that share both, and shows the text of what
was not a success but no `message`. The actions that GitHub users have for it read names, times, `message` and text.
The rules below are those of all of them together.

The verdict as Markdown is here, too: no name from the network is markup.
"""

import html
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.contract import named
from support.examples import examples
from support.report_runs import RUNS
from support.verdict_vectors import FILE, decode
from switchover.report.documents import judged_of
from switchover.report.junit import CASE, to_junit
from switchover.report.markdown import TEXT_LENGTH, escaped, to_markdown
from switchover.verdict.judge import judge
from switchover.verdict.limit import parse_limit
from synthetic import drill, sample


def suite_of(document: bytes) -> ElementTree.Element:
    suite = ElementTree.fromstring(document).find("testsuite")
    assert suite is not None
    return suite


def test_each_limit_is_a_case_and_an_exceeded_one_fails_with_its_figures() -> None:
    verdict = judge(drill(), [parse_limit(text) for text in ("outage=1s", "failed=99.9%")])
    suite = suite_of(to_junit(judged_of(verdict)))
    assert [case.get("name") for case in suite.findall("testcase")] == [
        CASE,
        "limit outage=1.00s",
        "limit failed=99.9%",
        "limit split-brain=0ms",
    ]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "4",
        "1",
        "0",
        "0",
    )
    (failure,) = suite.iter("failure")
    assert failure.get("message") == "outage 3.01 s (2.989–3.010), limit 1.00 s exceeded"


def test_an_invalid_run_is_an_error_and_what_it_cannot_measure_is_skipped() -> None:
    suite = suite_of(to_junit(judged_of(judge(drill(points=[]), [parse_limit("split-brain=0s")]))))
    assert suite.get("errors") == "1" and suite.get("skipped") == "1"
    (error,) = suite.iter("error")
    assert "split-brain=0s" in (error.get("message") or "")


@given(st.text(max_size=200))
@settings(max_examples=examples(50))
def test_hostile_text_never_breaks_the_document(text: str) -> None:
    data = drill(probes=[sample(0, 300)])
    assert data.run.fault is not None
    data.run.fault.error = text + "<&\"'\x00\ud800]]>"
    data.run.id = data.run.name = data.run.fault.name = text or "x"
    suite = suite_of(to_junit(judged_of(judge(data, []))))
    assert suite.get("errors") == "1"


ATTRIBUTES = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, {"timestamp"}),
    "properties": (set(), set()),
    "property": ({"name", "value"}, set()),
    "testcase": ({"classname", "name", "time"}, set()),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"message"}, set()),
}
"""By element: those that must be there, those that may."""
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "testcase": ["failure", "error", "skipped"],
}
SECONDS = re.compile(r"\d+\.\d{3}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
GITLAB_LIMIT = 30_000_000
EXCEEDED = ("outage=1s", "failback=1ms", "failed=0%", "failed-total=3", "late=0", "split-brain=0s", "unaccounted=0")


def assert_rules_are_kept(document: bytes) -> ElementTree.Element:
    assert document.startswith(b"<?xml version='1.0' encoding='utf-8'?>\n") and len(document) < GITLAB_LIMIT
    root = ElementTree.fromstring(document)
    assert root.tag == "testsuites"
    for element in root.iter():
        required, allowed = ATTRIBUTES[element.tag]
        assert required <= set(element.keys()) <= required | allowed, element.tag
        places = [CHILDREN.get(element.tag, []).index(child.tag) for child in element]
        assert places == sorted(places), "the order of the schema"
        assert SECONDS.fullmatch(element.get("time", "0.000"))
        if element.tag in ("failure", "error", "skipped"):
            assert element.text and element.get("message")
    (suite,) = root
    assert MOMENT.fullmatch(suite.get("timestamp", "1970-01-01T00:00:00"))
    cases = suite.findall("testcase")
    keys = [(case.get("classname"), case.get("name")) for case in cases]
    assert all(all(key) for key in keys) and len(set(keys)) == len(keys)
    assert all(len(case) <= 1 for case in cases)
    counted = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
    for attribute, tag in counted.items():
        assert int(suite.get(attribute) or "") == len(list(suite.iter(tag)))
    assert sum(float(case.get("time") or "") for case in cases) == float(suite.get("time") or "")
    return suite


@pytest.mark.parametrize("case", list(named(FILE, "cases"))[:20])
def test_documents_of_many_runs_keep_the_rules(case: dict[str, dict[str, str]]) -> None:
    assert_rules_are_kept(to_junit(judged_of(judge(decode(case)))))


@pytest.mark.parametrize("name", RUNS)
def test_whatever_a_run_lacks_its_document_keeps_the_rules(name: str) -> None:
    assert_rules_are_kept(to_junit(judged_of(judge(RUNS[name](), [parse_limit(text) for text in EXCEEDED]))))


def test_a_limit_that_is_given_twice_is_one_case() -> None:
    suite = assert_rules_are_kept(to_junit(judged_of(judge(drill(), [parse_limit("outage=1s")] * 2))))
    assert [case.get("name") for case in suite.iter("testcase")].count("limit outage=1.00s") == 1


def test_a_wrong_clock_keeps_the_rules() -> None:
    for start_us, end_us in ((-1, 5), (10**16 - 5, 10**16), (50, 20)):
        data = drill(probes=[])
        data.run.plan.start_us, data.run.plan.end_us = start_us, end_us
        data.run.plan.fired_from_us = data.run.plan.heal_from_us = None
        assert_rules_are_kept(to_junit(judged_of(judge(data, []))))


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
