"""`junit.xml`: one test case for the run itself, and one test case for each limit. GitLab does not show the message
of a case, so each case that did not pass also has a text. Jenkins reads the counts and the time of the suite."""

import re
import time
from xml.etree import ElementTree

from switchover.report import figures_text as text
from switchover.report.documents import Judged
from switchover.report.summary import run_reasons
from switchover.verdict.reasons import status_of
from switchover.verdict.record import Limit, State, Verdict

CASE = "the run went as planned, and its figures are valid"
KINDS = {State.EXCEEDED: "failure", State.INCONCLUSIVE: "error", State.UNMEASURED: "skipped"}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 cannot represent (section 2.2)."""


def to_junit(judged: Judged) -> bytes:
    """Return a JUnit document with one suite. Exit code 2 and inconclusive limits are errors. Exit code 1 and
    exceeded limits are failures. Unmeasured limits are skipped. If two limits are equal, they are one case, because
    the names of cases must differ."""
    verdict, run = judged
    start_us, end_us = run.plan.start_us, run.plan.end_us
    lasted_us = 0 if start_us is None or end_us is None else max(0, end_us - start_us)
    name, seconds = _text(f"switchover.{run.name}"), f"{lasted_us / 1e6:.3f}"
    cases = [_run_case(verdict)]
    for limit in verdict.limits:
        title, kind = f"limit {_written(limit)}", KINDS.get(limit.state, "")
        if title not in (case[0] for case in cases):
            content = (limit.note or "not measured") if kind == "skipped" else _comparison(limit)
            cases.append((title, kind, limit.state.name, content))
    kinds = [kind for _, kind, *_ in cases]
    counts = {f"{kind}s": str(kinds.count(kind)) for kind in ("failure", "error")}
    totals = {"name": name, "tests": str(len(cases)), **counts, "skipped": str(kinds.count("skipped"))}
    suite = ElementTree.Element("testsuite", {**totals, "time": seconds})
    if start_us is not None:  # JUnit requires a time without a time zone
        suite.set("timestamp", time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(start_us // 1_000_000)))
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (("run", run.id), ("fault", run.fault.name if run.fault else "none")):
        ElementTree.SubElement(properties, "property", {"name": key, "value": _text(value)})
    # Readers add up the times of the cases. So the first case has the time of the run, and the cases of limits have
    # no time.
    for place, (title, kind, status, content) in enumerate(cases):
        attributes = {"classname": name, "name": _text(title), "time": "0.000" if place else seconds}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if kind:
            status_type = {} if kind == "skipped" else {"type": status}
            message = _text(content.partition("\n")[0])
            ElementTree.SubElement(case, kind, {**status_type, "message": message}).text = _text(content)
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    document: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


Case = tuple[str, str, str, str]
"""A case: its title, its kind (empty: passed), its status, and its text, whose first line is the message."""


def _run_case(verdict: Verdict) -> Case:
    reasons = run_reasons(verdict)
    if not reasons:
        return CASE, "", "", ""
    is_error = any(status_of(reason).exit_code == 2 for reason in reasons)
    lines = "\n".join(reason.text for reason in reasons)
    return CASE, "error" if is_error else "failure", status_of(reasons[0]).value, lines


def _written(limit: Limit) -> str:
    at = "" if limit.confidence is None else f"@{limit.confidence * 100:g}"
    return f"{limit.name}={text.limit_text(limit)}{at}".replace(" ", "")


def _comparison(limit: Limit) -> str:
    value, bounds = text.limit_figure(limit)
    figure = f"{value} ({bounds})" if bounds else value
    how = "exceeded" if limit.state is State.EXCEEDED else "inside the interval: inconclusive"
    return f"{limit.name} {figure}, limit {text.limit_text(limit)} {how}" + (f" ({limit.note})" if limit.note else "")


def _text(shown: str) -> str:
    """Replace characters that XML cannot represent. Names in the text come from the network."""
    return _NOT_XML.sub("\ufffd", shown)
