"""The package and the tools: rooms that import only those before them, names, and words."""

import ast
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from support.checkout import CHECKOUT

PACKAGE = CHECKOUT / "locust-plugins" / "switchover"
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def lint_imports(checkout: Path) -> "subprocess.CompletedProcess[str]":
    """The contracts of pyproject.toml, checked on the package in `checkout`."""
    return subprocess.run(
        [LINT_IMPORTS, "--no-cache"],
        cwd=checkout,
        env={"PYTHONPATH": str(checkout / "locust-plugins"), "PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_only_rooms_stand_at_the_root() -> None:
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}


def test_each_room_imports_only_those_before_it() -> None:
    checked = lint_imports(CHECKOUT)
    assert checked.returncode == 0, checked.stdout


def test_a_fault_that_imports_the_lab_breaks_the_contract(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "locust-plugins" / "switchover")
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    with (tmp_path / "locust-plugins" / "switchover" / "faults" / "guard.py").open("a") as guard:
        guard.write("\nimport switchover.lab\n")
    checked = lint_imports(tmp_path)
    assert checked.returncode != 0
    assert "switchover.faults.guard -> switchover.lab" in checked.stdout


NOT_NAMES = frozenset(
    {"who", "whom", "whose", "told", "said", "them", "they", "it", "everyone", "somebody", "nobody", "utils"}
)
"""A name says what a thing is or does: no pronoun, no participle alone, no bag of things."""

SEVERAL: dict[str, str] = {}
"""Class names that may stand for several things, with the reason."""

PRODUCT = ("locust-plugins", "jmeter-plugins", "tools", "docs", "testplans", "benchmarks", "Makefile", "README.md")
VAGUE = re.compile(r"\b(nobody|whoever|whatever)\b", re.IGNORECASE)
VAGUE_ALLOWED = {"tools/check-english": "it lists these words"}
"""Files in which one of these words is the right one, with the reason."""
TEXTS = {".py", ".java", ".md", ".toml", ".properties", ".sh", ".js", ".html", ".jmx", ".css", ""}


def test_no_two_classes_share_a_name() -> None:
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        if path == PACKAGE / "verdict" / "record.py":  # A record has the name of the figure that it keeps.
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    shared = {name: where for name, where in places.items() if len(where) > 1 and name not in SEVERAL}
    assert not shared


def test_no_name_is_a_riddle() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [path.stem, *(name for node in ast.walk(tree) for name in _given_by(node))]
        found += [f"{path.relative_to(PACKAGE)}: {name}" for name in names if name.strip("_").lower() in NOT_NAMES]
    assert not found


def _given_by(node: ast.AST) -> list[str]:
    """The names that a piece of code gives."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            return [name]
    return []


def test_sentences_say_who_and_what() -> None:
    found = []
    for name in PRODUCT:
        root = CHECKOUT / name
        for path in [root] if root.is_file() else sorted(root.rglob("*")):
            place = str(path.relative_to(CHECKOUT))
            if path.is_file() and path.suffix in TEXTS and place not in VAGUE_ALLOWED and "__pycache__" not in place:
                text = path.read_text(encoding="utf-8", errors="replace")
                found += [f"{place}: {line.strip()}" for line in text.splitlines() if VAGUE.search(line)]
    assert not found


def test_a_python_without_setuptools_is_one_line_and_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    without_packages = (sys.executable, "-S", str(CHECKOUT / "tools" / "make-dist"), "--python-only", str(tmp_path))
    ended = subprocess.run(without_packages, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert "pip install 'setuptools>=77'" in ended.stderr
    assert (tmp_path / "kept").exists()


def run(home: Path, name: str, version: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with a Java that prints its version, or its arguments."""
    shutil.copytree(CHECKOUT / "tools" / "jmeter" / "bin", home / "bin", dirs_exist_ok=True)
    java = home / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = -XshowSettings:properties ] && echo "    java.specification.version = {version}" >&2 && exit\n'
        'printf "%s\\n" "$@"\n'
    )
    java.chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", "JAVA_HOME": str(home / "java")}
    command = [str(home / "bin" / name), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize("version", ["1.8", "11"])
def test_an_older_java_gets_one_clear_line(tmp_path: Path, version: str) -> None:
    done = run(tmp_path, "jmeter", version, "-n")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "need Java 17 or newer" in done.stderr


@pytest.mark.parametrize("version", ["17", "25"])
def test_jmeter_gets_its_arguments(tmp_path: Path, version: str) -> None:
    done = run(tmp_path, "jmeter", version, "-n", "-t", "a plan.jmx")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == ["-n", "-t", "a plan.jmx"]
    assert f"{tmp_path}/bin/ApacheJMeter.jar" in done.stdout
    assert "--add-opens=java.desktop/sun.awt=ALL-UNNAMED" in done.stdout.splitlines()


def test_a_server_is_started_as_one(tmp_path: Path) -> None:
    assert run(tmp_path, "jmeter-server", "17").stdout.splitlines()[-3:] == ["-s", "-j", "jmeter-server.log"]


@pytest.mark.parametrize(("name", "word"), [("shutdown.sh", "Shutdown"), ("stoptest.sh", "StopTestNow")])
def test_a_running_test_is_asked_to_end(tmp_path: Path, name: str, word: str) -> None:
    said = run(tmp_path, name, "17", "4446").stdout.splitlines()
    assert said[-3:] == ["org.apache.jmeter.util.ShutdownClient", word, "4446"]
