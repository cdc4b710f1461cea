package io.github.switchover.jmeter.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.http.Answer.Progress;
import io.github.switchover.jmeter.target.Endpoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;

/** HTTP as both languages read and write it: answers to their meaning, endpoints to the bytes of a request. */
class HttpContractTest {

    private static final Destination NOWHERE =
            new Destination(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9), null);
    private static final Timeouts TIMEOUTS = Timeouts.ofSeconds(0.25, 1);

    @ParameterizedTest
    @VectorSource(file = "http.json", table = "answers")
    void answer_is_read_as_agreed(JsonObject vector) {
        byte[] data = vector.get("response").getAsString().getBytes(StandardCharsets.ISO_8859_1);
        for (int size : new int[] {1, 7, data.length}) {
            Answer answer = new Answer(heads(), 0);
            Progress progress = Progress.MORE;
            for (int at = 0; at < data.length && progress == Progress.MORE; at += size) {
                progress = answer.feed(data, at, Math.min(size, data.length - at));
            }
            assertThat(name(progress)).isEqualTo(vector.get("progress").getAsString());
            assertThat(answer.violation()).isEqualTo(vector.get("violation").getAsString());
            if (progress == Progress.MORE) {
                assertThat(name(answer.end())).isEqualTo(vector.get("at_close").getAsString());
            }
            if (size == data.length) {
                assertThat(answer.hasSurplus()).isEqualTo(vector.get("surplus").getAsBoolean());
            }
            if (vector.get("head").isJsonObject()) {
                assertHead(answer.head(), vector.getAsJsonObject("head"));
            }
        }
    }

    @ParameterizedTest
    @VectorSource(file = "http.json", table = "requests")
    void request_has_the_bytes_that_were_agreed(JsonObject vector) {
        JsonElement host = vector.get("host_header");
        Endpoint endpoint = Endpoints.of(
                vector.get("url").getAsString(),
                host.isJsonNull() ? null : host.getAsString(),
                pairs(vector.getAsJsonArray("headers")));
        assertThat(text(Request.of(new byte[0], endpoint, NOWHERE, TIMEOUTS, "AGENT", false, 0)))
                .isEqualTo(vector.get("fresh").getAsString());
        assertThat(text(Request.of(new byte[0], endpoint, NOWHERE, TIMEOUTS, "AGENT", true, 0)))
                .isEqualTo(vector.get("kept").getAsString());
    }

    private static String text(Request request) {
        return new String(request.bytes(), StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @VectorSource(file = "http.json", table = "refused")
    void url_that_cannot_be_asked_for_is_refused_in_the_same_words(JsonObject vector) {
        Endpoint endpoint = Endpoints.at(vector.get("url").getAsString());
        assertThatThrownBy(() -> Request.get(endpoint, NOWHERE, TIMEOUTS, "AGENT"))
                .isInstanceOf(UsageException.class)
                .hasMessage(vector.get("error").getAsString());
    }

    private static void assertHead(Head head, JsonObject wanted) {
        assertThat(head.status()).isEqualTo(wanted.get("status").getAsInt());
        assertThat(head.reason()).isEqualTo(wanted.get("reason").getAsString());
        assertThat(head.framing().length()).isEqualTo(wanted.get("length").getAsLong());
        assertThat(head.framing().persistent())
                .isEqualTo(wanted.get("persistent").getAsBoolean());
        assertThat(head.session()).isEqualTo(wanted.get("session").getAsString());
        assertThat(head.identity().backend()).isEqualTo(wanted.get("backend").getAsString());
        assertThat(head.identity().balancer()).isEqualTo(wanted.get("balancer").getAsString());
        assertThat(head.identity().answeredBy().label())
                .isEqualTo(wanted.get("answered_by").getAsString());
    }

    private static HeadReader heads() {
        Map<String, Object> settings = Contract.map(Contract.file("http.json").get("settings"));
        String cookie = (String) settings.get("sticky_cookie");
        Map<String, String> aliases = new LinkedHashMap<>();
        Contract.map(settings.get("aliases")).forEach((address, name) -> aliases.put(address, (String) name));
        IdentitySettings usual = IdentitySettings.DEFAULT;
        IdentitySettings identity = new IdentitySettings(
                usual.backendHeader(), usual.balancerHeader(), usual.upstreamTimeHeader(), cookie, aliases);
        return new HeadReader(new IdentityReader(identity), cookie);
    }

    private static Map<String, String> pairs(JsonArray headers) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (JsonElement header : headers) {
            JsonArray pair = header.getAsJsonArray();
            pairs.put(pair.get(0).getAsString(), pair.get(1).getAsString());
        }
        return pairs;
    }

    private static String name(Progress progress) {
        return progress.name().toLowerCase(Locale.ROOT);
    }
}
