"""The record that every format makes of a line: which times can be, and what a reason is."""

from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.model.failure_kind import FailureKind

REFUSED = "Connection refused"
LAST_US = 9_223_372_036_854_775
"""The last microsecond whose nanoseconds are a signed number of 64 bits."""


def test_a_reason_that_the_log_names_outranks_code_and_message() -> None:
    assert LoggedRequest(start_us=0, success=False, message=REFUSED).kind is FailureKind.REFUSED
    named = LoggedRequest(start_us=0, success=False, message=REFUSED, error=FailureKind.RESET)
    assert named.kind is FailureKind.RESET
    assert LoggedRequest(start_us=0, message=REFUSED, error=FailureKind.RESET).kind is None, "it is good"
