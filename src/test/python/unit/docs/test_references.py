"""Each file, test, command and option that a page names exists, and a version in two files is the same in both."""

import csv
import re
import shlex
from pathlib import Path

import pytest

import switchover
from support.checkout import CHECKOUT
from switchover.cli.main import build_parser

ROOTS = (
    CHECKOUT,
    CHECKOUT / "locust-plugins" / "switchover",
    CHECKOUT / "jmeter-plugins" / "src" / "main" / "java" / "io" / "github" / "switchover" / "jmeter",
    CHECKOUT / "src" / "test" / "python",
    CHECKOUT / "src" / "test" / "java" / "io" / "github" / "switchover" / "jmeter",
)
PATH = re.compile(r"`([\w.{},-]+(?:/[\w.{},-]*)+)`")


def spelled_out(path: str) -> list[str]:
    """`a/{b,c}.py` is two paths."""
    braces = re.search(r"\{([^}]*)\}", path)
    if braces is None:
        return [path]
    return [f"{path[: braces.start()]}{part}{path[braces.end() :]}" for part in braces[1].split(",")]


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_named_files_exist(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    named = [path for found in PATH.findall(text) for path in spelled_out(found)]
    lost = [path for path in named if "NAME" not in path and not any((root / path).exists() for root in ROOTS)]
    assert named
    assert lost == []


@pytest.mark.parametrize("page", ["Makefile", "CONTRIBUTING.md"])
def test_named_tests_exist(page: str) -> None:
    named = re.findall(r"TEST=([\w./]+)", (CHECKOUT / page).read_text(encoding="utf-8"))
    java = {path.stem for path in (CHECKOUT / "src" / "test" / "java").rglob("*.java")}
    assert named
    assert [test for test in named if test not in java and not (CHECKOUT / test).is_file()] == []


PAGE = (CHECKOUT / "docs" / "threats.md").read_text(encoding="utf-8")
TESTS = CHECKOUT / "src" / "test" / "python"
NAMED = sorted(set(re.findall(r"`((?:unit|integration)/[\w/]+\.py)(?:::(\w+))?`", PAGE)))


def test_it_names_tests() -> None:
    assert len(NAMED) > 20


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_named_test_is_there(file: str, name: str) -> None:
    text = (TESTS / file).read_text(encoding="utf-8")
    assert not name or f"def {name}(" in text


PAGES = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("benchmarks/*.md")])
WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
CODE = re.compile(r"^(?:```|~~~)[^\n]*\n(.*?)^(?:```|~~~)|^(?: {4}[^\n]*\n)+", re.M | re.S)
PROMPT = re.compile(r"^\s*(?:\$ )?(?:sudo )?(?:\S*/)?(?=(?:switchover|make) )")
MADE = re.compile(r"\bmake ([a-z-]+)")
EXPLANATION = re.compile(r"\s+#.*$|\s+[|>].*$|\s*;.*$")


def commands(page: Path, program: str) -> list[str]:
    """The command lines of a program in the code of a page, without prompts and explanations behind them."""
    found = []
    for block in CODE.finditer(page.read_text(encoding="utf-8")):
        text = re.sub(r"\\\n\s*", " ", block[0])
        for line in text.splitlines():
            command = EXPLANATION.sub("", PROMPT.sub("", line)).strip()
            if PROMPT.match(line) and command.startswith(f"{program} "):
                found.append(command)
    return found


def shown(program: str) -> list[object]:
    return [
        pytest.param(command, id=f"{page.relative_to(CHECKOUT)}: {command}")
        for page in PAGES
        for command in commands(page, program)
    ]


@pytest.mark.parametrize("command", shown("switchover"))
def test_the_command_line_takes_it(command: str) -> None:
    words = shlex.split(re.sub(r"\[[^\]]*\]", "", command))[1:]
    build_parser(words[0]).parse_args(words)


@pytest.mark.parametrize("command", shown("make"))
def test_the_makefile_has_the_target(command: str) -> None:
    for target in [word for word in shlex.split(command)[1:] if "=" not in word]:
        assert re.search(rf"^{re.escape(target)}:", MAKEFILE, re.M), f"no target {target}"


def test_the_makefile_documents_each_target_that_it_offers() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.M)
    helped = set(re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.M))
    assert set(phony.split()) - helped <= {"influxdb-for-tests"}


@pytest.mark.parametrize("name", ["test", "test-all", "drill", "dist", "release"])
def test_there_is_a_workflow(name: str) -> None:
    assert name in [path.stem for path in WORKFLOWS]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_each_runs_targets_of_the_makefile(path: Path) -> None:
    steps = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.strip().startswith("#")]
    targets = MADE.findall("\n".join(steps))
    assert targets
    assert [target for target in targets if not re.search(rf"^{target}:", MAKEFILE, re.M)] == []


with (CHECKOUT / "docs" / "dependencies.csv").open(encoding="utf-8", newline="") as file:
    LISTED = {(row["kind"], row["name"], row["version"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("lock", sorted((CHECKOUT / "requirements").glob("*.txt")), ids=lambda lock: lock.stem)
def test_each_pinned_python_package_is_listed_with_its_version(lock: Path) -> None:
    stale = re.findall(r"(?m)^([A-Za-z0-9_.-]+)==([^\s;]+)", lock.read_text(encoding="utf-8"))
    assert stale
    assert [name for name, version in stale if ("python", name, version) not in LISTED] == [], "run make dependencies"


def test_each_artifact_that_the_pom_names_is_listed_with_its_version() -> None:
    before_plugins = (CHECKOUT / "pom.xml").read_text(encoding="utf-8").partition("<build>")[0]
    listed = "\n".join(re.findall(r"<dependencies>(.*?)</dependencies>", before_plugins, re.DOTALL))
    found = re.findall(r"<artifactId>([^<]+)</artifactId>\s*<version>([^<$]+)</version>", listed)
    assert found
    assert {("java", *artifact) for artifact in found} - LISTED == set(), "run make dependencies"


def told(file: str, tag: str) -> str:
    found = re.search(f"<{tag}>(.*?)</{tag}>", (CHECKOUT / file).read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def test_both_halves_have_one_version() -> None:
    assert told("pom.xml", "version") == switchover.__version__


def test_the_plugin_is_compiled_against_the_jmeter_that_is_assembled() -> None:
    assert told("pom.xml", "jmeter.version") == told("tools/jmeter/pom.xml", "jmeter.version")
