package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PointsTest {

    @ParameterizedTest
    @VectorSource(file = "points.json", table = "format")
    void point_is_written_as_agreed(JsonObject vector) {
        assertThat(PointFormat.format(
                        vector.get("measurement").getAsString(),
                        Contract.strings(vector.getAsJsonObject("tags")),
                        fields(vector),
                        vector.get("time_ns").getAsLong()))
                .isEqualTo(vector.get("line").getAsString());
    }

    @ParameterizedTest
    @VectorSource(file = "points.json", table = "format")
    void written_point_is_read_and_written_the_same(JsonObject vector) {
        String line = vector.get("line").getAsString();
        if (!line.isEmpty()) {
            assertThat(write(PointParser.parse(line))).isEqualTo(line);
        }
    }

    @ParameterizedTest
    @VectorSource(file = "points.json", table = "rewritten")
    void a_line_of_others_is_read_and_written_as_agreed(JsonObject vector) {
        assertThat(write(PointParser.parse(vector.get("line").getAsString())))
                .isEqualTo(vector.get("written").getAsString());
    }

    @ParameterizedTest
    @VectorSource(file = "points.json", table = "parse")
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

    static Stream<String> garbage() {
        return Contract.texts(Contract.vectors("points.json", "garbage")).stream();
    }

    private static String write(Point point) {
        return PointFormat.format(point.measurement(), point.tags(), point.fields(), point.timeNs());
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
