"""The JMeter that makes a load: where it is, with what Java it runs, and what it lacks."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import switchover
from switchover.model.errors import UsageError

HOME_VARIABLE = "JMETER_HOME"
ASSEMBLED = Path(switchover.__file__).parents[2] / "build" / "jmeter"
"""What `make jmeter` makes in a checkout."""
LAUNCHER = Path("bin") / "ApacheJMeter.jar"
PLUGIN = "jmeter-switchover-*.jar"
OLDEST_JAVA = 17
"""The plugin's class files need it."""
VERSION_WITHIN_S = 20.0

_VERSION = re.compile(r'version "(\d+)')
"""In what `java -version` prints; 1 for Java 8 and older."""


@dataclass(frozen=True, slots=True)
class JMeterHome:
    """A JMeter that can be started."""

    directory: Path
    java: str

    @property
    def launcher(self) -> Path:
        return self.directory / LAUNCHER


def find_jmeter(chosen: Path | None) -> JMeterHome:
    """The one that was chosen, else the environment's, else the checkout's; UsageError if it cannot do it."""
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
                raise UsageError(f"{source}: no JMeter is there: it has no {LAUNCHER}")
            return directory
    if not (ASSEMBLED / LAUNCHER).is_file():
        raise UsageError(
            f"the load needs JMeter: name its folder with --jmeter-home DIR or in {HOME_VARIABLE}, "
            "or run 'make jmeter' in a checkout of Switchover"
        )
    return ASSEMBLED


def find_java() -> str:
    """The program `java` as JMeter's own script finds it: in JAVA_HOME, else on the PATH."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME={home}" if home else "on the PATH"
        raise UsageError(f"the load needs Java {OLDEST_JAVA} or newer, and there is no java {where}")
    try:
        printed = subprocess.run(
            [java, "-version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=VERSION_WITHIN_S,
            check=False,
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"the load needs Java {OLDEST_JAVA} or newer, and {java} does not run: {error}") from error
    found = _VERSION.search(printed)
    if found is not None and int(found[1]) < OLDEST_JAVA:
        raise UsageError(f'the load needs Java {OLDEST_JAVA} or newer, and {java} is {found[0]}"')
    return java
