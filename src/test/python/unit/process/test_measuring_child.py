"""What a measuring process is refused for, before it measures."""

import os

import pytest

from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError, UsageError
from switchover.process.measuring_child import MeasuringChild, read_spec_line


def test_a_process_that_cannot_begin_says_why_in_its_own_words() -> None:
    with (
        MeasuringChild("switchover.patient", "patient load", Clock.of_process(), lambda message: None) as child,
        pytest.raises(SwitchoverError, match="the patient load was given no usable spec"),
    ):
        child.begin("{}")


def test_a_spec_that_is_no_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = iter([b"\xff\xfe", b"\n"])
    monkeypatch.setattr(os, "read", lambda _fd, _most: next(pieces))
    with pytest.raises(UsageError, match="the patient load was given a spec that is no UTF-8"):
        read_spec_line("patient load")
