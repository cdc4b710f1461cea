package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IdentityReaderTest {

    @ParameterizedTest
    @MethodSource("cases")
    void identity_is_read_as_agreed(JsonObject vector) {
        Identity identity = new IdentityReader(settings(vector)).identify(headers(vector.getAsJsonArray("headers")));
        assertThat(identity.backend()).isEqualTo(vector.get("backend").getAsString());
        assertThat(identity.balancer()).isEqualTo(vector.get("balancer").getAsString());
        assertThat(identity.answeredBy().label())
                .isEqualTo(vector.get("answered_by").getAsString());
    }

    @Test
    void same_answer_is_the_same_object() {
        IdentityReader who = new IdentityReader(IdentitySettings.DEFAULT);
        Identity first = who.identify(
                Map.of("X-Backend", "a:1", "X-Upstream-Time", "0.001").entrySet());
        assertThat(who.identify(
                        Map.of("X-Backend", "a:1", "X-Upstream-Time", "0.002").entrySet()))
                .isSameAs(first);
    }

    @Test
    void names_beyond_the_limit_are_other() {
        IdentityReader who = new IdentityReader(IdentitySettings.DEFAULT);
        Set<String> seen = IntStream.range(0, BoundedNames.NAMES_LIMIT + 50)
                .mapToObj(n -> who.identify(List.of(Map.entry("X-Backend", "web" + n), Map.entry("X-Balancer", "lb1")))
                        .backend())
                .collect(Collectors.toSet());
        assertThat(seen).hasSize(BoundedNames.NAMES_LIMIT + 1).contains(BoundedNames.OTHER);
        assertThat(who.backends().overflowed()).isTrue();
        assertThat(who.balancers().overflowed()).isFalse();
        assertThat(who.identify(List.of(Map.entry("X-Backend", "web0"))).backend())
                .isEqualTo("web0");
    }

    @Test
    void names_stay_what_they_were_when_the_cache_is_full() {
        IdentityReader who = new IdentityReader(IdentitySettings.DEFAULT);
        for (int n = 0; n < 2 * IdentityReader.CACHE_LIMIT; n++) {
            assertThat(who.identify(List.of(Map.entry("X-Backend", "gone" + n + ", web" + n % 7)))
                            .backend())
                    .isEqualTo("web" + n % 7);
        }
        assertThat(who.backends().overflowed()).isFalse();
    }

    @Test
    void whatever_stands_in_headers_the_result_is_short_and_printable() {
        String hostile = "web1-:,<> \u0000\r\n\u0085\t.\ud83d\ude42\ud83d";
        Random random = new Random(5);
        List<String> names = List.of("X-Backend", "x-balancer", "X-UPSTREAM-TIME", "Server", "");
        for (int round = 0; round < 2_000; round++) {
            List<Map.Entry<String, String>> headers = new ArrayList<>();
            for (int n = random.nextInt(6); n > 0; n--) {
                StringBuilder value = new StringBuilder();
                random.ints(random.nextInt(30), 0, hostile.length()).forEach(i -> value.append(hostile.charAt(i)));
                headers.add(Map.entry(
                        names.get(random.nextInt(names.size())),
                        value.toString().repeat(random.nextInt(50) == 0 ? 1000 : 1)));
            }
            Identity identity = new IdentityReader(IdentitySettings.DEFAULT).identify(headers);
            for (String name : List.of(identity.backend(), identity.balancer())) {
                assertThat(name.codePointCount(0, name.length())).isLessThanOrEqualTo(BoundedNames.NAME_LIMIT);
                assertThat(name.chars()).noneMatch(Character::isISOControl);
            }
            assertThat(identity.answeredBy() == AnsweredBy.BACKEND)
                    .isEqualTo(!identity.backend().isEmpty());
            assertThat(identity.answeredBy()).isNotEqualTo(AnsweredBy.NONE);
        }
    }

    static Stream<Named<JsonObject>> cases() {
        return Contract.named("identity.json", "cases");
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
