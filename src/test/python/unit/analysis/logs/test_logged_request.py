"""The record that every format makes of a line: which times can be, and what a reason is."""

import pytest

from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.model.failure_kind import FailureKind

REFUSED = "Connection refused"
LAST_US = 9_223_372_036_854_775
"""The last microsecond whose nanoseconds are a signed number of 64 bits."""


@pytest.mark.parametrize(
    ("start_us", "took_us", "is_possible"),
    [
        (0, 0, True),
        (0, 1, True),
        (-1, 1, False),
        (5, -1, False),
        (LAST_US, 0, True),
        (LAST_US - 9, 9, True),
        (LAST_US, 1, False),
    ],
)
def test_a_request_lies_between_1970_and_the_last_time_that_can_be_kept(
    start_us: int, took_us: int, *, is_possible: bool
) -> None:
    request = LoggedRequest(start_us=start_us, took_us=took_us)
    if is_possible:
        assert request.check() is request
        return
    with pytest.raises(ValueError, match=r"^times out of range$"):
        request.check()


def test_counts_are_kept_within_what_can_be_added_up() -> None:
    checked = LoggedRequest(start_us=0, nbytes=-1, sent_bytes=2**62 + 1, users=2**62).check()
    assert (checked.nbytes, checked.sent_bytes, checked.users) == (0, 2**62, 2**62)
    checked = LoggedRequest(start_us=0, nbytes=2**70, sent_bytes=7, users=0).check()
    assert (checked.nbytes, checked.sent_bytes, checked.users) == (2**62, 7, 0)


def test_a_reason_that_the_log_names_outranks_code_and_message() -> None:
    assert LoggedRequest(start_us=0, success=False, message=REFUSED).kind is FailureKind.REFUSED
    named = LoggedRequest(start_us=0, success=False, message=REFUSED, error=FailureKind.RESET)
    assert named.kind is FailureKind.RESET
    assert LoggedRequest(start_us=0, message=REFUSED, error=FailureKind.RESET).kind is None, "it is good"
