"""JMeter's XML. A sample inside a transaction is a request. A sample inside a request is a part of that request."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, iterparse, tostring

from switchover.evidence.logs.format import UNREADABLE, Account, Format, LoggedRequest, LogHead, head_of_text, is_true
from switchover.model.errors import RunDirectoryError
from switchover.model.identity import AnsweredBy, Identity

_SAMPLES = ("sample", "httpSample")
_ROOT = "<testResults"
_TRANSACTION_OF = "Number of samples in transaction : "


def _is_transaction(sample: Element) -> bool:
    return sample.get("rm", "").startswith(_TRANSACTION_OF)


def _request(sample: Element) -> LoggedRequest:
    values = sample.attrib
    if _number(values.get("sc")) > 1:
        raise ValueError("several samples in one element")
    return LoggedRequest(
        start_us=int(values["ts"]) * 1000,
        took_us=int(values["t"]) * 1000,
        code=values.get("rc", ""),
        success=is_true(values["s"]),
        label=values.get("lb", ""),
        message=values.get("rm", ""),
        url=sample.findtext("java.net.URL", ""),
        thread=values.get("tn", ""),
        nbytes=_number(values.get("by")),
        identity=Identity(values.get("backend", ""), values.get("balancer", ""), _answered_by(values)),
    )


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() else 0


def _answered_by(values: Mapping[str, str]) -> AnsweredBy:
    """Return the attribute `answered_by`. Without this attribute, derive the value as `columns.py` does."""
    backend, balancer = values.get("backend"), values.get("balancer")
    if "answered_by" in values or not (backend or balancer):
        return next((origin for origin in AnsweredBy if origin == values.get("answered_by")), AnsweredBy.UNKNOWN)
    if not re.fullmatch("[0-9]{3}", values.get("rc", "")):
        return AnsweredBy.NONE
    return AnsweredBy.BACKEND if backend else AnsweredBy.BALANCER


def _read(path: Path, account: Account) -> Iterator[LoggedRequest]:
    if "<!" in _beginning(head_of_text(path)).partition(_ROOT)[0]:
        raise RunDirectoryError("this XML log declares entities, so JMeter did not write it")
    counts = Counter[str]()
    try:
        yield from _samples(path, account, counts)
    except (ParseError, LookupError, ValueError) as error:  # LookupError, ValueError: an unknown or wrong encoding
        account.damage.append(f"{path.name}: the XML is damaged or cut off: {error}; the rest of the log is missing")
    if counts["transactions"]:
        account.notes.append(f"{path.name}: {counts['transactions']:,} Transaction Controllers are not counted")
    if counts["parts"]:
        account.notes.append(
            f"{path.name}: {counts['parts']:,} parts of requests (redirects, embedded resources) are not counted"
        )
    if counts["unnamed"]:
        account.damage.append(
            f"{path.name}: {counts['unnamed']:,} samples have a parent sample without a response message (rm). "
            "The parent samples may be Transaction Controllers, which are no requests. To distinguish Transaction "
            "Controllers from requests, set jmeter.save.saveservice.response_message=true"
        )


def _samples(path: Path, account: Account, counts: Counter[str]) -> Iterator[LoggedRequest]:
    """Yield the requests. `counts` gets the numbers of transactions, of parts of requests, and of samples whose outer
    sample has no message."""
    above: list[Element] = []
    for event, element in iterparse(path, ("start", "end")):
        if element.tag not in _SAMPLES:
            if event == "start" and not above:
                root = element
            continue
        if event == "start":
            above.append(element)
            continue
        above.pop()
        if above and all(map(_is_transaction, above[:-1])):
            # A Transaction Controller is never an `httpSample`.
            counts["unnamed"] += above[-1].tag == "sample" and "rm" not in above[-1].attrib
        if _is_transaction(element):
            counts["transactions"] += 1
        elif not all(map(_is_transaction, above)):
            counts["parts"] += 1
        else:
            try:
                yield _request(element)
            except (ValueError, KeyError, OverflowError):
                account.add(UNREADABLE, nbytes=len(tostring(element)))
        if not above:
            root.clear()


def _beginning(head: LogHead) -> str:
    return "\n".join(head.lines[:20]).lstrip("\ufeff \t\r\n")


def _claims(head: LogHead) -> bool:
    return _beginning(head).startswith("<") and _ROOT in _beginning(head)


FORMAT = Format("JMeter's XML", _claims, _read, ordered=True)
