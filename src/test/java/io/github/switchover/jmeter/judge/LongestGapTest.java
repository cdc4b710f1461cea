package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Span;
import org.junit.jupiter.api.Test;

class LongestGapTest {

    @Test
    void it_is_the_longest_time_between_two_good_answers() {
        assertThat(gap(0, 100, 10, 20, -30, 95, 100)).isEqualTo(new Span(20, 95));
    }

    @Test
    void of_several_that_are_as_long_it_is_the_first() {
        assertThat(gap(0, 30, 10, 20, 30)).isEqualTo(new Span(10, 20));
    }

    @Test
    void one_that_ended_with_the_fault_is_none_of_its() {
        assertThat(gap(90, 100, 10, 90, 99)).isEqualTo(new Span(90, 99));
        assertThat(gap(89, 100, 10, 90, 99)).isEqualTo(new Span(10, 90));
    }

    @Test
    void what_came_after_its_end_is_not_looked_at_and_what_came_with_it_is() {
        assertThat(gap(20, 100, 10, 101)).isEqualTo(new Span(10, 100));
        assertThat(gap(20, 100, 10, 100)).isEqualTo(new Span(10, 100));
        assertThat(gap(20, 100, 100)).isEqualTo(new Span(100, 100));
        assertThat(gap(50, 50, 10)).isNull();
        assertThat(gap(50, 51, 10)).isEqualTo(new Span(10, 51));
    }

    @Test
    void without_a_good_answer_nothing_says_that_there_was_a_service() {
        assertThat(gap(0, 100, -50)).isNull();
        assertThat(gap(0, 100)).isNull();
    }

    /** {@code ends}: of good answers; below 0 of requests that failed. */
    private static Span gap(long sinceUs, long untilUs, long... ends) {
        LongestGap gap = new LongestGap(sinceUs, untilUs);
        for (long end : ends) {
            long endUs = Math.abs(end);
            gap.add(Vectors.sample(endUs, endUs, null, end < 0 ? FailureKind.REFUSED : null, ""));
        }
        return gap.found();
    }
}
