package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    @Test
    void addresses_are_asked_of_the_first_source_that_shows_some(@TempDir Path place) throws IOException {
        FakeIp ip = new FakeIp(place);
        ip.has("2: eth0    inet 198.18.0.11/24 scope global eth0\ngarbage\n");
        Source[] sources = {
            new Source.Fifo("notify.fifo"), new Source.Command(List.of("my-monitor")), ip.monitor(),
        };
        assertThat(NodeAnswers.addresses(Nodes.node("lb1", null, null, null, sources)))
                .containsExactly(InetAddress.getByName("198.18.0.11"));
        assertThat(NodeAnswers.addresses(Nodes.balancer("lb2"))).isEmpty();
    }

    private static List<String> texts(JsonElement array) {
        return array.getAsJsonArray().asList().stream()
                .map(JsonElement::getAsString)
                .toList();
    }
}
