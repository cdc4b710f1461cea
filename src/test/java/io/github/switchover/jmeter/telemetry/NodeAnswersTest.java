package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.target.Source;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a node is asked for its name. */
class NodeAnswersTest {

    @Test
    void name_of_a_host_is_asked_as_its_clock_is() {
        for (JsonElement element : Contract.vectors("preflight.json", "uname")) {
            JsonObject vector = element.getAsJsonObject();
            Source.Command found = NodeAnswers.unameCommand(new Source.Command(texts(vector.get("clock"))));
            JsonElement expected = vector.get("command");
            assertThat(found == null ? null : found.arguments())
                    .as("%s", vector)
                    .isEqualTo(expected.isJsonNull() ? null : texts(expected));
        }
    }

    private static List<String> texts(JsonElement array) {
        return array.getAsJsonArray().asList().stream()
                .map(JsonElement::getAsString)
                .toList();
    }
}
