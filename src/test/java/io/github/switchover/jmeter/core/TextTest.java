package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TextTest {

    private final Map<String, Object> vectors = Contract.file("text.json");

    @Test
    void numbers_are_written_as_agreed() {
        for (Map<String, Object> vector : table("numbers")) {
            double value = Double.parseDouble((String) vector.get("value"));
            assertThat(Map.of(
                            "value", vector.get("value"),
                            "repr", vector.get("repr"),
                            "round3", vector.get("round3"),
                            "fixed3", Numbers.fixed(value, 3),
                            "grouped1", Numbers.grouped(value, 1),
                            "whole", Numbers.grouped(value, 0),
                            "percent", vector.get("percent"),
                            "general", Numbers.general(value),
                            "general3", vector.get("general3")))
                    .isEqualTo(vector);
            assertThat(Numbers.round(value, 3)).isEqualTo(Double.parseDouble((String) vector.get("round3")));
        }
    }

    @Test
    void what_is_no_number_is_written_too() {
        assertThat(Numbers.fixed(Double.NaN, 3)).isEqualTo("nan");
        assertThat(Numbers.general(Double.POSITIVE_INFINITY)).isEqualTo("inf");
        assertThat(Numbers.general(Double.NEGATIVE_INFINITY)).isEqualTo("-inf");
        assertThat(Numbers.round(Double.NaN, 3)).isNaN();
        assertThat(Numbers.grouped(1_234_567L)).isEqualTo("1,234,567");
    }

    @Test
    void durations_are_read_as_agreed() {
        for (Map<String, Object> vector : table("durations")) {
            String text = (String) vector.get("text");
            if (vector.containsKey("error")) {
                assertThatThrownBy(() -> Units.parseSeconds(text))
                        .isInstanceOf(UsageException.class)
                        .hasMessage((String) vector.get("error"));
            } else {
                assertThat(Units.parseSeconds(text)).isEqualTo(vector.get("seconds"));
            }
        }
    }

    @Test
    void secrets_are_left_out_as_agreed() {
        for (Map<String, Object> vector : table("urls")) {
            String text = (String) vector.get("text");
            assertThat(PublicText.url(text)).isEqualTo(vector.get("public"));
            assertThat(PublicText.requestedUrl(text)).isEqualTo(vector.get("requested"));
            assertThat(PublicText.text(text)).isEqualTo(vector.get("anything"));
        }
        for (Map<String, Object> vector : table("messages")) {
            assertThat(PublicText.message((String) vector.get("text"))).isEqualTo(vector.get("public"));
        }
        for (Map<String, Object> vector : table("sessions")) {
            assertThat(Identity.hashSession((String) vector.get("value"))).isEqualTo(vector.get("hash"));
        }
        for (Map<String, Object> vector : table("commands")) {
            List<String> arguments = ((List<?>) vector.get("arguments"))
                    .stream().map(String.class::cast).toList();
            assertThat(PublicText.command(arguments)).isEqualTo(vector.get("public"));
        }
    }

    @Test
    void values_are_quoted_on_one_line() {
        assertThat(ReadableText.quoted("it's \"so\" \\ \n\u0007\u00a0"))
                .isEqualTo("'it\\'s \"so\" \\\\ \\n\\x07\\xa0'");
    }

    private List<Map<String, Object>> table(String name) {
        return ((List<?>) vectors.get(name)).stream().map(Contract::map).toList();
    }
}
