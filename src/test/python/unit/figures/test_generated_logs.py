"""A hundred generated logs of which the truth is known: each is judged right, or with a reason that says why not.

Seeded. A log has an outage or none, failures, transactions, one of many forms, units, delimiters and archives, and
damage or none. What no reader can see (a line that is gone as a whole, a digit that is another) is not among it.
"""

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.request_tables import samples_of
from support.zstd import compress_zstd
from switchover.evidence.log_run import load_logs
from switchover.figures.silences import figure_of, find_silences
from switchover.model.errors import SwitchoverError

BEGIN_MS = 1_767_225_600_000
REFUSED = "Non HTTP response code: java.net.ConnectException", "Connection refused"


@dataclass(frozen=True)
class Request:
    start_ms: int
    took_ms: int
    label: str
    code: str
    success: bool


@dataclass(frozen=True)
class Truth:
    requests: Sequence[Request]
    outage_ms: int


def make_truth(chance: random.Random) -> Truth:
    """A steady load of 20 requests a second for 20 seconds."""
    down_ms = chance.choice([0, 0, 3000, 5000])
    down = range(8000, 8000 + down_ms)
    requests = []
    for number in range(400):
        at = number * 50 + chance.randint(0, 5)
        label = f"page {chance.randint(1, 3)}"
        took = chance.randint(1, 20)
        if at in down or (at < 8000 < at + took + 1 and down_ms):
            requests.append(Request(BEGIN_MS + at, 1, label, "", False))
        elif chance.random() < 0.03:
            requests.append(Request(BEGIN_MS + at, took, label, "503", False))
        else:
            requests.append(Request(BEGIN_MS + at, took, label, "200", True))
    return Truth(requests, down_ms)


STAMPS: dict[str, Callable[[int], str]] = {
    "ms": str,
    "date": lambda ms: f"{datetime.fromtimestamp(ms / 1000, UTC):%Y/%m/%d %H:%M:%S}.{ms % 1000:03}",
}


def jtl(truth: Truth, chance: random.Random) -> list[str]:
    delimiter, stamp = chance.choice([",", ",", ";", "\t"]), STAMPS[chance.choice(list(STAMPS))]
    lines = [
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,URL".replace(",", delimiter)
    ]
    with_transactions = chance.random() < 0.5
    for one in truth.requests:
        code, message = (one.code, "OK" if one.success else "Busy") if one.code else REFUSED
        fields = [stamp(one.start_ms), str(one.took_ms), one.label, code, message, "u 1-1", "text"]
        lines.append(delimiter.join([*fields, str(one.success).lower(), "http://vip/"]))
        if with_transactions and chance.random() < 0.3:
            said = "Number of samples in transaction : 1; number of failing samples : 0".replace(";", ",")
            said = f'"{said}"' if "," in said else said
            fields = [stamp(one.start_ms), str(one.took_ms), "visit", "", said, "u 1-1", ""]
            lines.append(delimiter.join([*fields, str(one.success).lower(), "null"]))
    return lines


def xml(truth: Truth, chance: random.Random) -> list[str]:
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<testResults version="1.2">']
    for one in truth.requests:
        code, message = (one.code, "OK") if one.code else REFUSED
        request = (
            f'<httpSample t="{one.took_ms}" ts="{one.start_ms}" s="{str(one.success).lower()}" lb="{one.label}" '
            f'rc="{code}" rm="{message}"/>'
        )
        if chance.random() < 0.3:
            said = "Number of samples in transaction : 1, number of failing samples : 0"
            request = f'<sample t="9" ts="{one.start_ms}" s="true" lb="visit" rm="{said}">{request}</sample>'
        lines.append(request)
    return [*lines, "</testResults>"]


def locust(truth: Truth, chance: random.Random) -> list[str]:
    header = "timestamp,request_type,name,response_time_ms,response_length,status_code,exception"
    rows = [
        f"{one.start_ms / 1000:.3f},GET,{one.label},{one.took_ms},7,{one.code or 0},"
        f"{'' if one.success else 'HTTPError' if one.code else 'ConnectionRefusedError: Connection refused'}"
        for one in truth.requests
    ]
    return [header, *rows]


def vegeta(truth: Truth, chance: random.Random) -> list[str]:
    return [
        json.dumps(
            {
                "attack": "",
                "seq": number,
                "code": int(one.code or 0),
                "timestamp": f"{datetime.fromtimestamp(one.start_ms / 1000, UTC):%Y-%m-%dT%H:%M:%S}"
                f".{one.start_ms % 1000:03}000000Z",
                "latency": one.took_ms * 1_000_000,
                "error": "" if one.success else "connection refused",
                "method": "GET",
                "url": one.label,
            }
        )
        for number, one in enumerate(truth.requests)
    ]


def gatling(truth: Truth, chance: random.Random) -> list[str]:
    rows = [
        f"REQUEST\t\t{one.label}\t{one.start_ms}\t{one.start_ms + one.took_ms}\t"
        + ("OK\t" if one.success else f"KO\t{'found ' + one.code if one.code else 'Connection refused'}")
        for one in truth.requests
    ]
    return [f"RUN\tsimulation\tid\t{BEGIN_MS}\t\t3.9.5", *rows]


WRITERS = (jtl, jtl, jtl, xml, locust, vegeta, gatling)
PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    bytes, bytes, gzip.compress, compress_zstd,
)  # fmt: skip


def damage(lines: list[str], chance: random.Random) -> str:
    """Damages the lines of a log, and says how."""
    how = chance.choice(["none", "none", "none", "junk", "torn", "joined", "other unit"])
    places = sorted(chance.sample(range(10, len(lines) - 10), chance.randint(5, 40)), reverse=True)
    if how == "junk":
        for place in places:
            lines.insert(place, chance.choice(["\x00\x01\x02", "connection lost", "{", "1,2,3"]))
    elif how == "torn":
        for place in places:
            lines[place] = lines[place][: len(lines[place]) // 3]
    elif how == "joined":
        for place in places:
            lines[place : place + 2] = [lines[place] + lines[place + 1]]
    elif how == "other unit" and "17672256" in lines[-9]:
        lines += [line.replace("17672256", "17", 1) for line in lines[-20:-5]]
    return how


@pytest.mark.parametrize("seed", range(100))
def test_a_log_is_judged_right_or_with_a_reason(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    truth = make_truth(chance)
    lines = chance.choice(WRITERS)(truth, chance)
    is_whole = damage(lines, chance) == "none"
    path = tmp_path / "result.log"
    content = chance.choice(PACKERS)("".join(f"{line}\n" for line in lines).encode())
    if chance.random() < 0.15:
        content = content[: -chance.randint(30, len(content) // 2)]
        is_whole = False
    path.write_bytes(content)
    try:
        data = load_logs([path])
    except SwitchoverError as error:
        assert "\n" not in str(error) and not is_whole
        return
    if data.unread:
        assert not is_whole
        return
    rows = samples_of(data.samples)
    expected = [(one.start_ms * 1000, one.took_ms * 1000, one.label, one.code, one.success) for one in truth.requests]
    found = [
        (
            one.start_us,
            one.end_us - one.start_us,
            one.label.removeprefix("GET "),
            one.code if one.code.isdecimal() else "",
            one.success,
        )
        for one in rows
    ]
    if "last line cut off" in str(data.run.warnings):
        # Where a plain log was cut between two lines nothing can be seen: it ends there, and its figures are of that.
        expected = expected[: len(found)]
    assert found == expected
    kinds = Counter(str(one.error) for one in rows if not one.success)
    assert kinds == Counter(
        "status" if one.code else "refused" for one in truth.requests[: len(found)] if not one.success
    )
    if len(found) == len(truth.requests):
        (whole,) = find_silences(data.samples, data.scope)
        assert figure_of(whole).is_within(truth.outage_ms - 0.001) is not True
        assert figure_of(whole).low <= truth.outage_ms
