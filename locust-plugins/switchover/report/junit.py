"""`junit.xml`: one test case for trust and one per budget, for the machines that already read test results."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from switchover.analysis.budget import BudgetResult, format_value
from switchover.analysis.verdict import Verdict

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot carry in any form (section 2.2)."""


def to_junit(verdict: Verdict) -> bytes:
    """A document of one suite; an untrusted run is an error, a broken budget a failure."""
    name = _text(f"switchover.{verdict.run.name}")
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": name,
            "tests": str(1 + len(verdict.budgets)),
            "failures": str(sum(result.passed is False for result in verdict.budgets)),
            "errors": str(int(not verdict.trusted)),
            "skipped": str(sum(result.passed is None for result in verdict.budgets)),
            "time": f"{_seconds(verdict):.3f}",
        },
    )
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (("run", verdict.run.id), ("fault", verdict.run.fault.name if verdict.run.fault else "none")):
        ElementTree.SubElement(properties, "property", {"name": key, "value": _text(value)})
    _trust(suite, name, verdict.reasons)
    for result in verdict.budgets:
        _budget(suite, name, result)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _trust(suite: ElementTree.Element, name: str, reasons: Sequence[str]) -> None:
    case = ElementTree.SubElement(suite, "testcase", {"classname": name, "name": "the run can be trusted"})
    if reasons:
        error = ElementTree.SubElement(case, "error", {"type": "untrusted", "message": _text(reasons[0])})
        error.text = _text("\n".join(reasons))


def _budget(suite: ElementTree.Element, name: str, result: BudgetResult) -> None:
    case = ElementTree.SubElement(suite, "testcase", {"classname": name, "name": _text(f"budget {result.budget}")})
    if result.passed is None:
        ElementTree.SubElement(case, "skipped", {"message": _text(result.note or "not measured")})
    elif not result.passed:
        ElementTree.SubElement(case, "failure", {"type": "budget", "message": _text(_figures(result))})


def _figures(result: BudgetResult) -> str:
    budget = result.budget
    value = "unknown" if result.value is None else format_value(result.value, budget.unit)
    note = f" ({result.note})" if result.note else ""
    return f"{budget.name} was {value}, over its limit of {format_value(budget.limit, budget.unit)}{note}"


def _seconds(verdict: Verdict) -> float:
    plan = verdict.run.plan
    return 0.0 if plan.start_us is None or plan.end_us is None else (plan.end_us - plan.start_us) / 1e6


def _text(text: str) -> str:
    """Names come from the network: what XML cannot carry is replaced."""
    return _NOT_XML.sub("\ufffd", text)
