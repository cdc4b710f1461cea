"""Secrets stay out of what is printed and recorded."""

import json
from pathlib import Path

import pytest

from switchover.drill.conduct import target_facts
from switchover.model.errors import TargetError
from switchover.model.redaction import (
    escape_controls,
    public_message,
    public_text,
    public_url,
    requested_url,
)
from switchover.target.model import Endpoint, Target
from switchover.target.reader import load_target


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://lb1:8404/stats;csv", "http://lb1:8404/stats;csv"),
        ("http://user:s3cret@lb1/stats", "http://lb1/stats"),
        ("http://user:s3/cr@et@lb1/stats", "http://lb1/stats"),
        ("http://user:s3?cret@lb1/stats", "http://lb1/stats"),
        ("http://vip/a?token=s3cret&x=s3cret#s3cret", "http://vip/a?token=***&x=***"),
        ("http://vip/?s3cret", "http://vip/?***"),
        ("http://vip/?", "http://vip/?***"),
    ],
)
def test_a_url_is_shown_without_what_may_be_secret(url: str, shown: str) -> None:
    assert public_url(url) == shown


@pytest.mark.parametrize(
    "text", ["htp:/user:s3cret@lb1", "user:s3cret@lb1", "ftp://user:s3/cret@lb1", "user:\ns3\ncret@lb1"]
)
def test_what_is_no_url_may_hold_a_password_all_the_same(text: str) -> None:
    assert "s3" not in public_text(text) and "lb1" in public_text(text)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://vip/users/joe@example.org//x@y", "http://vip/users/joe@example.org//x@y"),
        ("http://user:s3cret@vip/joe@example.org?mail=joe@s3cret#s3cret", "http://vip/joe@example.org?mail=***"),
        ("//user:s3cret@vip/", "//vip/"),
        ("/a//s3@b", "/a//s3@b"),
        ("http://user:s3cret@vip/to/http://joe@x/", "http://vip/to/http://joe@x/"),
        ("/?a=s3cret&s3cret&b=", "/?a=***&***&b=***"),
        ("/?a=s3cret=s3cret", "/?a=***"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_a_url_that_was_asked_for_keeps_its_path(url: str, shown: str) -> None:
    assert requested_url(url) == shown


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("URL http://vip/a?token=s3cret: code=500", "URL http://vip/a?token=***: code=500"),
        (
            "Max retries exceeded with url: /a?b=s3cret&s3 (Caused by x)",
            "Max retries exceeded with url: /a?b=***&*** (Caused by x)",
        ),
        ("for url: 'http://user:s3cret@vip/a'", "for url: 'http://vip/a'"),
        ("is it up? no", "is it up? no"),
        ("mail joe@example.org", "mail joe@example.org"),
        ("wrong?", "wrong?"),
    ],
)
def test_a_message_that_quotes_a_url_tells_no_more_than_the_url(message: str, shown: str) -> None:
    assert public_message(message) == shown


@pytest.mark.parametrize(
    "text",
    [
        '[target]\nurl = "htp://user:s3cret@vip/"',
        '[target]\nurl = "http://user:s3cret@vip/"',
        '[target]\nurl = "http://vip:x/?s3cret"',
        '[target]\nurl = "http://vip/"\n[[node]]\nname = "lb1"\nrole = "balancer"\nhaproxy = "ftp://u:s3cret@lb1"',
        '[target]\nurl = "http://vip/"\n[[node]]\nname = "lb1"\nrole = "balancer"\nnginx = {url = "s3cret"}',
        '[target]\nurl = "http://vip/"\n[[node]]\nname = "lb1"\nrole = "balancer"\nclock = ["ssh", 5, "s3cret"]',
        '[target]\nurl = "http://vip/"\n[fault.mine]\nkill = "curl -H s3cret"',
        '[target]\nurl = "http://vip/"\n[influx]\nurl = "http://i/"\ntoken = ["s3cret"]',
    ],
)
def test_a_complaint_about_a_target_file_repeats_no_secret(tmp_path: Path, text: str) -> None:
    path = tmp_path / "target.toml"
    path.write_text(text)
    with pytest.raises(TargetError) as caught:
        load_target(path)
    assert "s3cret" not in str(caught.value)


def test_the_url_in_run_json_has_no_query_values() -> None:
    facts = json.dumps(target_facts(Target(Endpoint("http://vip/a?token=s3cret"))))
    assert "http://vip/a?token=***" in facts and "s3cret" not in facts


def test_what_a_terminal_would_take_for_a_command_is_shown_as_text() -> None:
    assert escape_controls("a\x1b[2J\x9b\u202eb\tc\n") == "a\\x1b[2J\\x9b\\u202eb\tc\n"
