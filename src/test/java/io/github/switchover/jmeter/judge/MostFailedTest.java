package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Sample.SampleAnswer;
import io.github.switchover.jmeter.core.Sample.SampleRequest;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MostFailedTest {

    @ParameterizedTest
    @MethodSource("cases")
    void the_most_common_are_named_as_the_vectors_say(Map<String, Object> vector) {
        PopulationTally tally = new PopulationTally(List.of(), 1_000_000);
        for (Object row : (List<?>) vector.get("requests")) {
            List<?> values = (List<?>) row;
            for (long left = Vectors.whole(values.get(4)); left > 0; left--) {
                tally.add(sample(values));
            }
        }
        assertThat(tally.mostFailed(null)).isEqualTo(vector.get("expect"));
    }

    @Test
    void of_more_labels_than_can_be_told_apart_those_that_came_first_are_counted() {
        MostFailed failed = new MostFailed();
        for (int label = 0; label < 10_001; label++) {
            failed.add(sample(List.of(false, "reset", "", "/" + label)));
        }
        failed.add(sample(List.of(false, "reset", "", "/10000")));
        failed.add(sample(List.of(false, "reset", "", "/9999")));
        assertThat(failed.text()).isEqualTo("reset /9999 2 times, reset /0 once, reset /1 once");
    }

    @Test
    void of_a_phase_only_its_own_are_named() {
        PopulationTally tally = new PopulationTally(
                List.of(new Phase(PhaseName.BASELINE, 0, 10), new Phase(PhaseName.SWITCHOVER, 10, 20)), 1_000_000);
        tally.add(Vectors.sample(1, 2, null, FailureKind.RESET, ""));
        tally.add(Vectors.sample(11, 12, null, FailureKind.REFUSED, ""));
        assertThat(tally.mostFailed(PhaseName.SWITCHOVER)).isEqualTo("refused probe once");
        assertThat(tally.mostFailed(PhaseName.DEGRADED)).isEmpty();
        assertThat(tally.mostFailed(null)).isEqualTo("refused probe once, reset probe once");
    }

    private static Sample sample(List<?> values) {
        boolean success = (Boolean) values.get(0);
        Sample sample = Vectors.sample(1, 2, null, FailureKind.of((String) values.get(1)), "fresh");
        return new Sample(
                sample.times(),
                new SampleRequest((String) values.get(3), "", 1, "fresh", ""),
                new SampleAnswer(success, sample.error(), (String) values.get(2), "", "", 0, 0),
                sample.identity(),
                sample.client());
    }

    private static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("most_failed.json", "cases");
    }
}
