package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.UsageException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Addresses, answers and offsets mean what they mean in Python. */
class InfluxContractTest {

    private static final String FILE = "influx.json";

    @ParameterizedTest
    @MethodSource("destinations")
    void an_address_is_read_as_agreed(Map<String, Object> vector) {
        String url = (String) vector.get("url");
        if (vector.get("error") instanceof String error) {
            assertThatThrownBy(() -> InfluxAddress.of(url))
                    .isInstanceOf(UsageException.class)
                    .hasMessage(error);
            return;
        }
        InfluxAddress address = InfluxAddress.of(url);
        assertThat(address.url()).isEqualTo(vector.get("to"));
        assertThat(address.writeUrl()).isEqualTo(address.origin() + vector.get("write"));
    }

    @ParameterizedTest
    @MethodSource("sent")
    void an_offset_is_read_as_agreed(Map<String, Object> vector) {
        String to = (String) Contract.file(FILE).get("to");
        assertThat(SentMark.read((String) vector.get("text"), to, (Long) vector.get("size")))
                .isEqualTo(new SentMark(
                        to, (Long) vector.get("offset"), (Long) vector.get("points"), (Long) vector.get("refused")));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void an_answer_means_what_was_agreed(Map<String, Object> vector) {
        InfluxAnswer answer = InfluxAnswer.of(
                Math.toIntExact((Long) vector.get("status")),
                (String) vector.get("body"),
                (String) vector.get("retry_after"),
                (String) vector.get("location"));
        assertThat(answer.meaning().name().toLowerCase(Locale.ROOT)).isEqualTo(vector.get("meaning"));
        assertThat(answer.refused()).isEqualTo(vector.get("refused"));
        assertThat(answer.retryAfterS()).isEqualTo(vector.get("retry_after_s"));
        assertThat(answer.why()).isEqualTo(vector.get("why"));
    }

    static Stream<Named<Map<String, Object>>> destinations() {
        return vectors("destinations", "url");
    }

    static Stream<Named<Map<String, Object>>> sent() {
        return vectors("sent", "name");
    }

    static Stream<Named<Map<String, Object>>> answers() {
        return vectors("answers", "why");
    }

    private static Stream<Named<Map<String, Object>>> vectors(String table, String name) {
        return ((List<?>) Contract.file(FILE).get(table))
                .stream().map(Contract::map).map(vector -> Named.of("'" + vector.get(name) + "'", vector));
    }
}
