package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValuesTest {

    @Test
    void as_many_as_come_are_held_and_ranked() {
        for (int number : new int[] {0, 1, 16, 17, 25, 1000}) {
            Values values = values(number);
            assertThat(values.count()).isEqualTo(number);
            assertThat(values.ranked())
                    .containsExactly(LongStream.rangeClosed(1, number).toArray());
        }
    }

    @Test
    void those_of_another_are_added_to_ones_own() {
        Values values = values(20);
        values.addAll(values(30));
        values.addAll(values(0));
        values.add(7);
        assertThat(values.count()).isEqualTo(51);
        assertThat(LongStream.of(values.ranked()).sum()).isEqualTo(210 + 465 + 7);
    }

    @ParameterizedTest
    @CsvSource({"1, 50, 1", "2, 50, 1", "3, 50, 2", "100, 99, 99", "101, 99, 100", "200, 99, 198", "10, 0, 1"})
    void a_percentile_is_the_smallest_value_that_at_least_this_share_does_not_exceed(
            int number, int percent, long expected) {
        assertThat(Values.nearestRank(values(number).ranked(), percent)).isEqualTo(expected);
    }

    private static Values values(int number) {
        Values values = new Values();
        LongStream.iterate(number, value -> value - 1).limit(number).forEach(values::add);
        return values;
    }
}
