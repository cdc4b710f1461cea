"""What a measuring process is refused for, before it measures."""

from typing import cast

import pytest

from switchover.connections.spec import HeldLoad, HeldSpec
from switchover.model.errors import SwitchoverError


class NoSpec:
    longest_s = 0.0

    def to_json(self) -> str:
        return "{}"


def test_a_process_that_cannot_begin_says_why_in_its_own_words() -> None:
    with pytest.raises(SwitchoverError, match="no usable spec for the held connections"):
        HeldLoad(cast(HeldSpec, NoSpec()))
