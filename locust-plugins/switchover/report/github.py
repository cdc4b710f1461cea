"""What a verdict says where it is read by GitHub Actions: annotations, and the job's summary."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

from switchover.analysis.verdict import Verdict
from switchover.report.junit import broken
from switchover.report.markdown import to_markdown
from switchover.report.sentence import sentence
from switchover.report.text import shortened, verdict_word

LISTED = 4
"""Warnings that are annotated. GitHub shows ten annotations of a kind for each step."""
MESSAGE_LENGTH = 1000


def tell_github(verdict: Verdict, environ: Mapping[str, str] = os.environ, stream: TextIO | None = None) -> None:
    """Nothing where GitHub Actions is not listening. It reads commands from both outputs: on standard error they are
    in nobody's way. What cannot be written is said, and changes no verdict."""
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
    word, said = verdict_word(verdict), sentence(verdict)
    if not verdict.trusted:
        yield _command("error", f"Switchover: {word}", "\n".join(verdict.reasons))
    for result in verdict.budgets:
        if result.passed is False:
            yield _command("error", f"Switchover: budget {result.budget}", broken(result))
        elif result.passed is None:
            yield _command("warning", f"Switchover: budget {result.budget}", result.note or "not measured")
    for warning in verdict.warnings[:LISTED]:
        yield _command("warning", "Switchover", warning)
    if verdict.exit_code == 0:
        yield _command("notice" if verdict.recovered else "warning", f"Switchover: {word}", said)


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
