"""Find JMeter and Java, and prepare the test plan of the load."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import switchover
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.target.model import Endpoint

HOME_VARIABLE = "JMETER_HOME"
ASSEMBLED = Path(switchover.__file__).parents[2] / "build" / "jmeter"
"""The JMeter that `make jmeter` builds in a checkout."""
LAUNCHER = Path("bin") / "ApacheJMeter.jar"
PLUGIN = "jmeter-switchover-*.jar"
OLDEST_JAVA = 17
"""The oldest Java that loads the plugin's class files."""


@dataclass(frozen=True, slots=True)
class JMeterHome:
    directory: Path
    java: str

    @property
    def launcher(self) -> Path:
        return self.directory / LAUNCHER


def find_jmeter(chosen: Path | None) -> JMeterHome:
    """Return the JMeter that the user chose, otherwise the JMeter of the environment or of the checkout. Raises
    UsageError if there is no JMeter."""
    directory = _directory(chosen)
    if not any((directory / "lib" / "ext").glob(PLUGIN)):
        raise UsageError(
            f"the JMeter in {directory} lacks the Switchover plugin: put {PLUGIN} into {directory / 'lib' / 'ext'}"
        )
    return JMeterHome(directory.resolve(), find_java())


def _directory(chosen: Path | None) -> Path:
    named = os.environ.get(HOME_VARIABLE)
    for source, directory in (
        (f"--jmeter-home {chosen}", chosen),
        (f"{HOME_VARIABLE}={named}", Path(named) if named else None),
    ):
        if directory is not None:
            if not (directory / LAUNCHER).is_file():
                raise UsageError(f"{source}: this folder is not a JMeter installation: it has no {LAUNCHER}")
            return directory
    if not (ASSEMBLED / LAUNCHER).is_file():
        raise UsageError(
            f"the load needs JMeter: name its folder with --jmeter-home DIR or in {HOME_VARIABLE}, "
            "or run 'make jmeter' in a checkout of Switchover"
        )
    return ASSEMBLED


def find_java() -> str:
    """Return the program `java` as JMeter's own script finds it: in JAVA_HOME, otherwise on the PATH."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME={home}" if home else "on the PATH"
        raise UsageError(f"the load needs Java {OLDEST_JAVA} or newer, and there is no java {where}")
    return java


VISITORS = Path(switchover.__file__).parent / "load" / "plans" / "visitors.jmx"
LISTENER = "io.github.switchover.jmeter.element.SwitchoverListener"
HEADER_PROPERTY = "switchover.header."
"""The prefix of the properties that contain header values. A value may be a secret. The number of the header follows
the prefix."""

_PORT = re.compile(r":\d+$")


def require_plan(plan: Path) -> None:
    """Raise UsageError, before a drill starts, if the plan is not a test plan or does not record its samples."""
    if not plan.exists():
        raise UsageError(f"--plan {plan}: there is no such file")
    try:
        root = ElementTree.parse(plan).getroot()
    except OSError as error:
        raise UsageError(f"--plan {plan}: {error.strerror}") from error
    except (ElementTree.ParseError, ValueError) as error:
        raise UsageError(f"--plan {plan} is not a JMeter test plan: {error}") from error
    if root.tag != "jmeterTestPlan":
        raise UsageError(f"--plan {plan} is not a JMeter test plan: it begins with <{root.tag}>")
    if not any(element.get("enabled") != "false" for element in root.iter(LISTENER)):
        raise UsageError(
            f"--plan {plan} has no Switchover Listener, which records the requests: add this listener to the plan"
        )


def visitors(endpoint: Endpoint, directory: Path) -> Path:
    """Return the path of the default plan for this target.

    A plan contains the names of headers, and properties contain their values. So if the target has headers, a plan is
    written to the run directory.
    """
    names = list(_headers(endpoint))
    if not names:
        return VISITORS
    plan = ElementTree.parse(VISITORS)
    headers = plan.find(".//HeaderManager/collectionProp[@name='HeaderManager.headers']")
    assert headers is not None
    for number, name in enumerate(names):
        header = ElementTree.SubElement(headers, "elementProp", {"name": "", "elementType": "Header"})
        for key, value in (("name", name), ("value", f"${{__P({HEADER_PROPERTY}{number})}}")):
            ElementTree.SubElement(header, "stringProp", {"name": f"Header.{key}"}).text = value
    path = directory / VISITORS.name
    try:
        plan.write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise RunDirectoryError(f"cannot write {path}: {error.strerror}") from error
    return path


def header_properties(endpoint: Endpoint) -> dict[str, str]:
    return {f"{HEADER_PROPERTY}{number}": value for number, value in enumerate(_headers(endpoint).values())}


def write_secret_properties(values: Mapping[str, str]) -> Path | None:
    """Write the properties to a private file, and return its path. None: there are no properties.

    On a command line, secrets would be visible to every user of the machine, and JMeter would log them.
    """
    if not values:
        return None
    descriptor, path = tempfile.mkstemp(prefix="switchover-", suffix=".properties")
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        # JSON's escapes are also escapes of Java's properties.
        file.writelines(f"{name}={json.dumps(value)[1:-1]}\n" for name, value in values.items())
    return Path(path)


def _headers(endpoint: Endpoint) -> Mapping[str, str]:
    if not endpoint.host_header:
        return endpoint.headers
    return {**endpoint.headers, "Host": _host(endpoint.host_header, endpoint.url)}


def _host(name: str, url: str) -> str:
    """Return the Host header for JMeter's client. The client adds the URL's port to a name without a port, and
    removes the default port."""
    usual = 443 if urlsplit(url).scheme == "https" else 80
    return name if _PORT.search(name) else f"{name}:{usual}"
