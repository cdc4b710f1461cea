package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AnswerWitnessTest {

    private static final Map<String, FailureKind> ERRORS =
            Map.of("failed", FailureKind.REFUSED, "generator", FailureKind.GENERATOR);

    @ParameterizedTest
    @MethodSource("cases")
    void what_requests_say_of_a_fault_is_as_agreed(Map<String, Object> vector) {
        AnswerWitness witness = new AnswerWitness("web1", new Span(5_000_000, 20_000_000));
        for (Object row : (List<?>) vector.get("requests")) {
            List<?> values = (List<?>) row;
            for (long left = Vectors.whole(values.get(5)); left > 0; left--) {
                witness.add(sample(values));
            }
        }
        assertThat(witness.share()).isEqualTo(vector.get("share"));
        assertThat(witness.isSlower()).isEqualTo(vector.get("slower"));
        assertThat(witness.failed()).isEqualTo(vector.get("failed"));
        assertThat(witness.hasAnotherBalancerAnswered()).isEqualTo(vector.get("another"));
    }

    private static Sample sample(List<?> values) {
        FailureKind error = ERRORS.get((String) values.get(2));
        String backend = (String) values.get(3);
        Identity identity =
                new Identity(backend, (String) values.get(4), backend.isEmpty() ? AnsweredBy.NONE : AnsweredBy.BACKEND);
        return Vectors.sample(
                Vectors.whole(values.get(0)),
                Vectors.whole(values.get(1)),
                null,
                error == null,
                error,
                "fresh",
                identity);
    }

    private static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("effect.json", "cases");
    }
}
