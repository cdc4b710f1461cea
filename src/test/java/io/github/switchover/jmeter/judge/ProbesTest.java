package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the probes tell one by one: what each proves, and for how long nothing was sent. */
class ProbesTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'sent in time, just before',                                      40000, 40050, 40100",
        "'sent late, just before',                                         38999, 40000, 0",
        "'sent a whole millisecond late, which is usual',                  39000, 40000, 40100",
        "'sent late, more than a millisecond before: all was read since',  30000, 39099, 40100",
        "'sent late, a millisecond before',                                30000, 39100, 0",
        "'overdue, and not yet sent',                                      39099, 40200, 0",
        "'due for a millisecond, and not yet sent',                        39100, 40200, 40100"
    })
    void an_answer_that_a_held_up_prober_read_proves_no_more_than_its_question(
            String name, long dueUs, long sentUs, long provesUs) {
        List<Probe> probes =
                List.of(new Probe(0, 40_100, 0, Outcome.GOOD), new Probe(sentUs, sentUs + 300, dueUs, Outcome.FAILED));
        assertThat(new GapFinder.ProvedAlive(probes).by(40_100)).isEqualTo(provesUs);
    }

    @Test
    void what_was_sent_when_an_answer_was_read_was_sent_before() {
        List<Probe> probes = List.of(
                new Probe(0, 40_100, 0, Outcome.GOOD),
                new Probe(40_100, 40_200, 40_050, Outcome.FAILED),
                new Probe(40_100, 40_300, 39_000, Outcome.FAILED));
        assertThat(new GapFinder.ProvedAlive(probes).by(40_100)).isZero();
    }

    @Test
    void an_answer_proves_no_less_than_those_that_were_read_before_it() {
        List<Probe> probes = List.of(
                new Probe(0, 40_000, 0, Outcome.GOOD),
                new Probe(10, 50_000, 10, Outcome.GOOD),
                new Probe(49_900, 50_000, 39_000, Outcome.GOOD),
                new Probe(50_000, 90_000, 50_000, Outcome.LATE));
        GapFinder.ProvedAlive proved = new GapFinder.ProvedAlive(probes);
        assertThat(proved.by(40_000)).isEqualTo(40_000);
        assertThat(proved.by(50_000)).isEqualTo(49_900);
    }

    @Test
    void the_usual_time_to_answer_is_the_99th_percentile_of_good_answers_before() {
        List<Probe> probes = new ArrayList<>();
        LongStream.rangeClosed(1, 200).forEach(took -> probes.add(new Probe(7_000, 7_000 + took, 7_000, Outcome.GOOD)));
        probes.add(new Probe(7_000, 7_150, 7_000, Outcome.LATE));
        probes.add(new Probe(7_000, 7_150, 7_000, Outcome.FAILED));
        probes.add(new Probe(7_000, 7_201, 7_000, Outcome.GOOD));
        assertThat(Probe.usualUs(probes, 7_200)).isEqualTo(198);
        assertThat(Probe.usualUs(probes, 7_100)).isEqualTo(99);
        assertThat(Probe.usualUs(probes, 7_001)).isEqualTo(1);
        assertThat(Probe.usualUs(probes, 7_000)).isNull();
    }

    @Test
    void probes_are_of_one_stream_in_the_order_in_which_they_were_sent_less_what_was_not() {
        List<Sample> samples = List.of(
                Vectors.sample(9, 12, 4L, null, "fresh"),
                Vectors.sample(5, 9, null, FailureKind.RESET, "fresh"),
                Vectors.sample(5, 8, null, null, "fresh"),
                Vectors.sample(6, 106, null, null, "fresh"),
                Vectors.sample(7, 8, null, FailureKind.GENERATOR, "fresh"),
                Vectors.sample(1, 2, null, null, "kept"));
        assertThat(Probe.fresh(samples, 99))
                .containsExactly(
                        new Probe(5, 8, 5, Outcome.GOOD),
                        new Probe(5, 9, 5, Outcome.FAILED),
                        new Probe(6, 106, 6, Outcome.LATE),
                        new Probe(9, 12, 4, Outcome.GOOD));
    }

    @Test
    void without_a_probe_all_of_it_was_unseen() {
        assertThat(Unseen.longest(sent(), 5, 25, List.of())).isEqualTo(new Span(5, 25));
        assertThat(Unseen.longest(sent(), 5, 5, List.of())).isEqualTo(new Span(5, 5));
        assertThat(Unseen.longest(sent(), 25, 5, List.of())).isEqualTo(new Span(25, 25));
        assertThat(Unseen.longest(sent(), 5, 25, List.of(new Span(0, 30)))).isEqualTo(new Span(5, 5));
    }

    @Test
    void the_longest_stretch_is_between_two_sends_within_and_the_first_of_those_that_are_as_long() {
        assertThat(Unseen.longest(sent(0, 10, 20, 25), 0, 30, List.of())).isEqualTo(new Span(0, 10));
        assertThat(Unseen.longest(sent(0, 3, 20, 99), 0, 30, List.of())).isEqualTo(new Span(3, 20));
        assertThat(Unseen.longest(sent(0, 3, 20, 30), 0, 60, List.of())).isEqualTo(new Span(30, 60));
        assertThat(Unseen.longest(sent(), 0, 30, List.of(new Span(10, 20)))).isEqualTo(new Span(0, 10));
        assertThat(Unseen.longest(sent(4), 0, 30, List.of(new Span(10, 30)))).isEqualTo(new Span(4, 10));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"1000, 50000", "5000, 50000", "5001, 50010", "-, 50000"})
    void ten_intervals_or_50_ms_are_tolerated(Double intervalUs, double toleratedUs) {
        assertThat(Unseen.toleratedUs(intervalUs)).isEqualTo(toleratedUs);
    }

    private static List<Probe> sent(long... times) {
        return Arrays.stream(times)
                .mapToObj(at -> new Probe(at, at + 1, at, Outcome.GOOD))
                .toList();
    }
}
