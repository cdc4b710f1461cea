"""Every command that the documentation or a workflow shows exists, with its options."""

import re
import shlex
from pathlib import Path

import pytest

from support.checkout import CHECKOUT
from switchover.cli.main import build_parser

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
