"""What a measuring process is refused for, before it measures."""

import os
from typing import cast

import pytest

from switchover.connections.parent import HeldLoad
from switchover.connections.spec import HeldSpec
from switchover.model.errors import SwitchoverError, UsageError
from switchover.process.measuring_child import read_spec_line


class NoSpec:
    longest_s = 0.0

    def to_json(self) -> str:
        return "{}"


def test_a_process_that_cannot_begin_says_why_in_its_own_words() -> None:
    with pytest.raises(SwitchoverError, match="no usable spec for the held connections"):
        HeldLoad.start(cast(HeldSpec, NoSpec()))


def test_a_spec_that_is_no_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = iter([b"\xff\xfe", b"\n"])
    monkeypatch.setattr(os, "read", lambda _fd, _most: next(pieces))
    with pytest.raises(UsageError, match="the spec for the held connections is no UTF-8"):
        read_spec_line("held connections")
