package io.github.switchover.jmeter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Recipe;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.faults.Preflight.Allowance;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.UrlParts;
import io.github.switchover.jmeter.telemetry.Nodes;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** What must not contradict each other before a fault may fire, as Python has it. */
class PreflightTest {

    @TempDir
    Path place;

    @ParameterizedTest
    @VectorSource(file = "preflight.json", table = "other_address")
    void url_leads_to_the_virtual_address(JsonObject vector) {
        assertThat(Preflight.otherAddress(addresses(vector, "url"), nodes(vector), "--allow"))
                .isEqualTo(problem(vector));
    }

    @ParameterizedTest
    @VectorSource(file = "preflight.json", table = "other_name")
    void no_node_says_that_it_is_another(JsonObject vector) {
        assertThat(Preflight.otherName(nodes(vector))).isEqualTo(problem(vector));
    }

    @ParameterizedTest
    @VectorSource(file = "preflight.json", table = "unidentified")
    void each_node_is_identified(JsonObject vector) {
        assertThat(Preflight.unidentified(nodes(vector), "--allow")).isEqualTo(problem(vector));
    }

    @ParameterizedTest
    @VectorSource(file = "preflight.json", table = "clones")
    void two_nodes_with_one_machine_id_are_refused(JsonObject vector) {
        assertThat(Preflight.clones(nodes(vector))).isEqualTo(problem(vector));
    }

    @ParameterizedTest
    @VectorSource(file = "preflight.json", table = "ssh_way")
    void only_ssh_is_asked_where_a_kill_leads(JsonObject vector) {
        assertThat(Preflight.sshWay(texts(vector, "kill"), vector.get("node").getAsString()))
                .isEqualTo(texts(vector, "way"));
    }

    @ParameterizedTest
    @VectorSource(file = "preflight.json", table = "copies")
    void copy_has_virtual_addresses_and_a_name(JsonObject vector) {
        String conf = vector.get("text").getAsString();
        assertThat(Preflight.virtualAddresses(conf)).isEqualTo(addresses(vector, "addresses"));
        assertThat(Preflight.routerId(conf)).isEqualTo(vector.get("router_id").getAsString());
    }

    @Test
    void both_refusals_that_a_user_may_mean_have_their_property() throws Exception {
        Path conf = Files.writeString(
                place.resolve("keepalived.conf"), "vrrp_instance V {\n virtual_ipaddress {\n  198.18.0.50\n }\n}\n");
        Node known = Nodes.identified("lb1", List.of("echo", "a"));
        Node copied = new Node(known.name(), known.role(), null, known.machineId(), known.sources(), conf, null);
        Target wrong = Nodes.target("http://198.18.0.12/", copied);
        assertThatThrownBy(() -> Preflight.require(wrong, "stop", Set.of()))
                .isInstanceOf(FaultException.class)
                .hasMessage(
                        "stop does not fire: url leads to 198.18.0.12, but the keepalived.conf of lb1 has 198.18.0.50;"
                                + " set url in [target] to the virtual address, or add"
                                + " -Jswitchover.allow.other.address=true");
        assertThatCode(() -> Preflight.require(wrong, "stop", Set.of(Allowance.OTHER_ADDRESS)))
                .doesNotThrowAnyException();
        Target nobody = Nodes.target("http://198.18.0.50/", Nodes.balancer("lb1.invalid"));
        assertThatThrownBy(() -> Preflight.require(nobody, "stop", Set.of()))
                .isInstanceOf(FaultException.class)
                .hasMessageContaining("nothing identifies lb1.invalid")
                .hasMessageEndingWith("or -Jswitchover.allow.unidentified=true");
        assertThatCode(() -> Preflight.require(nobody, "stop", Set.of(Allowance.UNIDENTIFIED)))
                .doesNotThrowAnyException();
    }

    @Test
    void kill_that_reaches_another_host_than_the_clock_command_is_refused() throws Exception {
        Path ssh = place.resolve("ssh");
        Source.Command clock = new Source.Command(List.of(ssh.toString(), "c", "date", "+%s.%N"));
        Node.NodeSources sources = new Node.NodeSources(null, null, List.of(), clock, false);
        Node node = new Node("lb1", Node.Role.BALANCER, null, null, sources, null, null);
        FaultRecipe stop =
                Recipe.with(Recipe.named("stop"), Step.KILL, List.of(ssh.toString(), "{master}", "poweroff"));
        Target target = Nodes.target("http://198.18.0.50/", Map.of("stop", stop), node);
        Files.writeString(ssh, "#!/bin/sh\necho host-$1\n");
        assertThat(ssh.toFile().setExecutable(true)).isTrue();
        assertThatThrownBy(() -> Preflight.require(target, "stop", Set.of(Allowance.UNIDENTIFIED)))
                .hasMessage("stop does not fire: the kill of [fault.stop] reaches host-lb1 for lb1, but the clock"
                        + " command of lb1 reaches host-c: are two nodes swapped?");
        Files.writeString(ssh, "#!/bin/sh\necho one-host\n");
        assertThatCode(() -> Preflight.require(target, "stop", Set.of(Allowance.UNIDENTIFIED)))
                .doesNotThrowAnyException();
    }

    private static List<Preflight.AskedNode> nodes(JsonObject vector) {
        return vector.getAsJsonArray("nodes").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(node -> {
                    Map<String, String> names = new LinkedHashMap<>();
                    node.getAsJsonObject("names")
                            .entrySet()
                            .forEach(said ->
                                    names.put(said.getKey(), said.getValue().getAsString()));
                    return new Preflight.AskedNode(
                            node.get("name").getAsString(),
                            node.get("host").getAsString(),
                            addresses(node, "host_addresses"),
                            names,
                            addresses(node, "addresses"),
                            node.get("virtual_addresses").isJsonNull() ? null : addresses(node, "virtual_addresses"),
                            texts(node, "keys"));
                })
                .toList();
    }

    private static Set<InetAddress> addresses(JsonObject object, String key) {
        return texts(object, key).stream().map(UrlParts::parseAddress).collect(Collectors.toSet());
    }

    private static List<String> texts(JsonObject object, String key) {
        return object.getAsJsonArray(key).asList().stream()
                .map(JsonElement::getAsString)
                .toList();
    }

    private static String problem(JsonObject vector) {
        return vector.get("problem").isJsonNull() ? null : vector.get("problem").getAsString();
    }
}
