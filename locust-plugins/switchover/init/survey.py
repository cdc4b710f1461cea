"""The survey of one node: a read-only script that runs on the node over ssh, and the answers of the script."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from switchover.model.errors import TargetError
from switchover.process.command import run_command

SCRIPT = Path(__file__).parent / "survey.sh"
OPTIONS = ("-o", "BatchMode=yes", "-o", "LogLevel=ERROR", "-o", "ConnectTimeout=10")
STEP_S = 5
SURVEY_S = 60.0
"""The time limit of a survey in seconds, including the connection."""
LIMIT_BYTES = 32 << 20
_MARK = "@@ "


@dataclass(frozen=True, slots=True)
class SurveyAnswer:
    """One answer of the script: the first word after the key, the rest of the key's line, and the following lines."""

    first: str
    rest: str
    text: str


@dataclass(frozen=True, slots=True)
class Survey:
    """The answers of one node. `node`: the name under which ssh reaches the node."""

    node: str
    answers: dict[str, list[SurveyAnswer]] = field(repr=False)

    def all(self, key: str) -> list[SurveyAnswer]:
        return self.answers.get(key, [])

    def text(self, key: str) -> str:
        return self.answers[key][0].text.strip() if key in self.answers else ""

    def about(self, key: str, word: str) -> str:
        """Return the text of an answer whose first word is `word`, such as the version of a program."""
        return next((answer.text.strip() for answer in self.all(key) if answer.first == word), "")

    def unit(self, name: str) -> dict[str, str]:
        """Return the properties of a systemd unit. Empty: the unit is not loaded."""
        pairs = (line.partition("=") for line in self.about("unit", name).splitlines())
        properties = {key: value for key, _, value in pairs}
        return properties if properties.get("LoadState") == "loaded" else {}

    @property
    def has_sudo(self) -> bool:
        return self.text("sudo") in ("root", "yes")

    @property
    def sudo(self) -> str:
        """The prefix that runs a command as root: `sudo -n `, or empty if the ssh user is root."""
        return "" if self.text("sudo") == "root" else "sudo -n "

    def has(self, tool: str) -> bool:
        return tool in self.text("tools").split()

    def files(self, program: str) -> dict[str, str]:
        """Return the texts of all readable configuration files of a program; the key is the path on the node."""
        return {answer.rest: answer.text for answer in self.all("file") if answer.first == program and answer.rest}

    def processes(self, program: str) -> list[str]:
        return [line for line in self.about("processes", program).splitlines() if line.strip()]

    def addresses(self) -> Iterator[tuple[str, str]]:
        """Yield the interface and address of each line that `ip -o addr` printed."""
        for line in self.text("address").splitlines():
            words = line.split()
            if len(words) > 3 and words[2] in ("inet", "inet6"):
                yield words[1], words[3].partition("/")[0]


def take_survey(node: str, ssh: Sequence[str] = ("ssh",)) -> Survey:
    """Run the script on a node. Raises TargetError with the reason and a remedy."""
    collected = bytearray()
    result = run_command(
        (*ssh, *OPTIONS, node, "sh", "-s", "--", str(STEP_S)),
        SURVEY_S,
        request=SCRIPT.read_bytes(),
        sink=collected.extend,
        limit_bytes=LIMIT_BYTES,
    )
    answers = read_answers(collected.decode("utf-8", "replace"))
    if "end" not in answers:
        try_out = shlex.join((*ssh, node, "true"))
        raise TargetError(
            f"{node}: the node survey did not finish: {result}; check that '{try_out}' runs without a prompt"
        )
    return Survey(node, answers)


def read_answers(printed: str) -> dict[str, list[SurveyAnswer]]:
    """Return the answers that the script printed, grouped by key (the word after `@@`). The output of the login shell
    before `@@ begin` is ignored."""
    _, begin, rest = printed.partition(f"{_MARK}begin")
    answers: dict[str, list[SurveyAnswer]] = {}
    for block in f"\n{begin}{rest}".split(f"\n{_MARK}")[1:]:
        head, _, text = block.partition("\n")
        key, _, words = head.partition(" ")
        first, _, rest = words.strip().partition(" ")
        answers.setdefault(key, []).append(SurveyAnswer(first, rest.strip(), text.removesuffix("\n")))
    return answers
