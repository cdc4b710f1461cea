package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.run.PointFormat;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.AddressOwners.Notification;
import io.github.switchover.jmeter.telemetry.HaproxyReader.HaproxyTable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;

/** Telemetry as both languages read it: the same answers make points of the same bytes. */
class TelemetryContractTest {

    private static final String FILE = "telemetry.json";
    private static final long TIME_NS = 1_700_000_012_000_000_000L;

    @ParameterizedTest
    @VectorSource(file = FILE, table = "haproxy")
    void answer_of_haproxy_makes_the_points_that_were_agreed(JsonObject vector) {
        byte[] answer = bytes(vector.get("answer"));
        boolean page = vector.get("page").getAsBoolean();
        if (!vector.get("error").isJsonNull()) {
            assertThatThrownBy(() -> HaproxyTable.parse(answer, page))
                    .isInstanceOf(SourceException.class)
                    .hasMessageStartingWith(vector.get("error").getAsString());
            return;
        }
        HaproxySnapshot snapshot = HaproxyTable.parse(answer, page).in("4711-1700000000");
        Map<String, Long> info = new LinkedHashMap<>();
        vector.getAsJsonObject("info").asMap().forEach((name, value) -> info.put(name, value.getAsLong()));
        assertThat(snapshot.info()).isEqualTo(info);
        assertThat(HaproxyKind.readings("lb1", snapshot).stream()
                        .map(it -> PointFormat.format(it.measurement(), it.tags(), it.fields(), TIME_NS)))
                .containsExactlyElementsOf(Contract.texts(vector.getAsJsonArray("lines")));
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "generations")
    void counters_begin_anew_where_it_was_agreed(JsonObject vector) {
        boolean page = vector.get("page").getAsBoolean();
        HaproxyReader reader = new HaproxyReader(new Source.UnixSocket("/run/haproxy.sock"));
        for (JsonElement element : vector.getAsJsonArray("steps")) {
            JsonObject step = element.getAsJsonObject();
            HaproxySnapshot snapshot = HaproxyTable.parse(bytes(step.get("answer")), page);
            assertThat(reader.take(snapshot, step.get("now_s").getAsDouble()).generation())
                    .isEqualTo(step.get("generation").getAsString());
        }
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "pages")
    void page_is_asked_for_as_csv(JsonObject vector) {
        assertThat(HaproxyReader.csvOf(new Source.HttpPage(vector.get("url").getAsString()))
                        .url())
                .isEqualTo(vector.get("csv").getAsString());
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "nginx")
    void page_of_nginx_makes_the_point_that_was_agreed(JsonObject vector) {
        byte[] page = bytes(vector.get("page"));
        if (!vector.get("error").isJsonNull()) {
            assertThatThrownBy(() -> NginxKind.parse(page))
                    .isInstanceOf(SourceException.class)
                    .hasMessage(vector.get("error").getAsString());
            return;
        }
        Map<String, String> tags = Map.of("node", "web1");
        assertThat(PointFormat.format("switchover_nginx", tags, FieldValue.ofEach(NginxKind.parse(page)), TIME_NS))
                .isEqualTo(vector.get("line").getAsString());
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "machine")
    void what_the_machine_took_makes_the_points_that_were_agreed(JsonObject vector) {
        MachineScraper scraper = new MachineScraper();
        for (JsonElement element : vector.getAsJsonArray("steps")) {
            JsonObject step = element.getAsJsonObject();
            String stat = step.get("stat").getAsString();
            JsonElement waited = step.get("waited_ms");
            Double waitedMs = waited.isJsonNull() ? null : (Double) waited.getAsDouble();
            if (!step.get("error").isJsonNull()) {
                assertThatThrownBy(() -> scraper.readings(stat, waitedMs))
                        .isInstanceOf(SourceException.class)
                        .hasMessage(step.get("error").getAsString());
                continue;
            }
            assertThat(scraper.readings(stat, waitedMs).stream()
                            .map(it -> PointFormat.format(it.measurement(), it.tags(), it.fields(), TIME_NS)))
                    .containsExactlyElementsOf(Contract.texts(step.getAsJsonArray("lines")));
        }
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "addresses")
    void line_of_ip_is_read_as_agreed(JsonObject vector) throws UnknownHostException {
        AddressLine line = AddressLine.parse(vector.get("line").getAsString());
        if (vector.get("found").isJsonNull()) {
            assertThat(line).isNull();
            return;
        }
        JsonObject found = vector.getAsJsonObject("found");
        JsonElement stamp = found.get("stamp_ns");
        assertThat(line)
                .isEqualTo(new AddressLine(
                        found.get("interface").getAsString(),
                        InetAddress.getAllByName(found.get("address").getAsString())[0],
                        found.get("deleted").getAsBoolean(),
                        stamp.isJsonNull() ? null : (Long) stamp.getAsLong()));
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "commands")
    void command_that_shows_comes_from_the_one_that_monitors(JsonObject vector) {
        Source.Command show =
                AddressLine.showCommand(new Source.Command(Contract.texts(vector.getAsJsonArray("monitor"))));
        if (vector.get("show").isJsonNull()) {
            assertThat(show).isNull();
        } else {
            assertThat(show.arguments()).isEqualTo(Contract.texts(vector.getAsJsonArray("show")));
        }
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "times")
    void local_time_becomes_utc_as_agreed(JsonObject vector) {
        assertThat(AddressLine.localToUtcNs(
                        vector.get("stamp_ns").getAsLong(),
                        vector.get("arrived_ns").getAsLong()))
                .isEqualTo(vector.get("utc_ns").getAsLong());
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "notifications")
    void line_of_keepalived_is_read_as_agreed(JsonObject vector) {
        Notification said = Notification.parse(vector.get("line").getAsString());
        if (vector.get("said").isJsonNull()) {
            assertThat(said).isNull();
        } else {
            JsonObject wanted = vector.getAsJsonObject("said");
            assertThat(said)
                    .isEqualTo(notification(wanted.get("instance"), wanted.get("state"), wanted.get("priority")));
        }
    }

    @ParameterizedTest
    @VectorSource(file = FILE, table = "ownership")
    void ownership_is_concluded_and_written_as_agreed(JsonObject vector) {
        Points journal = new Points();
        AddressOwners ownership = new AddressOwners(journal, "198.18.0.50");
        for (JsonElement element : vector.getAsJsonArray("nodes")) {
            JsonObject node = element.getAsJsonObject();
            String instance = node.get("instance").getAsString();
            String name = node.get("name").getAsString();
            Node watched = instance.isEmpty() ? Nodes.balancer(name) : Nodes.withInstance(name, instance);
            Contract.texts(node.getAsJsonArray("sources"))
                    .forEach(source -> ownership.watch(watched, source.equals("kernel")));
        }
        for (JsonElement element : vector.getAsJsonArray("steps")) {
            JsonObject step = element.getAsJsonObject();
            perform(ownership, step.getAsJsonArray("op"));
            assertThat(journal.take()).isEqualTo(Contract.texts(step.getAsJsonArray("lines")));
            Map<String, Boolean> known = new LinkedHashMap<>();
            step.getAsJsonObject("known")
                    .asMap()
                    .forEach((name, holds) -> known.put(name, holds.isJsonNull() ? null : holds.getAsBoolean()));
            assertThat(ownership.known()).isEqualTo(known);
            assertThat(MasterFinder.holders(ownership.known()))
                    .isEqualTo(Contract.texts(step.getAsJsonArray("holders")));
        }
    }

    private static void perform(AddressOwners ownership, JsonArray op) {
        String node = op.get(1).getAsString();
        switch (op.get(0).getAsString()) {
            case "address" ->
                ownership.address(
                        node,
                        op.get(2).isJsonNull() ? null : (Boolean) op.get(2).getAsBoolean(),
                        op.get(3).getAsLong(),
                        op.get(4).getAsString(),
                        op.get(5).getAsBoolean());
            case "notified" -> {
                JsonArray said = op.get(2).getAsJsonArray();
                ownership.notified(
                        node,
                        notification(said.get(0), said.get(1), said.get(2)),
                        op.get(3).getAsLong(),
                        op.get(4).getAsString(),
                        op.get(5).getAsBoolean());
            }
            case "unknown" -> ownership.unknown(node, op.get(2).getAsLong());
            case "lost" -> ownership.lost(node, op.get(2).getAsLong());
            case "silent" -> ownership.silent(node, op.get(2).getAsLong());
            default -> throw new IllegalArgumentException(op.toString());
        }
    }

    private static Notification notification(JsonElement instance, JsonElement state, JsonElement priority) {
        return new Notification(
                instance.getAsString(),
                state.getAsString(),
                priority.isJsonNull() ? null : (Integer) priority.getAsInt());
    }

    private static byte[] bytes(JsonElement text) {
        return text.getAsString().getBytes(StandardCharsets.UTF_8);
    }
}
