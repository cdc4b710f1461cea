"""Stretches in which no probe was sent: what could have hidden there was not seen."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from switchover.analysis.probes import Probe, in_send_order, longest_unseen
from switchover.model.interval import NO_SPAN, Span
from switchover.model.outcome import Outcome

sends = st.lists(st.integers(-5, 40), max_size=12)
gaps = st.lists(
    st.builds(lambda start, length: Span(start, start + length), st.integers(-5, 40), st.integers(0, 15)), max_size=6
)


@given(sent=sends, since=st.integers(0, 20), until=st.integers(0, 40), away=gaps)
def test_the_longest_stretch_without_a_send_is_no_longer_than_any_outside_of_the_gaps(
    sent: list[int], since: int, until: int, away: list[Span]
) -> None:
    found = longest_unseen(in_send_order(Probe(at, at + 1, Outcome.GOOD) for at in sent), since, until, iter(away))
    if until <= since:
        assert found == Span(since, since)
        return
    times = sorted({since, until, *(at for at in sent if since < at < until)})
    left = [one for ends in pairwise(times) for one in Span(*ends).without(away)]
    assert found.duration_us == max((one.duration_us for one in left), default=0)
    assert found in left or found == Span(since, since)


def test_without_a_probe_all_of_it_was_unseen() -> None:
    assert longest_unseen(in_send_order([]), 5, 25) == Span(5, 25)
    assert longest_unseen(in_send_order([]), 5, 5) == Span(5, 5)
    assert longest_unseen(in_send_order([]), 5, 25, [Span(0, 30)]).duration_us == NO_SPAN.duration_us
