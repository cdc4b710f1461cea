package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot;
import io.github.switchover.jmeter.telemetry.Nodes;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The keys of a host, as {@code drill/node_key.py} has them. */
class NodeKeysTest {

    private final JsonObject vectors =
            JsonParser.parseString(Contract.text("lock_keys.json")).getAsJsonObject();

    @Test
    void host_has_the_keys_that_python_gives_it() throws Exception {
        for (JsonElement element : vectors.getAsJsonArray("hosts")) {
            JsonObject vector = element.getAsJsonObject();
            List<InetAddress> addresses = new ArrayList<>();
            for (String address : texts(vector, "addresses")) {
                addresses.add(InetAddress.getByName(address));
            }
            assertThat(NodeKeys.of(vector.get("host").getAsString(), addresses))
                    .as("%s", vector.get("host"))
                    .isEqualTo(texts(vector, "keys"));
        }
    }

    @Test
    void key_has_the_file_that_python_gives_it() {
        for (JsonElement element : vectors.getAsJsonArray("files")) {
            JsonObject vector = element.getAsJsonObject();
            assertThat(NodeKeys.lockFile(vector.get("key").getAsString()))
                    .isEqualTo(vector.get("file").getAsString());
        }
    }

    @Test
    void process_that_answers_has_the_key_that_python_gives_it() {
        for (JsonElement element : vectors.getAsJsonArray("processes")) {
            JsonObject vector = element.getAsJsonObject();
            HaproxySnapshot snapshot = Nodes.haproxySaying(vector.get("answer").getAsString());
            assertThat(NodeKeys.ofProcess(snapshot)).isEqualTo(texts(vector, "keys"));
        }
    }

    @Test
    void folders_are_those_of_python() {
        assertThat(TargetLock.FOLDERS).map(Path::toString).isEqualTo(texts(vectors, "folders"));
    }

    @Test
    void node_is_known_by_what_it_says_of_itself() {
        assertThat(NodeKeys.find(Nodes.identified("lb1", List.of("echo", " 0A1B ")), null))
                .contains("machine:0a1b");
        assertThatThrownBy(() -> NodeKeys.find(Nodes.identified("lb1", List.of("true")), null))
                .isInstanceOf(FaultException.class)
                .hasMessage(
                        "lb1 cannot be locked for this run, because the command machine_id failed: `true` printed nothing");
        assertThatThrownBy(() -> NodeKeys.find(Nodes.identified("lb1", List.of("false")), null))
                .isInstanceOf(FaultException.class)
                .hasMessageContaining(
                        "lb1 cannot be locked for this run, because the command machine_id failed: `false`: exit status 1");
    }

    @Test
    void node_has_the_keys_of_its_host_or_of_its_name_and_of_its_process() {
        HaproxySnapshot snapshot = Nodes.haproxySaying("Pid: 7\nStart_time_sec: 5\nnode: LB1\n\n# pxname,svname,\n\n");
        assertThat(NodeKeys.find(Nodes.at("lb1", "127.0.0.1"), snapshot))
                .containsExactly("name:127.0.0.1", "address:7f000001", "haproxy:lb1:7:5");
    }

    private static List<String> texts(JsonObject vector, String key) {
        return vector.getAsJsonArray(key).asList().stream()
                .map(JsonElement::getAsString)
                .toList();
    }
}
