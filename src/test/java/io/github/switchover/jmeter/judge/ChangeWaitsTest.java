package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Sample.SampleRequest;
import io.github.switchover.jmeter.judge.ChangeWaits.Waited;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much longer requests waited because of a change than between the changes. */
class ChangeWaitsTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "100, 1, 40, 60",
                "8, 1, 1, 7",
                "7, 1, 0, -",
                "4, 1, 0, -",
                "1, 1, 0, -",
                "100, 10, 90, -",
                "1000, 10, 936, 964"
            })
    void the_same_percentile_between_the_changes_has_a_95_percent_interval(
            int between, int during, double low, Double high) {
        ChangeWaits waits = new ChangeWaits(1);
        for (int us = 0; us < between; us++) {
            waits.add(request("", us), -1);
        }
        for (int number = 0; number < during; number++) {
            waits.add(request("", 5000), 0);
        }
        assertThat(waits.found()).extracting(Waited::usual).containsExactly(new Interval(low, high));
        assertThat(waits.found()).extracting(Waited::longestUs).containsExactly(5000L);
    }

    @Test
    void the_longest_of_each_change_is_known_also_where_it_took_no_time() {
        ChangeWaits waits = new ChangeWaits(3);
        waits.add(request("", 10), -1);
        waits.add(request("", 0), 0);
        waits.add(request("", 7), 2);
        waits.add(request("", 3), 2);
        assertThat(waits.found()).extracting(Waited::longestOf).containsExactly(Map.of(0, 0L, 2, 7L));
    }

    @Test
    void labels_without_answers_on_both_sides_and_requests_that_failed_tell_nothing() {
        ChangeWaits waits = new ChangeWaits(1);
        waits.add(request("before", 10), -1);
        waits.add(request("within", 10), 0);
        waits.add(Vectors.sample(0, 10, null, FailureKind.REFUSED, ""), 0);
        waits.add(Vectors.sample(0, 10, null, FailureKind.REFUSED, ""), -1);
        assertThat(waits.found()).isEmpty();
    }

    @Test
    void the_hundred_most_common_labels_are_looked_at_and_the_most_common_one_comes_first() {
        ChangeWaits waits = new ChangeWaits(1);
        for (int label = 0; label < 101; label++) {
            waits.add(request("/" + (1000 + label), 10), -1);
            waits.add(request("/" + (1000 + label), label), 0);
        }
        waits.add(request("/1100", 10), -1);
        assertThat(waits.found()).hasSize(100);
        assertThat(waits.found())
                .extracting(Waited::longestUs)
                .startsWith(100L, 0L, 1L)
                .doesNotContain(99L);
    }

    @Test
    void what_a_change_added_lies_between_the_ends_of_what_is_usual() {
        assertThat(new Waited(100, new Interval(20, 30.0), Map.of()).caused()).isEqualTo(new Interval(70, 80.0));
        assertThat(new Waited(25, new Interval(20, 30.0), Map.of()).caused()).isEqualTo(new Interval(0, 5.0));
        assertThat(new Waited(10, new Interval(20, 30.0), Map.of()).caused()).isEqualTo(new Interval(0, 0.0));
        assertThat(new Waited(100, new Interval(20, null), Map.of()).caused()).isEqualTo(new Interval(0, 80.0));
    }

    @Test
    void a_wait_is_delayed_that_is_longer_than_what_is_usual() {
        Waited waited = new Waited(31, new Interval(20, 30.0), Map.of(0, 30L, 1, 31L));
        assertThat(waited.delayedUs(0)).isNull();
        assertThat(waited.delayedUs(1)).isEqualTo(31);
        assertThat(waited.delayedUs(2)).isNull();
        assertThat(new Waited(31, new Interval(20, null), Map.of(1, 31L)).delayedUs(1))
                .isNull();
    }

    private static Sample request(String label, long tookUs) {
        Sample sample = Vectors.sample(0, tookUs, null, null, "");
        return new Sample(
                sample.times(),
                new SampleRequest(label, "", 1, "", ""),
                sample.answer(),
                sample.identity(),
                sample.client());
    }
}
