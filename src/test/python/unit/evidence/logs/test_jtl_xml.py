"""JMeter's XML: which samples are requests, what each attribute says, and where it ends too early."""

from pathlib import Path
from typing import Any

import pytest

from support.foreign_logs import is_claimed, read_log, requests_of
from switchover.evidence.logs.format import UNREADABLE, Account, LoggedRequest
from switchover.evidence.logs.jtl_xml import FORMAT
from switchover.model.errors import RunDirectoryError
from switchover.model.identity import AnsweredBy, Identity

AT_MS = 1_767_225_600_250
BEGIN, END = '<?xml version="1.0" encoding="UTF-8"?>\n<testResults version="1.2">', "</testResults>"
TRANSACTION = "Number of samples in transaction : 1, number of failing samples : 0"
HEAD = tuple(BEGIN.split("\n"))


def sample(*inner: str, tag: str = "httpSample", **values: Any) -> str:
    """A sample with its least attributes, and others; without those that are None."""
    values = {"t": 20, "ts": AT_MS, "s": "true"} | values
    given = " ".join(f'{name}="{value}"' for name, value in values.items() if value is not None)
    return f"<{tag} {given}>{''.join(inner)}</{tag}>"


def labels_of(folder: Path, *samples: str) -> tuple[list[str], Account]:
    requests, account = read_log(FORMAT, folder, BEGIN, *samples, END)
    return [request.label for request in requests], account


def test_a_sample_has_what_its_attributes_say(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "lt": 15, "ct": 3, "lb": "home", "rc": 200, "rm": "OK", "tn": "u 1-1", "by": 900, "sby": 90, "na": 4,
        "sc": 1, "ec": 0, "backend": "web1", "tenant": "a&amp;b", "balancer": "lb1", "answered_by": "backend",
    }  # fmt: skip
    url = f"http://vip/?{'x' * 20_000}&amp;y"
    written = sample("<responseData>text</responseData>", f"<java.net.URL>{url}</java.net.URL>\n", **values)
    least = sample(s="false", na="many", lt="-1", answered_by="somebody")
    assert requests_of(FORMAT, tmp_path, BEGIN, written, least, END) == [
        LoggedRequest(
            start_us=AT_MS * 1000,
            took_us=20_000,
            code="200",
            label="home",
            message="OK",
            url=url.replace("&amp;", "&"),
            thread="u 1-1",
            nbytes=900,
            identity=Identity("web1", "lb1", AnsweredBy.BACKEND),
        ),
        LoggedRequest(start_us=AT_MS * 1000, took_us=20_000, success=False),
    ]


@pytest.mark.parametrize(
    ("values", "origin"),
    [
        ({"backend": "web1", "rc": 200}, AnsweredBy.BACKEND),
        ({"balancer": "lb1", "rc": 503}, AnsweredBy.BALANCER),
        ({"backend": "web1", "rc": "Non HTTP"}, AnsweredBy.NONE),
        ({"rc": 200}, AnsweredBy.UNKNOWN),
    ],
)
def test_a_sample_without_its_origin_has_the_origin_that_its_names_show(
    values: dict[str, Any], origin: AnsweredBy, tmp_path: Path
) -> None:
    several = sample(sc=2)
    ((found,), account) = read_log(FORMAT, tmp_path, BEGIN, several, sample(**values), END)
    assert found.identity.answered_by == origin
    assert account.reasons == {UNREADABLE: 1} and 0 < account.lost_bytes <= len(several), "several samples"


def test_samples_in_a_transaction_are_requests_and_those_in_a_request_its_parts(tmp_path: Path) -> None:
    part = sample(sample(lb="part of a part", rm=TRANSACTION), sample(lb="another"), lb="part")
    inner = sample(sample(lb="in two"), tag="sample", lb="inner", rm=TRANSACTION)
    outer = sample(sample(part, lb="in one"), inner, tag="sample", lb="outer", rm=TRANSACTION)
    labels, account = labels_of(tmp_path, outer, sample(lb="alone"))
    assert labels == ["in one", "in two", "alone"] and account.damage == []
    assert account.notes == [
        "result.out: 3 Transaction Controllers are not counted",
        "result.out: 2 parts of requests (redirects, embedded resources) are not counted",
    ]


def test_a_sample_without_a_message_around_others_may_be_a_transaction(tmp_path: Path) -> None:
    _, account = labels_of(tmp_path, sample(sample(sample()), sample(tag="sample"), tag="sample"))
    assert account.damage == [
        "result.out: 2 samples have a parent sample without a response message (rm). The parent samples may be "
        "Transaction Controllers, which are no requests. To distinguish Transaction Controllers from requests, set "
        "jmeter.save.saveservice.response_message=true"
    ]
    _, account = labels_of(tmp_path, sample(sample()), sample(sample(), tag="sample", rm="OK"))
    assert account.damage == []


@pytest.mark.parametrize(
    ("declared", "encoding", "label"),
    [("UTF-8", "utf-8", "caf\xe9"), ("ISO-8859-1", "latin-1", "caf\xe9")],
)
def test_text_is_read_as_the_log_declares(declared: str, encoding: str, label: str, tmp_path: Path) -> None:
    path = tmp_path / "result.out"
    path.write_bytes("\n".join((BEGIN.replace("UTF-8", declared), sample(lb=label), END)).encode(encoding))
    assert [request.label for request in FORMAT.read(path, Account())] == [label]


@pytest.mark.parametrize(
    ("text", "read", "why"),
    [
        (f"{BEGIN}{sample()}{sample()}", 2, "no element found"),
        (f"{BEGIN}{sample()}<b></c>{sample()}", 1, "mismatched tag"),
        (BEGIN.replace("UTF-8", "no-such"), 0, "unknown encoding"),
    ],
)
def test_xml_is_read_to_where_it_is_damaged(text: str, read: int, why: str, tmp_path: Path) -> None:
    requests, account = read_log(FORMAT, tmp_path, text)
    assert len(requests) == read
    (damage,) = account.damage
    assert damage.startswith(f"result.out: the XML is damaged or cut off: {why}")
    assert damage.endswith("; the rest of the log is missing")


def test_entities_are_refused(tmp_path: Path) -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><testResults><sample lb="&b;"/></testResults>'
    with pytest.raises(RunDirectoryError) as raised:
        read_log(FORMAT, tmp_path, bomb)
    assert str(raised.value) == "this XML log declares entities, so JMeter did not write it"


@pytest.mark.parametrize(
    ("lines", "claimed"),
    [
        (HEAD, True),
        (("", "\ufeff \t\r", "<testResults>"), True),
        (("<?xml?>", *[""] * 18, "<testResults>"), True),
        (("<?xml?>", *[""] * 19, "<testResults>"), False),
        (("text <testResults>",), False),
        (("X<testResults>",), False),
        (("<html>",), False),
    ],
)
def test_a_log_is_xml_where_it_begins_with_results(lines: tuple[str, ...], *, claimed: bool) -> None:
    assert is_claimed(FORMAT, *lines) is claimed
