"""JMeter's XML, read as a stream. Samples in a transaction are requests; samples in a request are its parts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from switchover.evidence.logs.account import Account
from switchover.evidence.logs.format import (
    UNREADABLE,
    Format,
    LogHead,
    head_of_text,
    is_true,
)
from switchover.evidence.logs.logged_request import LoggedRequest
from switchover.model.errors import RunDirectoryError
from switchover.model.identity import AnsweredBy, Identity

_SAMPLES = ("sample", "httpSample")
_URL = "java.net.URL"
_TRANSACTION_OF = "Number of samples in transaction : "
_DECODED = re.compile("encoding=[\"']utf-16", re.IGNORECASE)
"""The declaration can be read as ASCII only if the log has been decoded (unpack.py)."""
_PIECE = 1 << 20


@dataclass(slots=True)
class _Open:
    """A sample whose end has not been read yet."""

    name: str
    values: Mapping[str, str]
    is_part: bool
    """It is inside a request: a redirect, or an embedded resource."""
    begun_at: int
    url: str = ""

    @property
    def is_transaction(self) -> bool:
        return self.values.get("rm", "").startswith(_TRANSACTION_OF)


@dataclass(slots=True)
class _XmlReader:
    account: Account
    ready: list[LoggedRequest] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    transactions: int = 0
    parts: int = 0
    text: list[str] | None = None
    unnamed: int = 0
    """The number of parts in a sample without a message, which may be a transaction."""
    is_decoded: bool = False
    """The text is UTF-8 now, although it declares UTF-16."""
    parser: expat.XMLParserType = field(init=False)

    def __post_init__(self) -> None:
        self.parser = expat.ParserCreate("utf-8" if self.is_decoded else None)
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._refuse_entities

    def _refuse_entities(self, *_: object) -> None:
        raise RunDirectoryError("an XML log that declares entities is none that JMeter wrote")

    def _start(self, name: str, values: dict[str, str]) -> None:
        if name in _SAMPLES:
            above = self.stack[-1] if self.stack else None
            is_part = above is not None and (above.is_part or not above.is_transaction)
            if above is not None and not above.is_part:
                # A Transaction Controller is never an `httpSample`.
                self.unnamed += above.name == "sample" and "rm" not in above.values
            self.stack.append(_Open(name, values, is_part, self.parser.CurrentByteIndex))
        self.text = [] if name == _URL else None

    def _characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def _end(self, name: str) -> None:
        if name == _URL and self.stack:
            self.stack[-1].url = "".join(self.text or ())
        self.text = None
        if name not in _SAMPLES:
            return
        closed = self.stack.pop()
        if closed.is_transaction:
            self.transactions += 1
        elif closed.is_part:
            self.parts += 1
        else:
            try:
                self.ready.append(self._request(closed))
            except (ValueError, KeyError, OverflowError):
                self.account.add(UNREADABLE, nbytes=self.parser.CurrentByteIndex - closed.begun_at)

    def _request(self, closed: _Open) -> LoggedRequest:
        values = closed.values
        if _number(values.get("sc")) > 1:
            raise ValueError("several samples in one")
        return LoggedRequest(
            start_us=int(values["ts"]) * 1000,
            took_us=int(values["t"]) * 1000,
            code=values.get("rc", ""),
            success=is_true(values["s"]),
            label=values.get("lb", ""),
            message=values.get("rm", ""),
            url=closed.url,
            thread=values.get("tn", ""),
            nbytes=_number(values.get("by")),
            sent_bytes=_number(values.get("sby")),
            latency_us=_number(values.get("lt")) * 1000,
            connect_us=_number(values.get("ct")) * 1000,
            users=_number(values.get("na")) or 1,
            identity=Identity(values.get("backend", ""), values.get("balancer", ""), _answered_by(values)),
        )


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() else 0


def _answered_by(values: Mapping[str, str]) -> AnsweredBy:
    """Return the origin of the response, from `answered_by`; without it, from the names, as `columns.py` does."""
    backend, balancer = values.get("backend"), values.get("balancer")
    if "answered_by" in values or not (backend or balancer):
        return next((one for one in AnsweredBy if one == values.get("answered_by")), AnsweredBy.UNKNOWN)
    if not re.fullmatch("[0-9]{3}", values.get("rc", "")):
        return AnsweredBy.NONE
    return AnsweredBy.BACKEND if backend else AnsweredBy.BALANCER


def _read(path: Path, account: Account) -> Iterator[LoggedRequest]:
    head = head_of_text(path)
    reader = _XmlReader(account, is_decoded=_DECODED.search(head.first) is not None)
    with path.open("rb") as file:
        while True:
            piece = file.read(_PIECE)
            try:
                reader.parser.Parse(piece, not piece)
            except (expat.ExpatError, LookupError, ValueError) as error:  # the last two come from its encoding
                account.damage.append(
                    f"{path.name}: the XML is damaged or cut off: {error}; what comes behind is missing"
                )
                piece = b""
            yield from reader.ready
            reader.ready.clear()
            if not piece:
                break
    if reader.transactions:
        account.notes.append(f"{path.name}: {reader.transactions:,} Transaction Controllers are not counted")
    if reader.parts:
        account.notes.append(
            f"{path.name}: {reader.parts:,} parts of requests (redirects, embedded resources) are not counted apart"
        )
    if reader.unnamed:
        account.damage.append(
            f"{path.name}: {reader.unnamed:,} samples lie in others that have no response message (rm): those may be "
            "Transaction Controllers, which are no requests (jmeter.save.saveservice.response_message=true tells)"
        )


def _claims(head: LogHead) -> bool:
    start = "\n".join(head.lines[:20]).lstrip("\ufeff \t\r\n")
    return start.startswith("<") and "<testResults" in start


FORMAT = Format("JMeter's XML", _claims, _read, ordered=True)
