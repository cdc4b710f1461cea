"""Find JMeter and Java, and prepare the test plan of the load."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import switchover
from switchover.model.errors import UsageError
from switchover.target.model import Target

HOME_VARIABLE = "JMETER_HOME"
ASSEMBLED = Path(switchover.__file__).parents[2] / "build" / "jmeter"
"""The JMeter that `make jmeter` builds in a checkout."""
LAUNCHER = Path("bin") / "ApacheJMeter.jar"
PLUGIN = "jmeter-switchover-*.jar"
OLDEST_JAVA = 17


@dataclass(frozen=True, slots=True)
class JMeterHome:
    launcher: Path
    java: str


def find_jmeter(chosen: Path | None) -> JMeterHome:
    """Return the folder of JMeter, from the option, the environment or the checkout. Raises UsageError."""
    named = os.environ.get(HOME_VARIABLE)
    directory = chosen or (Path(named) if named else ASSEMBLED)
    if not (directory / LAUNCHER).is_file():
        if directory is ASSEMBLED:
            raise UsageError(
                f"the load needs JMeter: name its folder with --jmeter-home DIR or in {HOME_VARIABLE}, "
                "or run 'make jmeter' in a checkout of Switchover"
            )
        source = f"--jmeter-home {chosen}" if chosen else f"{HOME_VARIABLE}={named}"
        raise UsageError(f"{source}: this folder is not a JMeter installation: it has no {LAUNCHER}")
    if not any((directory / "lib" / "ext").glob(PLUGIN)):
        raise UsageError(
            f"the JMeter in {directory} lacks the Switchover plugin: put {PLUGIN} into {directory / 'lib' / 'ext'}"
        )
    return JMeterHome(directory.resolve() / LAUNCHER, find_java())


def find_java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME={home}" if home else "on the PATH"
        raise UsageError(f"the load needs Java {OLDEST_JAVA} or newer, but there is no command java {where}")
    return java


VISITORS = Path(switchover.__file__).parent / "load" / "plans" / "visitors.jmx"
LISTENER = "io.github.switchover.jmeter.element.SwitchoverListener"


def require_plan(plan: Path) -> None:
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


def require_plain_target(target: Target) -> None:
    """Raise UsageError if the built-in plan cannot request the URL of the target file."""
    endpoint = target.endpoint
    if endpoint.headers or endpoint.host_header or (target.lab is None and urlsplit(endpoint.url).query):
        raise UsageError(
            "the built-in JMeter plan sends no headers and no query: add --plan FILE, or use --generator locust"
        )
