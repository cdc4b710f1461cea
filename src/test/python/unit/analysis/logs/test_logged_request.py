"""The record that every format makes of a line: which times can be, and what a reason is."""

import pytest

from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.model.failure_kind import FailureKind

REFUSED = "Connection refused"
LAST_US = 9_223_372_036_854_775
"""The last microsecond whose nanoseconds are a signed number of 64 bits."""


@pytest.mark.parametrize(
    ("start_us", "took_us", "kept"),
    [
        (0, 1, (0, 1)),
        (-(2**70), 1, (-1, 1)),
        (5, -(2**70), (5, -1)),
        (LAST_US, 0, (LAST_US, 0)),
        (2**70, 2**70, (LAST_US + 1, LAST_US + 1)),
    ],
)
def test_times_that_cannot_be_stay_so_and_fit_into_a_table(
    start_us: int, took_us: int, kept: tuple[int, int]
) -> None:
    clamped = LoggedRequest(start_us=start_us, took_us=took_us).clamp()
    assert (clamped.start_us, clamped.took_us) == kept


def test_counts_are_kept_within_what_can_be_added_up() -> None:
    checked = LoggedRequest(start_us=0, nbytes=-1, sent_bytes=2**62 + 1, users=2**62).clamp()
    assert (checked.nbytes, checked.sent_bytes, checked.users) == (0, 2**62, 2**62)
    checked = LoggedRequest(start_us=0, nbytes=2**70, sent_bytes=7, users=0).clamp()
    assert (checked.nbytes, checked.sent_bytes, checked.users) == (2**62, 7, 0)


def test_a_reason_that_the_log_names_outranks_code_and_message() -> None:
    assert LoggedRequest(start_us=0, success=False, message=REFUSED).kind is FailureKind.REFUSED
    named = LoggedRequest(start_us=0, success=False, message=REFUSED, error=FailureKind.RESET)
    assert named.kind is FailureKind.RESET
    assert LoggedRequest(start_us=0, message=REFUSED, error=FailureKind.RESET).kind is None, "it is good"
