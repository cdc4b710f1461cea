"""`junit.xml`: one test case for the run itself and one per limit, for the machines that already read test results.

What the common ones ask for is in docs/ci.md: a name and a time for each case, a text in each that is not a success
(GitLab shows no message), and the counts and the moment in the suite's attributes (Jenkins).
"""

import re
import time
from collections.abc import Sequence
from xml.etree import ElementTree

from switchover.analysis.limit_result import LimitResult, State, figure_text, limit_text
from switchover.analysis.status import LOUDEST_FIRST
from switchover.analysis.verdict import Verdict
from switchover.verdict.reasons import word_of
from switchover.verdict.record import Reason

OF_LIMITS = frozenset({"limit_exceeded", "limit_inconclusive"})
"""These reasons have test cases of their own. An unmeasured limit is skipped there, and an error of the run."""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot carry in any form (section 2.2)."""
_YEAR_10000_US = 253_402_300_800_000_000


def to_junit(verdict: Verdict) -> bytes:
    """A document of one suite. What the run itself did not do is an error (exit code 2) or a failure (1), a broken
    limit a failure, an inconclusive one an error. A limit that was given twice is one case, for names must differ."""
    name = _text(f"switchover.{verdict.run.name}")
    limits = tuple(dict.fromkeys(verdict.limits))
    reasons = [reason for reason in verdict.reasons if reason.code not in OF_LIMITS]
    kind = "" if not reasons else "error" if any(word_of(reason).exit_code == 2 for reason in reasons) else "failure"
    seconds = f"{_seconds(verdict):.3f}"
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": name,
            "tests": str(1 + len(limits)),
            "failures": str(sum(r.state is State.EXCEEDED for r in limits) + (kind == "failure")),
            "errors": str(sum(r.state is State.INCONCLUSIVE for r in limits) + (kind == "error")),
            "skipped": str(sum(r.state is State.UNMEASURED for r in limits)),
            "time": seconds,
            **_timestamp(verdict),
        },
    )
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (("run", verdict.run.id), ("fault", verdict.run.fault.name if verdict.run.fault else "none")):
        ElementTree.SubElement(properties, "property", {"name": key, "value": _text(value)})
    _run(suite, name, seconds, kind, reasons)
    for result in limits:
        _limit(suite, name, result)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _run(suite: ElementTree.Element, name: str, seconds: str, kind: str, reasons: Sequence[Reason]) -> None:
    """The first case takes the time of the whole run, and limits take none: readers add the times up."""
    case = _case(suite, name, "the run did what was planned, and can be trusted", seconds)
    if reasons:
        texts = [reason.text for reason in reasons]
        first = min(reasons, key=lambda reason: LOUDEST_FIRST.index(word_of(reason)))
        _unsuccessful(case, kind, {"type": word_of(first).value, "message": first.text}, "\n".join(texts))


def _limit(suite: ElementTree.Element, name: str, result: LimitResult) -> None:
    case = _case(suite, name, f"limit {result.limit}", "0.000")
    match result.state:
        case State.UNMEASURED:
            why = result.note or "not measured"
            _unsuccessful(case, "skipped", {"message": why}, why)
        case State.EXCEEDED | State.INCONCLUSIVE:
            kind = "failure" if result.state is State.EXCEEDED else "error"
            attributes = {"type": result.state.name, "message": compared(result)}
            _unsuccessful(case, kind, attributes, compared(result))


def _case(suite: ElementTree.Element, name: str, title: str, seconds: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", {"classname": name, "name": _text(title), "time": seconds})


def _unsuccessful(case: ElementTree.Element, kind: str, attributes: dict[str, str], text: str) -> None:
    child = ElementTree.SubElement(case, kind, {key: _text(value) for key, value in attributes.items()})
    child.text = _text(text)


def compared(result: LimitResult) -> str:
    """What a limit that is not kept comes to, in one phrase."""
    note = f" ({result.note})" if result.note else ""
    limit = limit_text(result.limit)
    how = f"over its limit of {limit}" if result.state is State.EXCEEDED else f"limit {limit}: this run cannot tell"
    return f"{result.limit.name} was {figure_text(result)}, {how}{note}"


def _seconds(verdict: Verdict) -> float:
    plan = verdict.run.plan
    return 0.0 if plan.start_us is None or plan.end_us is None else max(0.0, (plan.end_us - plan.start_us) / 1e6)


def _timestamp(verdict: Verdict) -> dict[str, str]:
    """UTC, without a zone, as the format has it; none where the start is unknown or in no year of four digits."""
    start_us = verdict.run.plan.start_us
    if start_us is None or not 0 <= start_us < _YEAR_10000_US:
        return {}
    return {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(start_us // 1_000_000))}


def _text(text: str) -> str:
    """Names come from the network: what XML cannot carry is replaced."""
    return _NOT_XML.sub("\ufffd", text)
