package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.streaming.JournalSender.SentMark;
import io.github.switchover.jmeter.streaming.StreamSettings.InfluxCredentials;
import io.github.switchover.jmeter.target.Target.InfluxSettings;
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
    @MethodSource("choices")
    void where_points_go_and_as_whom_is_chosen_as_agreed(Map<String, Object> vector) {
        InfluxSettings file = vector.get("file") == null ? null : settings(Contract.map(vector.get("file")));
        Map<String, Object> environment = Contract.map(vector.get("environment"));
        if (vector.get("error") instanceof String error) {
            assertThatThrownBy(() -> choose(vector, file, environment)).hasMessage(error);
            return;
        }
        StreamSettings chosen = choose(vector, file, environment);
        if (vector.get("to") == null) {
            assertThat(chosen).isNull();
            return;
        }
        List<?> known = (List<?>) vector.get("credentials");
        assertThat(chosen.address().url()).isEqualTo(vector.get("to"));
        assertThat(chosen.credentials())
                .isEqualTo(new InfluxCredentials((String) known.get(0), (String) known.get(1), (String) known.get(2)));
    }

    private static StreamSettings choose(
            Map<String, Object> vector, InfluxSettings file, Map<String, Object> environment) {
        return StreamSettings.choose(
                (String) vector.get("url"), file, name -> (String) environment.get(name), StreamSettings.WAIT_S);
    }

    private static InfluxSettings settings(Map<String, Object> file) {
        return new InfluxSettings(
                (String) file.get("url"),
                (String) file.get("org"),
                (String) file.get("bucket"),
                (String) file.get("db"),
                (String) file.get("token"),
                (String) file.get("user"),
                (String) file.get("password"));
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

    static Stream<Named<Map<String, Object>>> choices() {
        return vectors("choices", "name");
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
