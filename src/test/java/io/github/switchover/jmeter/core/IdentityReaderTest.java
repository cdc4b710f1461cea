package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

class IdentityReaderTest {

    @ParameterizedTest
    @VectorSource(file = "identity.json", table = "cases")
    void identity_is_read_as_agreed(JsonObject vector) {
        Identity identity = new IdentityReader(settings(vector)).identify(headers(vector.getAsJsonArray("headers")));
        assertThat(identity.backend()).isEqualTo(vector.get("backend").getAsString());
        assertThat(identity.balancer()).isEqualTo(vector.get("balancer").getAsString());
        assertThat(identity.answeredBy().label())
                .isEqualTo(vector.get("answered_by").getAsString());
    }

    @Test
    void names_beyond_the_limit_are_other() {
        IdentityReader who = new IdentityReader(IdentitySettings.DEFAULT);
        Set<String> seen = IntStream.range(0, BoundedNames.NAMES_LIMIT + 50)
                .mapToObj(n -> who.identify(List.of(Map.entry("X-Backend", "web" + n), Map.entry("X-Balancer", "lb1")))
                        .backend())
                .collect(Collectors.toSet());
        assertThat(seen).hasSize(BoundedNames.NAMES_LIMIT + 1).contains(BoundedNames.OTHER);
        assertThat(who.warning()).startsWith("more than 256 names of backends or balancers");
        assertThat(who.identify(List.of(Map.entry("X-Backend", "web0"))).backend())
                .isEqualTo("web0");
    }

    private static IdentitySettings settings(JsonObject vector) {
        IdentitySettings usual = IdentitySettings.DEFAULT;
        JsonObject given = vector.has("settings") ? vector.getAsJsonObject("settings") : new JsonObject();
        return new IdentitySettings(
                given.has("backend_header") ? given.get("backend_header").getAsString() : usual.backendHeader(),
                given.has("balancer_header") ? given.get("balancer_header").getAsString() : usual.balancerHeader(),
                usual.upstreamTimeHeader(),
                usual.stickyCookie(),
                given.has("aliases") ? Contract.strings(given.getAsJsonObject("aliases")) : usual.aliases());
    }

    /** A value that is a list stands for a header that was repeated. */
    private static List<Map.Entry<String, String>> headers(JsonArray array) {
        List<Map.Entry<String, String>> headers = new ArrayList<>();
        for (JsonElement header : array) {
            String name = header.getAsJsonArray().get(0).getAsString();
            JsonElement value = header.getAsJsonArray().get(1);
            if (value.isJsonArray()) {
                Contract.texts(value.getAsJsonArray()).forEach(text -> headers.add(Map.entry(name, text)));
            } else {
                headers.add(
                        Map.entry(name, value.isJsonObject() ? made(value.getAsJsonObject()) : value.getAsString()));
            }
        }
        return headers;
    }

    private static String made(JsonObject value) {
        String text =
                value.get("repeat").getAsString().repeat(value.get("times").getAsInt());
        return value.has("then") ? text + value.get("then").getAsString() : text;
    }
}
