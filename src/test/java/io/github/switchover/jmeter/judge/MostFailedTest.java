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
