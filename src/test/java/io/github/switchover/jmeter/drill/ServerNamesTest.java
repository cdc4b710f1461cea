package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.drill.RunDescription.ServerNames;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot.StatRow;
import io.github.switchover.jmeter.telemetry.Nodes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The nodes that HAProxy's servers are, as Python finds them. */
class ServerNamesTest {

    @Test
    void server_is_the_node_at_its_address() {
        JsonObject vectors = JsonParser.parseString(Contract.text("preflight.json"))
                .getAsJsonObject()
                .getAsJsonObject("server_names");
        List<Node> nodes = new ArrayList<>();
        texts(vectors.getAsJsonObject("nodes")).forEach((name, host) -> nodes.add(Nodes.backend(name, host)));
        IdentitySettings usual = IdentitySettings.DEFAULT;
        IdentitySettings identity = new IdentitySettings(
                usual.backendHeader(),
                usual.balancerHeader(),
                usual.upstreamTimeHeader(),
                usual.stickyCookie(),
                texts(vectors.getAsJsonObject("aliases")));
        Target target = new Target(
                Endpoints.at("http://198.18.0.50/"),
                identity,
                nodes,
                Map.of(),
                null,
                null,
                new Target.TargetOrigin(null, null));
        for (JsonElement element : vectors.getAsJsonArray("cases")) {
            List<StatRow> rows = new ArrayList<>();
            for (JsonElement server : element.getAsJsonObject().getAsJsonArray("servers")) {
                JsonArray pair = server.getAsJsonArray();
                rows.add(new StatRow(
                        "app",
                        pair.get(0).getAsString(),
                        "server",
                        "UP",
                        Map.of(),
                        pair.get(1).getAsString()));
            }
            assertThat(ServerNames.aliases(target, rows))
                    .as("%s", element)
                    .isEqualTo(texts(element.getAsJsonObject().getAsJsonObject("aliases")));
        }
    }

    private static Map<String, String> texts(JsonObject object) {
        Map<String, String> found = new LinkedHashMap<>();
        object.entrySet()
                .forEach(entry -> found.put(
                        entry.getKey(),
                        entry.getValue().isJsonNull() ? null : entry.getValue().getAsString()));
        return found;
    }
}
