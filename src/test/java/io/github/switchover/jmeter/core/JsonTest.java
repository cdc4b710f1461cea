package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

    @Test
    void whole_numbers_and_decimals_are_told_apart() {
        assertThat(Contract.json("{\"a\": 1, \"b\": 1.0, \"c\": 1e3, \"d\": null, \"e\": true}"))
                .containsEntry("a", 1L)
                .containsEntry("b", 1.0)
                .containsEntry("c", 1000.0)
                .containsEntry("d", null)
                .containsEntry("e", true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[1]", "{", "{'a': 1}", "{\"a\": 1} x", "{\"a\": tru}", "{\"a\": [}]", "\"a\""})
    void what_is_no_object_is_refused_in_one_line(String text) {
        assertThatThrownBy(() -> Contract.json(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("\n");
    }

    @Test
    void deep_nesting_is_refused_without_exhausting_the_stack() {
        assertThatThrownBy(() -> Contract.json("{\"a\": " + "[".repeat(100_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void reading_throws_nothing_but_what_it_says() {
        Random random = new Random(13);
        for (int round = 0; round < 3_000; round++) {
            StringBuilder text = new StringBuilder("{");
            random.ints(random.nextInt(20), 0, 16).forEach(i -> text.append("{}[]\",:1e-.tn\\u ".charAt(i)));
            try {
                Contract.json(text.toString());
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageNotContaining("\n");
            }
        }
    }
}
