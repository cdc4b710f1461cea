"""What a verdict says where it is read by GitHub Actions: annotations, and the job's summary."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

from switchover.analysis.limit_result import State
from switchover.analysis.verdict import Verdict
from switchover.report.junit import OF_LIMITS, compared
from switchover.report.markdown import to_markdown
from switchover.report.sentence import sentence
from switchover.report.text import shortened

LISTED = 4
"""Warnings that are annotated. GitHub shows ten annotations of a kind for each step."""
MESSAGE_LENGTH = 1000


def tell_github(verdict: Verdict, environ: Mapping[str, str] = os.environ, stream: TextIO | None = None) -> None:
    """Write the commands that GitHub Actions reads, to standard error: what reads standard output does not see them.
    Does nothing elsewhere. What cannot be written is said, and changes no verdict."""
    if not _listens(environ):
        return
    out = stream or sys.stderr
    for line in annotations(verdict):
        print(line, file=out)
    summary = environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(to_markdown(verdict) + "\n")
    except OSError as error:
        print(f"switchover: the job's summary is not written: {error.strerror}", file=out)


def annotations(verdict: Verdict) -> Iterator[str]:
    """One line each: an error for what fails the build, a warning for what a reader should know, else a notice."""
    title, message = f"Switchover: {verdict.status}", sentence(verdict)
    if verdict.exit_code:
        texts = [reason.text for reason in verdict.reasons if reason.code not in OF_LIMITS]
        yield _command("error", title, "\n".join(texts) or message)
    for result in verdict.limits:
        if result.state in (State.EXCEEDED, State.INCONCLUSIVE):
            yield _command("error", f"Switchover: limit {result.limit}", compared(result))
        elif result.state is State.UNMEASURED:
            yield _command("warning", f"Switchover: limit {result.limit}", result.note or "not measured")
    for warning in verdict.warnings[:LISTED]:
        yield _command("warning", "Switchover", warning)
    if verdict.exit_code == 0:
        yield _command("notice", title, message)


def for_log(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Text that may quote strangers: where GitHub reads the log, without what it would take for a command."""
    return text.replace("##[", "# #[").replace("::", ": :") if _listens(environ) else text


def _listens(environ: Mapping[str, str]) -> bool:
    return environ.get("GITHUB_ACTIONS") == "true"


def _command(kind: str, title: str, message: str) -> str:
    """A workflow command. Only these characters have a meaning in its message, and two more in its properties."""
    name = _data(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{_data(shortened(message, MESSAGE_LENGTH))}"


def _data(text: str) -> str:
    encodable = text.encode("utf-8", "replace").decode()
    return encodable.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
