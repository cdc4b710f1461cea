"""The test plan that JMeter is given: what is refused before anything starts, and how headers come into it."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from switchover.load.jmeter import complaint
from switchover.load.jmeter_plan import (
    LISTENER,
    header_properties,
    require_plan,
    visitors,
    write_secret_properties,
)
from switchover.model.errors import UsageError
from switchover.target.model import Endpoint

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


def test_headers_have_their_names_in_the_plan_and_their_values_in_a_private_file(tmp_path: Path) -> None:
    endpoint = Endpoint(URL, headers={"X-Key": "geheim", "Accept": "text/html"}, host_header="shop.test")
    path = visitors(endpoint, tmp_path)
    headers = ElementTree.parse(path).findall(".//HeaderManager//elementProp")
    assert [[entry.text for entry in header] for header in headers] == [
        ["X-Key", "${__P(switchover.header.0)}"],
        ["Accept", "${__P(switchover.header.1)}"],
        ["Host", "${__P(switchover.header.2)}"],
    ]
    require_plan(path)
    file = write_secret_properties(header_properties(endpoint))
    assert file is not None
    try:
        assert file.stat().st_mode & 0o777 == 0o600
        assert file.read_text().splitlines() == [
            "switchover.header.0=geheim",
            "switchover.header.1=text/html",
            "switchover.header.2=shop.test:80",
        ]
    finally:
        file.unlink()


@pytest.mark.parametrize(
    ("host", "url", "value"),
    [
        ("shop.test", "https://198.18.0.50/", "shop.test:443"),
        ("shop.test", "http://198.18.0.50:8080/", "shop.test:80"),
        ("shop.test:81", "http://198.18.0.50:8080/", "shop.test:81"),
        ("[::1]", "http://198.18.0.50/", "[::1]:80"),
    ],
)
def test_a_host_header_has_a_port_that_jmeter_takes_for_the_usual(host: str, url: str, value: str) -> None:
    """Or it would add the port of the URL."""
    assert header_properties(Endpoint(url, host_header=host)) == {"switchover.header.0": value}


def test_properties_have_the_escapes_of_java() -> None:
    path = write_secret_properties({"a": 'b\\c\nd"ü😀'})
    assert path is not None
    assert path.read_text(encoding="ascii") == 'a=b\\\\c\\nd\\"\\u00fc\\ud83d\\ude00\n'
    path.unlink()


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
