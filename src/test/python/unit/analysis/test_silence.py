"""What silence in a balancer's own log says."""

import pytest

from switchover.analysis.silence import least_outage_us


@pytest.mark.parametrize(
    ("silence_us", "usual_us", "resolution_us", "least_us"),
    [
        (9_000_000, 200_000, 0, 3_900_000),
        (9_000_000, 200_000, 1_000_000, 3_400_000),
        (1_200_003, 200_000, 0, 1),
        (1_200_000, 200_000, 0, 0),
        (300_000, 200_000, 0, 0),
    ],
)
def test_an_outage_lasted_half_of_what_is_left_when_a_client_first_waited_a_second(
    silence_us: int, usual_us: int, resolution_us: int, least_us: int
) -> None:
    assert least_outage_us(silence_us, usual_us, resolution_us) == least_us
