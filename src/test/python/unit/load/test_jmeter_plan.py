"""The test plan that JMeter is given: what is refused before anything starts."""

import re
from pathlib import Path

import pytest

from switchover.load.jmeter import complaint
from switchover.load.jmeter_plan import (
    LISTENER,
    require_plain_target,
    require_plan,
)
from switchover.model.errors import UsageError
from switchover.target.model import Endpoint, Target

URL = "http://198.18.0.50/"
PLAN = "<jmeterTestPlan><hashTree><hashTree>{}</hashTree></hashTree></jmeterTestPlan>"


def plan(folder: Path, text: str) -> Path:
    path = folder / "plan.jmx"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a JMeter test plan: no element found"),
        ("from locust import task\n", "is not a JMeter test plan: syntax error"),
        ("<project/>", "is not a JMeter test plan: it begins with <project>"),
        (PLAN.format(""), "has no Switchover Listener, which records the requests: add this listener to the plan"),
        (PLAN.format(f'<{LISTENER} enabled="false"/>'), "has no Switchover Listener"),
    ],
)
def test_a_plan_that_cannot_be_used_is_said_at_once(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        require_plan(plan(tmp_path, text))


@pytest.mark.parametrize(
    "endpoint",
    [Endpoint(URL, headers={"X-Key": "secret"}), Endpoint(URL, host_header="shop.test"), Endpoint(f"{URL}?x=1")],
)
def test_a_target_with_headers_or_a_query_needs_a_plan(endpoint: Endpoint) -> None:
    require_plain_target(Target(Endpoint(URL)))
    with pytest.raises(UsageError, match="--plan FILE"):
        require_plain_target(Target(endpoint))


LOG = "2024-05-01 12:00:00,000 {} o.a.j.JMeter: {}\n"


@pytest.mark.parametrize(
    ("logged", "printed", "said"),
    [
        ("", "", ""),
        (LOG.format("INFO", "all is well"), "Creating summariser <summary>\n... end of run\n", ""),
        (LOG.format("ERROR", "Error in NonGUIDriver") + "java.lang.X\n", "", "Error in NonGUIDriver"),
        (
            LOG.format("ERROR", "An error occurred: "),
            "An error occurred: The file /x.jmx doesn't exist or can't be opened\n",
            "The file /x.jmx doesn't exist or can't be opened",
        ),
        ("", "Error: Unable to access jarfile /x.jar\n", "Unable to access jarfile /x.jar"),
        ("", "Error in NonGUIDriver java.lang.X: y\n\nCause:\n", "java.lang.X: y"),
        (
            LOG.format("ERROR", "Error in NonGUIDriver"),
            "Error in NonGUIDriver java.lang.X: Problem\nCause:\nCannotResolveClassException: a.b.Nosuch\n",
            "this JMeter has no element a.b.Nosuch",
        ),
        (
            LOG.format("ERROR", "Error: x") + LOG.format("ERROR", "Switchover: the test is stopped: no target file"),
            "Error: x\n",
            "no target file",
        ),
        (LOG.format("ERROR", "\x1b[0mred"), "", " [0mred"),
    ],
)
def test_jmeters_complaint_is_the_line_that_names_a_cause(
    tmp_path: Path, logged: str, printed: str, said: str
) -> None:
    log, console = tmp_path / "jmeter.log", tmp_path / "console.log"
    log.write_text(logged, encoding="utf-8")
    console.write_text(printed, encoding="utf-8")
    assert complaint(log, console) == said
