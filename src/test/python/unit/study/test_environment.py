"""A cell waits for others to leave the machine alone, but not for ever."""

import pytest

from switchover.study import environment


@pytest.mark.parametrize(
    ("looks", "within_s", "expected"),
    [
        ([3.0], 60.0, 3.0),
        ([53.0, 48.0, 9.0], 60.0, 9.0),
        ([53.0, 48.0], 0.0, 53.0),
    ],
    ids=["calm", "calm in the end", "busy for as long as it waits"],
)
def test_a_cell_begins_on_a_calm_machine_or_after_its_wait(
    looks: list[float], within_s: float, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter(looks)
    monkeypatch.setattr(environment, "busy_percent", lambda: next(left))
    assert environment.await_calm(within_s) == expected
