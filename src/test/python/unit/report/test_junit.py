"""junit.xml: one test case per limit, and one for trust."""

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from support.examples import examples
from switchover.report.documents import judged_of
from switchover.report.junit import CASE, to_junit
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
