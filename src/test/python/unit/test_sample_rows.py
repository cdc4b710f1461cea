"""Rows made many at a time are, byte for byte, those that are made one by one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from switchover.identity import AnsweredBy, Identity
from switchover.sample_rows import RowPattern, format_rows
from switchover.samples import Sample, format_sample, quote

texts = st.text(max_size=12) | st.sampled_from(['say "hi"', "a,b", "line\r\nline", "", "é", "\ud800"])
counts = st.integers(0, 5000) | st.integers(0, 2**40)


@st.composite
def good_samples(draw: st.DrawFn) -> Sample:
    start_us = draw(st.integers(1_000_000, 2**50))
    took_us = draw(st.integers(0, 10_000) | st.integers(0, 2**40))
    return Sample(
        start_us=start_us,
        end_us=start_us + took_us,
        intended_us=None,
        label=draw(texts),
        code=draw(st.sampled_from(["200", "503", ""])),
        message=draw(texts),
        thread=draw(texts),
        success=True,
        failure_message="",
        nbytes=draw(counts),
        sent_bytes=draw(counts),
        url=draw(texts),
        latency_us=draw(st.integers(0, took_us)),
        connect_us=draw(st.just(0) | st.integers(0, took_us)),
        identity=Identity(draw(texts), draw(texts), draw(st.sampled_from(AnsweredBy))),
        error=None,
        attempts=draw(st.integers(0, 12)),
        stream=draw(st.sampled_from(["fresh", "kept", ""])),
        session=draw(st.sampled_from(["", "0123456789abcdef"])),
        users=7,
    )


@settings(max_examples=300, deadline=None)
@given(st.lists(good_samples(), max_size=4))
def test_rows_of_many_are_the_rows_of_each(samples: list[Sample]) -> None:
    rows = [
        (
            RowPattern(sample),
            quote(sample.thread),
            sample.start_us,
            sample.end_us - sample.start_us,
            sample.latency_us,
            sample.connect_us,
            sample.nbytes,
            sample.sent_bytes,
            quote(sample.url),
            sample.session,
        )
        for sample in samples
    ]
    expected = [f"{format_sample(sample)}\n".encode("utf-8", "replace") for sample in samples]
    assert format_rows(rows, 7) == expected
