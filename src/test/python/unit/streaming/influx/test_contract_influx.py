"""Where points go, what the database's answers mean, and where to go on: the vectors that hold both languages."""

from pathlib import Path
from typing import Any

import pytest

from support.contract import named, vectors
from switchover.model.errors import UsageError
from switchover.rundir.sent_offset import Sent, read_sent, sent_path, write_sent
from switchover.streaming.influx.destination import Credentials, choose_database, parse_destination
from switchover.streaming.influx.writer import Meaning, read_write_result
from switchover.target.model import InfluxSettings


@pytest.mark.parametrize("case", vectors("influx.json", "destinations"), ids=lambda case: case["url"] or "empty")
def test_address_is_read_as_agreed(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(UsageError) as caught:
            parse_destination(case["url"])
        assert str(caught.value) == case["error"]
        assert "secret" not in case["error"]
    else:
        found = parse_destination(case["url"])
        assert (found.url, found.write_path) == (case["to"], case["write"])
        assert parse_destination(found.url) == found


@pytest.mark.parametrize("case", named("influx.json", "choices"))
def test_where_points_go_and_as_whom_is_chosen_as_agreed(case: dict[str, Any]) -> None:
    settings = None if case["file"] is None else InfluxSettings(**case["file"])
    if "error" in case:
        with pytest.raises(UsageError) as caught:
            choose_database(case["url"], settings, case["environment"])
        assert str(caught.value) == case["error"]
        return
    chosen = choose_database(case["url"], settings, case["environment"])
    if chosen is None:
        assert case["to"] is None
    else:
        assert (chosen.destination.url, chosen.credentials) == (case["to"], Credentials(*case["credentials"]))


@pytest.mark.parametrize(
    "case", vectors("influx.json", "answers"), ids=lambda case: f"{case['status']} {case['body'][:60]}"
)
def test_answer_means_what_was_agreed(case: dict[str, Any]) -> None:
    answer = read_write_result(
        case["status"],
        case["body"].encode(),
        retry_after=case.get("retry_after"),
        location=case.get("location"),
    )
    assert answer.meaning == case["meaning"]
    assert answer.refused == case["refused"]
    assert answer.retry_after_s == case["retry_after_s"]
    assert answer.why == case["why"]
    assert answer.too_large == (case["status"] == 413)


@pytest.mark.parametrize(
    "body", [b"\xff\xfe{", b"[" * 100_000, b'{"error": {"a": 1}}', b'{"data": [1], "error": null}']
)
@pytest.mark.parametrize("status", [400, 401, 500])
def test_no_body_disturbs_the_reader(status: int, body: bytes) -> None:
    assert read_write_result(status, body).meaning is Meaning.WAIT


@pytest.mark.parametrize("case", named("influx.json", "sent"))
def test_goes_on_as_agreed(case: dict[str, Any], tmp_path: Path) -> None:
    journal = tmp_path / "journal.lp"
    sent_path(journal).write_text(case["text"], encoding="utf-8")
    to = vectors("influx.json", "to")
    expected = Sent(to, case["offset"], case["points"], case["refused"])
    assert read_sent(journal, to, case["size"]) == expected


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    journal = tmp_path / "journal.lp"
    sent = Sent("http://influx:8086?db=d", 0, 0, 0).after(100, points=3, refused=1).after(20, points=1)
    write_sent(journal, sent)
    assert read_sent(journal, sent.to, 120) == Sent(sent.to, 120, 4, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["journal.lp.sent"]
