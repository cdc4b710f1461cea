"""Reasons about failed requests name the most common of them, as the vectors say; Java reads the same."""

import pytest

from support.contract import named
from support.request_tables import table_of
from switchover.evidence.requests.table import Requests
from switchover.model.failure_kind import FailureKind
from switchover.rundir.sample_log import Sample
from switchover.verdict.most_failed import most_failed
from synthetic import sample


@pytest.mark.parametrize("case", named("most_failed.json", "cases"))
def test_the_most_common_are_named_as_the_vectors_say(case: dict[str, object]) -> None:
    samples = [one for row in case["requests"] for one in _requests(*row)]  # type: ignore[attr-defined]
    assert most_failed(table_of(samples)) == case["expect"]


def test_a_log_that_was_read_without_its_codes_names_kinds() -> None:
    table = table_of(_requests(False, "status", "503", "/a", 2))
    without = Requests(table.store, f"(SELECT * EXCLUDE (code) FROM {table.source})", set(table.columns) - {"code"})
    assert (most_failed(table), most_failed(without)) == ("503 /a 2 times", "status /a 2 times")


def _requests(success: bool, error: str, code: str, label: str, number: int) -> list[Sample]:
    kind = FailureKind(error) if error else None
    return [sample(1, 2, success=success, error=kind)._replace(code=code, label=label)] * number
