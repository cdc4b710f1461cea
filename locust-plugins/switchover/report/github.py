"""The verdict for GitHub Actions: annotations, and the summary of the job."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

from switchover.report.documents import Judged, judged_of
from switchover.report.figures_text import shortened
from switchover.report.junit import compared
from switchover.report.markdown import to_markdown
from switchover.report.summary import WARNINGS, of_the_run, summarize
from switchover.verdict.judge import Verdict
from switchover.verdict.record import State

MESSAGE_LENGTH = 1000


def tell_github(verdict: Verdict, environ: Mapping[str, str] = os.environ, stream: TextIO | None = None) -> None:
    """Write the commands that GitHub Actions reads to standard error. Does nothing elsewhere.

    A summary that cannot be written is reported, and changes no verdict.
    """
    if not _listens(environ):
        return
    judged = judged_of(verdict)
    out = stream or sys.stderr
    for line in annotations(judged):
        print(line, file=out)
    summary = environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(to_markdown(judged) + "\n")
    except OSError as error:
        print(f"switchover: the job's summary is not written: {error.strerror}", file=out)


def annotations(judged: Judged) -> Iterator[str]:
    """Yield lines: an error if it fails the build, a warning if a reader should know it, otherwise a notice."""
    verdict = judged.verdict
    title, message = f"Switchover: {verdict.status}", summarize(judged).sentence
    if verdict.exit_code:
        texts = [reason.text for reason in of_the_run(verdict)]
        yield _command("error", title, "\n".join(texts) or message)
    for limit in verdict.limits:
        if limit.state in (State.EXCEEDED, State.INCONCLUSIVE):
            yield _command("error", f"Switchover: limit on {limit.name}", compared(limit))
        elif limit.state is State.UNMEASURED:
            yield _command("warning", f"Switchover: limit on {limit.name}", limit.note or "not measured")
    for warning in verdict.warnings[:WARNINGS]:
        yield _command("warning", "Switchover", warning)
    if verdict.exit_code == 0:
        yield _command("notice", title, message)


def for_log(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Remove the parts of an untrusted text that GitHub would read as a command."""
    return text.replace("##[", "# #[").replace("::", ": :") if _listens(environ) else text


def _listens(environ: Mapping[str, str]) -> bool:
    return environ.get("GITHUB_ACTIONS") == "true"


def _command(kind: str, title: str, message: str) -> str:
    """Return a workflow command, with the characters escaped that have a meaning in its message and properties."""
    name = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{_data(shortened(message, MESSAGE_LENGTH))}"


def _data(text: str) -> str:
    encodable = text.encode("utf-8", "replace").decode()
    return encodable.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
