"""The output of `vegeta encode --to csv` and `--to json`. The output of `vegeta attack` is binary."""

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from switchover.evidence.logs.format import Account, Format, LoggedRequest, LogHead, read_requests

_WIDTH = 12


def _claims_csv(head: LogHead) -> bool:
    fields = head.names
    numbers = [fields[place] for place in (0, 1, 2, 3, 4, 8)] if len(fields) == _WIDTH else [""]
    return all(map(str.isdecimal, numbers)) and len(numbers[0]) == 19


def _read_csv(path: Path, account: Account) -> Iterator[LoggedRequest]:
    def parse(line: bytes) -> LoggedRequest:
        fields = next(csv.reader([line.decode("utf-8", "replace")]))
        if len(fields) != _WIDTH:
            raise ValueError("wrong number of columns")
        at, code, took, _, received, error, _, attack, _, method, url, _ = fields
        request = _request(int(at) // 1000, int(code), int(took), error, f"{method} {url}")
        return replace(request, thread=attack, url=url, nbytes=int(received))

    return read_requests(path, account, parse)


def _read_json(path: Path, account: Account) -> Iterator[LoggedRequest]:
    def parse(line: bytes) -> LoggedRequest:
        result = json.loads(line)
        at_us = round(datetime.fromisoformat(result["timestamp"]).timestamp() * 1_000_000)
        url = str(result.get("url", ""))
        label = f"{result.get('method', '')} {url}"
        request = _request(at_us, int(result["code"]), int(result["latency"]), result.get("error") or "", label)
        nbytes = int(result.get("bytes_in", 0))
        return replace(request, thread=str(result.get("attack", "")), url=url, nbytes=nbytes)

    return read_requests(path, account, parse)


def _request(at_us: int, code: int, took_ns: int, error: str, label: str) -> LoggedRequest:
    return LoggedRequest(
        start_us=at_us,
        took_us=took_ns // 1000,
        code=str(code) if code else "",
        success=200 <= code < 400 and not error,
        label=label,
        message=error,
    )


CSV = Format("vegeta's CSV", _claims_csv, _read_csv)
JSON = Format(
    "vegeta's JSON",
    lambda head: {"attack", "seq", "code", "timestamp", "latency"} <= head.json.keys(),
    _read_json,
)
