"""What people read of numbers, durations and addresses: the vectors that hold Java to the same characters."""

import math
from typing import Any

import pytest

from support.contract import vectors
from switchover.model.errors import UsageError
from switchover.model.identity import hash_session
from switchover.model.redaction import public_command, public_message, public_text, public_url, requested_url
from switchover.model.units import parse_duration_s


def test_numbers_are_written_as_agreed() -> None:
    for case in vectors("text.json", "numbers"):
        value = float(case["value"])
        assert case == {
            "value": case["value"],
            "repr": repr(value),
            "round3": repr(round(value, 3)),
            "fixed3": f"{value:.3f}",
            "grouped1": f"{value:,.1f}",
            "whole": f"{value:,.0f}",
            "percent": f"{value:.0%}",
            "general": f"{value:g}",
            "general3": f"{value:.3g}",
        }


@pytest.mark.parametrize("case", vectors("text.json", "durations"), ids=lambda case: case["text"] or "empty")
def test_durations_are_read_as_agreed(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(UsageError) as caught:
            parse_duration_s(case["text"])
        assert str(caught.value) == case["error"]
    else:
        assert math.isclose(parse_duration_s(case["text"]), case["seconds"], rel_tol=0)


def test_secrets_are_left_out_as_agreed() -> None:
    for case in vectors("text.json", "urls"):
        text = case["text"]
        assert case == {
            "text": text,
            "public": public_url(text),
            "requested": requested_url(text),
            "anything": public_text(text),
        }
    for case in vectors("text.json", "messages"):
        assert public_message(case["text"]) == case["public"]
    for case in vectors("text.json", "commands"):
        assert public_command(case["arguments"]) == case["public"]
    for case in vectors("text.json", "sessions"):
        assert hash_session(case["value"]) == case["hash"]
