package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.drill.RunDescription.KeepalivedFacts;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What of a node's configuration leaves the node. */
class KeepalivedFactsTest {

    @ParameterizedTest
    @MethodSource("configurations")
    void no_password_is_copied(Map<String, Object> vector) {
        assertThat(KeepalivedFacts.withoutPasswords((String) vector.get("text")))
                .isEqualTo(vector.get("public"));
    }

    static Stream<Named<Map<String, Object>>> configurations() {
        return Contract.plain("text.json", "configurations");
    }
}
