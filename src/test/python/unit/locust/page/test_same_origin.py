"""Only the page itself may ask for a fault."""

from secrets import token_urlsafe

import pytest

from switchover.locust.page.request_checks import is_foreign, refusal

HOST = "locust.example:8089"
TOKEN = token_urlsafe(32)
ASKED = {"X-Switchover-Token": TOKEN, "Content-Type": "application/json", "Origin": f"http://{HOST}"}


@pytest.mark.parametrize(
    "headers",
    [
        ASKED,
        ASKED | {"Content-Type": "application/json; charset=utf-8"},
        ASKED | {"Sec-Fetch-Site": "same-origin"},
        ASKED | {"Origin": f"https://{HOST}"},
        ASKED | {"Origin": "https://behind.a.proxy", "Sec-Fetch-Site": "same-origin"},
    ],
    ids=["plain", "charset", "modern", "TLS ends before", "a proxy renames the host"],
)
def test_the_page_is_trusted(headers: dict[str, str]) -> None:
    assert refusal(headers, HOST, TOKEN) is None


@pytest.mark.parametrize(
    "headers",
    [
        {},
        ASKED | {"X-Switchover-Token": ""},
        ASKED | {"X-Switchover-Token": token_urlsafe(32)},
        ASKED | {"X-Switchover-Token": "ä"},
        ASKED | {"Content-Type": "text/plain"},
        ASKED | {"Content-Type": "application/x-www-form-urlencoded"},
        ASKED | {"Origin": "http://evil.example"},
        ASKED | {"Origin": "http://locust.example:8090"},
        ASKED | {"Origin": "null"},
        ASKED | {"Origin": "http://[broken"},
        ASKED | {"Sec-Fetch-Site": "cross-site"},
        ASKED | {"Sec-Fetch-Site": "same-site"},
        {name: value for name, value in ASKED.items() if name != "Origin"},
    ],
)
def test_everybody_else_is_refused(headers: dict[str, str]) -> None:
    assert "refused" in (refusal(headers, HOST, TOKEN) or "")


def test_what_no_browser_sent_is_neither_foreign_nor_ours() -> None:
    assert is_foreign({}, HOST) is None
    assert is_foreign({"Origin": f"http://{HOST}"}, HOST) is False
    assert is_foreign({"Origin": "null"}, HOST) is True
    assert is_foreign({"Sec-Fetch-Site": "same-site"}, HOST) is True
