package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineSecondTest {

    private static final long SECOND = 1_000_000;

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "10.0,  20.0, 20, the hypervisor took the processor: 10 ms stolen in that second",
                "9.999, 10.0, 20, 'the processors were busy: the metronome waited 10 ms in that second, 7 processes ran'",
                "9.999, 9.999, 20, ''",
                "1.0,   0.0,  2,  the hypervisor took the processor: 1 ms stolen in that second",
                "0.0,   1.0,  2,  'the processors were busy: the metronome waited 1 ms in that second, 7 processes ran'",
                "0.0,   -,    2,  ''",
                "0.0,   0.0,  0,  ''"
            })
    void half_of_a_hole_is_enough_of_a_cause_and_the_hypervisor_comes_first(
            double stolenMs, Double waitedMs, long holeMs, String cause) {
        assertThat(cause(5_500_000, holeMs, reading(5, 0.0, 0.0, 7), reading(6, stolenMs, waitedMs, 7)))
                .isEqualTo(cause);
    }

    @Test
    void a_hole_over_two_seconds_counts_both() {
        assertThat(cause(5_980_000, 40, reading(5, 0.0, 0.0, 1), reading(6, 20.0, 0.0, 1), reading(7, 30.0, 0.0, 1)))
                .isEqualTo("the hypervisor took the processor: 50 ms stolen in those 2 seconds");
        assertThat(cause(5_990_000, 20, reading(5, 0.0, 0.0, 1), reading(6, 0.0, 5.0, 3), reading(7, 0.0, 6.4, 9)))
                .isEqualTo("the processors were busy: the metronome waited 11 ms in those 2 seconds, 9 processes ran");
    }

    @Test
    void a_second_that_only_touches_a_hole_is_none_of_it() {
        assertThat(cause(
                        5 * SECOND,
                        1000,
                        reading(4, 500.0, 0.0, 1),
                        reading(5, 500.0, 0.0, 1),
                        reading(6, 500.0, 0.0, 1),
                        reading(7, 500.0, 0.0, 1)))
                .isEqualTo("the hypervisor took the processor: 500 ms stolen in that second");
    }

    @Test
    void readings_of_one_processor_are_not_added_to_those_of_all() {
        Point ofOne = new Point(
                Measurements.MACHINE,
                Map.of("processor", "0"),
                Map.of("stolen_ms", FieldValue.of(900.0)),
                6_000_000_000L);
        assertThat(MachineSecond.of(List.of(ofOne, reading(6, 20.0, 1.5, 2), reading(5, 0.0, 0.0, 1))))
                .containsExactly(new MachineSecond(new Span(5 * SECOND, 6 * SECOND), 20.0, 1.5, 2));
    }

    private static String cause(long fromUs, long holeMs, Point... readings) {
        return MachineSecond.likelyCause(MachineSecond.of(List.of(readings)), new Span(fromUs, fromUs + holeMs * 1000));
    }

    private static Point reading(long second, double stolenMs, Double waitedMs, long running) {
        Map<String, FieldValue> fields = waitedMs == null
                ? Map.of("stolen_ms", FieldValue.of(stolenMs))
                : Map.of(
                        "stolen_ms", FieldValue.of(stolenMs),
                        "waited_ms", FieldValue.of(waitedMs),
                        "running", FieldValue.of(running));
        return new Point(Measurements.MACHINE, Map.of("processor", "all"), fields, second * 1_000_000_000);
    }
}
