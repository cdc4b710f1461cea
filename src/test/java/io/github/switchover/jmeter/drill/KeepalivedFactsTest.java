package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.drill.RunDescription.KeepalivedFacts;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;

/** What of a node's configuration leaves the node. */
class KeepalivedFactsTest {

    @ParameterizedTest
    @VectorSource(file = "text.json", table = "configurations")
    void no_password_is_copied(Map<String, Object> vector) {
        assertThat(KeepalivedFacts.withoutPasswords((String) vector.get("text")))
                .isEqualTo(vector.get("public"));
    }
}
