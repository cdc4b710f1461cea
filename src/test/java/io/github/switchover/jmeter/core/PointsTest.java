package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PointsTest {

    private static final String TRICKY = "ab \\,=\"\n\r\t\u0085é";

    @ParameterizedTest
    @MethodSource("formats")
    void point_is_written_as_agreed(JsonObject vector) {
        assertThat(PointFormat.format(
                        vector.get("measurement").getAsString(),
                        Contract.strings(vector.getAsJsonObject("tags")),
                        fields(vector),
                        vector.get("time_ns").getAsLong()))
                .isEqualTo(vector.get("line").getAsString());
    }

    @ParameterizedTest
    @MethodSource("formats")
    void written_point_is_read_and_written_the_same(JsonObject vector) {
        String line = vector.get("line").getAsString();
        if (!line.isEmpty()) {
            assertThat(write(PointParser.parse(line))).isEqualTo(line);
        }
    }

    @ParameterizedTest
    @MethodSource("rewritten")
    void a_line_of_others_is_read_and_written_as_agreed(JsonObject vector) {
        assertThat(write(PointParser.parse(vector.get("line").getAsString())))
                .isEqualTo(vector.get("written").getAsString());
    }

    @ParameterizedTest
    @MethodSource("parses")
    void line_is_read_as_agreed(JsonObject vector) {
        assertThat(PointParser.parse(vector.get("line").getAsString()))
                .isEqualTo(new Point(
                        vector.get("measurement").getAsString(),
                        Contract.strings(vector.getAsJsonObject("tags")),
                        fields(vector),
                        vector.get("time_ns").getAsLong()));
    }

    @ParameterizedTest
    @MethodSource("garbage")
    void garbage_is_refused(String line) {
        assertThatThrownBy(() -> PointParser.parse(line)).isInstanceOf(IllegalArgumentException.class);
    }

    /** How the names are drawn is told in the vectors. */
    @Test
    void ten_thousand_names_are_written_as_agreed() throws NoSuchAlgorithmException {
        Map<String, Object> many = Contract.map(Contract.file("points.json").get("many"));
        List<?> alphabet = (List<?>) many.get("alphabet");
        long[] state = {(Long) many.get("seed")};
        IntUnaryOperator draw = below -> {
            state[0] = (state[0] * 1_103_515_245L + 12_345) & 0x7fff_ffffL;
            return (int) ((state[0] >> 16) % below);
        };
        List<String> lines = new ArrayList<>();
        for (long number = 0; number < (Long) many.get("count"); number++) {
            StringBuilder name = new StringBuilder();
            int length = draw.applyAsInt(Math.toIntExact((Long) many.get("longest")));
            for (int i = 0; i < length; i++) {
                name.append(alphabet.get(draw.applyAsInt(alphabet.size())));
            }
            Map<String, FieldValue> fields = new LinkedHashMap<>();
            fields.put("v", FieldValue.of(number));
            fields.put("text", FieldValue.of(name.toString()));
            lines.add(PointFormat.format("m", Map.of("backend", name.toString(), "run", "r"), fields, number));
        }
        List<?> first = (List<?>) many.get("first");
        assertThat(lines.subList(0, first.size())).isEqualTo(first);
        byte[] all = (String.join("\n", lines) + '\n').getBytes(StandardCharsets.UTF_8);
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(all)))
                .isEqualTo(many.get("sha256"));
    }

    @Test
    void point_without_a_measurement_is_a_defect() {
        assertThatThrownBy(() -> PointFormat.format("\n", Map.of(), Map.of("a", FieldValue.of(1)), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a point needs a measurement");
    }

    @Test
    void a_long_line_is_read_without_exhausting_the_stack() {
        String text = "\\\"a".repeat(200_000);
        Point point = PointParser.parse("m,t=" + "\\ ".repeat(200_000) + " text=\"" + text + "\" 1");
        assertThat(point.tags().get("t")).hasSize(200_000);
        assertThat(point.fields().get("text")).isEqualTo(FieldValue.of("\"a".repeat(200_000)));
    }

    @Test
    void hostile_text_cannot_leave_its_place() {
        Random random = new Random(7);
        for (int round = 0; round < 2_000; round++) {
            String text = tricky(random);
            String line =
                    PointFormat.format("m", Map.of("t", tricky(random)), Map.of("text", FieldValue.of(text)), round);
            assertThat(line).doesNotContain("\n", "\r");
            Point point = PointParser.parse(line);
            assertThat(point.fields()).isEqualTo(Map.of("text", FieldValue.of(text)));
            assertThat(point.timeNs()).isEqualTo(round);
            assertThat(write(point)).isEqualTo(line);
        }
    }

    @Test
    void reading_throws_nothing_but_what_it_says() {
        Random random = new Random(11);
        for (int round = 0; round < 5_000; round++) {
            StringBuilder line = new StringBuilder("m");
            random.ints(random.nextInt(30), 0, 14).forEach(i -> line.append("m,t=a v1i. \"\\e-".charAt(i)));
            try {
                PointParser.parse(line.toString());
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageNotContaining("\n");
            }
        }
    }

    static Stream<Named<JsonObject>> rewritten() {
        return Contract.named("points.json", "rewritten");
    }

    static Stream<Named<JsonObject>> formats() {
        return Contract.named("points.json", "format");
    }

    static Stream<Named<JsonObject>> parses() {
        return Contract.named("points.json", "parse");
    }

    static Stream<String> garbage() {
        return Contract.texts(Contract.vectors("points.json", "garbage")).stream();
    }

    private static String write(Point point) {
        return PointFormat.format(point.measurement(), point.tags(), point.fields(), point.timeNs());
    }

    private static String tricky(Random random) {
        StringBuilder text = new StringBuilder();
        random.ints(random.nextInt(12), 0, TRICKY.length()).forEach(i -> text.append(TRICKY.charAt(i)));
        return text.toString();
    }

    private static Map<String, FieldValue> fields(JsonObject vector) {
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        for (JsonElement field : vector.getAsJsonArray("fields")) {
            JsonObject typed = field.getAsJsonArray().get(1).getAsJsonObject();
            String kind = typed.keySet().iterator().next();
            JsonElement value = typed.get(kind);
            fields.put(
                    field.getAsJsonArray().get(0).getAsString(),
                    switch (kind) {
                        case "int" -> FieldValue.of(value.getAsLong());
                        case "float" -> FieldValue.of(Double.parseDouble(value.getAsString()));
                        case "bool" -> FieldValue.of(value.getAsBoolean());
                        case "string" -> FieldValue.of(value.getAsString());
                        default -> throw new IllegalArgumentException(kind);
                    });
        }
        return fields;
    }
}
