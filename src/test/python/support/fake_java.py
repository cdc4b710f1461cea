"""A program that stands for Java with JMeter in it: it tells of itself as the plugin does, and takes messages."""

import json
import sys
from pathlib import Path

from switchover.load.jmeter_plan import LAUNCHER, JMeterHome

SCRIPT = """#!{python}
import json, os, signal, socket, sys, time
words = sys.argv[1:]
directory = os.environ["SWITCHOVER_RUN_DIRECTORY"]
assert os.environ["SWITCHOVER_CLOCK_ANCHOR"]
told = dict(word[2:].split("=", 1) for word in words if word.startswith("-J"))
files = [open(words[words.index("-q") + 1]).read()] if "-q" in words else []
with open(os.path.join(directory, "started.json"), "w") as file:
    json.dump([words, told, files], file)
log = open(words[words.index("-j") + 1], "w")
def say(level, text):
    print("2024-05-01 12:00:00,000", level, "o.a.j.JMeter:", text, file=log, flush=True)
def tell(state):
    with open(os.path.join(directory, "load.part"), "w") as file:
        json.dump({{"state": state, "generator": "jmeter"}}, file)
    os.rename(os.path.join(directory, "load.part"), os.path.join(directory, "load.json"))
print("Creating summariser <summary>", flush=True)
say("INFO", "Version 5.6.3")
port = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
port.bind(("127.0.0.1", int(told["jmeterengine.nongui.port"])))
deaf, code = (), 0
{script}
tell("running")
while True:
    message = port.recv(80).decode()
    say("INFO", message)
    if message not in deaf:
        tell("ended")
        sys.exit(code)
"""


def fake_jmeter(folder: Path, script: str = "") -> JMeterHome:
    """A home with such a Java; `script` runs before it says that its users are there."""
    home = folder / "home"
    for path in (home / LAUNCHER, home / "lib" / "ext" / "jmeter-switchover-1.jar"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    java = folder / "java"
    java.write_text(SCRIPT.format(python=sys.executable, script=script), encoding="utf-8")
    java.chmod(0o755)
    return JMeterHome(home / LAUNCHER, str(java))


def started(directory: Path) -> tuple[list[str], dict[str, str], list[str]]:
    """The words, the properties and the property files that it was given."""
    statuses, told, files = json.loads((directory / "started.json").read_text(encoding="utf-8"))
    return statuses, told, files
