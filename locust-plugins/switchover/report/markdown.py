"""The verdict as Markdown: short enough for a comment on a pull request. No text from the network is markup.

The summary is a code block, in which neither markup nor references to people and issues have a meaning.
"""

import io
import re
import unicodedata
from collections.abc import Iterable, Sequence

from rich.console import Console, RenderableType

from switchover.report import figures_text as text
from switchover.report.documents import Judged
from switchover.report.summary import Summary, summarize
from switchover.report.summary_text import summary_text

TEXT_LENGTH = 300
WIDTH = 100
LISTED = 10
"""The maximum number of labels that are shown. verdict.json has more labels."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Categories of control, format and non-characters, including those that change the direction of text."""
_SPECIAL = re.compile(r"""[\\`*_{}\[\]<>#&|~$!@"^]|:(?=\S)|(?<!\d)\.|\.(?!\d)|^[-+=]""")
_REFERENCE = re.compile(r"([@#!$~%&])(?=\w)")
_APART = "\u200b"


def escaped(shown: str) -> str:
    """Return the text in one line, without markup, link or notification.

    Numeric references have no meaning to Markdown (CommonMark, section 6.2). A zero-width space splits patterns that
    GitHub and GitLab search in the finished text, such as @name and #1.
    """
    parts = _REFERENCE.split(text.shortened(_harmless(" ".join(shown.split())), TEXT_LENGTH))
    whole = "".join(part + _APART if place % 2 else part for place, part in enumerate(parts))
    return _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", whole)


def to_markdown(judged: Judged) -> str:
    found = summarize(judged)
    lines = [heading(found), "", code_block(summary_text(found)), ""]
    load = judged.verdict.load
    if load and load.labels:
        rows = [
            (one.label, f"{one.total:,}", f"{one.failed:,}", *map(text.latency, (one.p50_ms, one.p95_ms, one.p99_ms)))
            for one in load.labels[:LISTED]
        ]
        lines += _table(("label", "requests", "failed", "p50 ms", "p95 ms", "p99 ms"), rows)
        more = (load.more_labels or 0) + max(0, len(load.labels) - LISTED)
        lines += [f"and {more:,} more, on the page", ""] if more else []
    return "\n".join([*lines, escaped(f"run {judged.verdict.run}"), ""])


def heading(found: Summary) -> str:
    return f"### {'✅' if found.exit_code == 0 else '❌'} {found.status}: {escaped(found.sentence)}"


def code_block(shown: RenderableType) -> str:
    """Return the console's text, in a fence that is longer than any fence in the text."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
    with console.capture() as captured:
        console.print(shown)
    lines = [_harmless(line.rstrip()) for line in captured.get().rstrip().split("\n")]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])


def _harmless(shown: str) -> str:
    return "".join("\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in shown)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return [*lines, *(f"| {' | '.join(map(escaped, row))} |" for row in rows), ""]
