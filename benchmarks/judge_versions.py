"""Which version of a load generator is asked, as its package or its own file says: not each tells it when asked."""

import re
import shutil
import zipfile
from importlib.metadata import version

from judge_askings import Asking

from switchover.lab.capability import ask_version
from switchover.load.jmeter_plan import find_jmeter

OF_DEBIAN = {"ab": "apache2-utils", "wrk": "wrk"}
GO_MODULE = re.compile(r"^\s+mod\s+\S+\s+v(\S+)", re.MULTILINE)
UNKNOWN = "unknown"


def version_of(asking: Asking) -> str:
    if asking.tool == "JMeter":
        with zipfile.ZipFile(find_jmeter(None).launcher) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
        found = re.search(r"^Implementation-Version: (\S+)", manifest, re.MULTILINE)
        return found[1] if found else UNKNOWN
    if asking.tool == "Locust":
        return version("locust")
    if package := OF_DEBIAN.get(asking.program):
        return ask_version(["dpkg-query", "--show", "--showformat=${Version}", package]) or UNKNOWN
    # The Go programs are built by `go install`, whose version stands in the file and not in what the program prints.
    found = GO_MODULE.search(ask_version(["go", "version", "-m", shutil.which(asking.program) or asking.program]))
    return found[1] if found else UNKNOWN
