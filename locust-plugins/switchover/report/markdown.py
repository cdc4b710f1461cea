"""The verdict as Markdown for a comment on a pull request. In a code block, markup and references have no effect."""

import io
import re
import unicodedata

from rich.console import Console, RenderableType

from switchover.report import figures_text as text
from switchover.report.console import summary_text
from switchover.report.documents import Judged
from switchover.report.summary import summarize

TEXT_LENGTH = 300
WIDTH = 100

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""The Unicode categories of characters that are invisible or that change the direction of text."""
_SPECIAL = re.compile(r"""[\\`*_{}\[\]<>#&|~$!@"^]|:(?=\S)|(?<!\d)\.|\.(?!\d)|^[-+=]""")
_REFERENCE = re.compile(r"([@#!$~%&])(?=\w)")
_APART = "\u200b"


def escaped(shown: str) -> str:
    """Return the text as one line without markup, links and notifications. Special characters become numeric
    references (CommonMark, section 6.2). GitHub and GitLab search the finished text for mentions such as @name and
    #1, so a zero-width space splits mentions."""
    parts = _REFERENCE.split(text.shortened(_harmless(" ".join(shown.split())), TEXT_LENGTH))
    whole = "".join(part + _APART if place % 2 else part for place, part in enumerate(parts))
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", whole)


def to_markdown(judged: Judged) -> str:
    summary = summarize(judged)
    mark = "✅" if summary.exit_code == 0 else "❌"
    heading = f"### {mark} {summary.status}: {escaped(summary.sentence)}"
    return "\n".join([heading, "", code_block(summary_text(summary)), "", escaped(f"run {judged.verdict.run}"), ""])


def code_block(shown: RenderableType) -> str:
    """Return the console's text as a code block. The fence of the code block is longer than any fence in the text."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
    with console.capture() as captured:
        console.print(shown)
    lines = [_harmless(line.rstrip()) for line in captured.get().rstrip().split("\n")]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])


def _harmless(shown: str) -> str:
    return "".join("\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in shown)
