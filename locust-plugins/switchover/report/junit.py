"""`junit.xml`: one test case for trust and one per budget, for the machines that already read test results.

What the common ones ask for is in docs/ci.md: a name and a time for each case, a text in whatever is not a success
(GitLab shows no message), and the counts and the moment in the suite's attributes (Jenkins).
"""

import re
import time
from collections.abc import Sequence
from xml.etree import ElementTree

from switchover.analysis.budget import BudgetResult, format_value
from switchover.analysis.verdict import Verdict

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot carry in any form (section 2.2)."""
_YEAR_10000_US = 253_402_300_800_000_000


def to_junit(verdict: Verdict) -> bytes:
    """A document of one suite; an untrusted run is an error, a broken budget a failure. A budget that was given twice
    is one case, for names must differ."""
    name = _text(f"switchover.{verdict.run.name}")
    budgets = tuple(dict.fromkeys(verdict.budgets))
    seconds = f"{_seconds(verdict):.3f}"
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": name,
            "tests": str(1 + len(budgets)),
            "failures": str(sum(result.passed is False for result in budgets)),
            "errors": str(int(not verdict.trusted)),
            "skipped": str(sum(result.passed is None for result in budgets)),
            "time": seconds,
            **_timestamp(verdict),
        },
    )
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (("run", verdict.run.id), ("fault", verdict.run.fault.name if verdict.run.fault else "none")):
        ElementTree.SubElement(properties, "property", {"name": key, "value": _text(value)})
    _trust(suite, name, seconds, verdict.reasons)
    for result in budgets:
        _budget(suite, name, result)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _trust(suite: ElementTree.Element, name: str, seconds: str, reasons: Sequence[str]) -> None:
    """It took the whole run to find out; the budgets take no time of their own, for readers add the times up."""
    case = _case(suite, name, "the run can be trusted", seconds)
    if reasons:
        _unsuccessful(case, "error", {"type": "untrusted", "message": reasons[0]}, "\n".join(reasons))


def _budget(suite: ElementTree.Element, name: str, result: BudgetResult) -> None:
    case = _case(suite, name, f"budget {result.budget}", "0.000")
    if result.passed is None:
        why = result.note or "not measured"
        _unsuccessful(case, "skipped", {"message": why}, why)
    elif not result.passed:
        _unsuccessful(case, "failure", {"type": "budget", "message": broken(result)}, broken(result))


def _case(suite: ElementTree.Element, name: str, title: str, seconds: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", {"classname": name, "name": _text(title), "time": seconds})


def _unsuccessful(case: ElementTree.Element, kind: str, attributes: dict[str, str], text: str) -> None:
    child = ElementTree.SubElement(case, kind, {key: _text(value) for key, value in attributes.items()})
    child.text = _text(text)


def broken(result: BudgetResult) -> str:
    """What a broken budget comes to, in one phrase."""
    budget = result.budget
    value = "unknown" if result.value is None else format_value(result.value, budget.unit)
    note = f" ({result.note})" if result.note else ""
    return f"{budget.name} was {value}, over its limit of {format_value(budget.limit, budget.unit)}{note}"


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
