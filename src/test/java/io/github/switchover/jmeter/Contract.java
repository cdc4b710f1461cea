package io.github.switchover.jmeter;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.switchover.jmeter.core.Json;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Named;

/** The vectors that Python and Java both read. */
public final class Contract {

    private Contract() {}

    /** The whole file as plain values. */
    public static Map<String, Object> file(String file) {
        return json(text(file));
    }

    /** A JSON object as plain values: {@code 1} is a {@link Long}, {@code 1.0} a {@link Double}. */
    public static Map<String, Object> json(String text) {
        return map(Json.read(text, Map.class));
    }

    /** The whole file as it stands. */
    public static String text(String file) {
        try (var stream = Objects.requireNonNull(Contract.class.getResourceAsStream("/contract/" + file), file)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Plain values in which {@code 1} and {@code 1.0} are equal. */
    public static Object values(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> values = new LinkedHashMap<>();
            map.forEach((key, entry) -> values.put(key, values(entry)));
            return values;
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Contract::values).collect(Collectors.toList());
        }
        return value instanceof Number number ? (Object) number.doubleValue() : value;
    }

    /** Test parameters as plain values, one per case, under the case's name. */
    public static Stream<Named<Map<String, Object>>> plain(String file, String table) {
        return ((List<?>) file(file).get(table)).stream().map(Contract::map).map(vector -> {
            String name = vector.containsKey("name") ? (String) vector.get("name") : "'" + vector.get("text") + "'";
            return Named.of(name, vector);
        });
    }

    /** A JSON object within a vector. */
    public static Map<String, Object> map(Object value) {
        Map<String, Object> map = new LinkedHashMap<>();
        ((Map<?, ?>) value).forEach((key, entry) -> map.put((String) key, entry));
        return map;
    }

    public static JsonArray vectors(String file, String table) {
        var stream = Objects.requireNonNull(Contract.class.getResourceAsStream("/contract/" + file), file);
        try (var reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
            return JsonParser.parseReader(reader).getAsJsonObject().getAsJsonArray(table);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Test parameters, one per case, under the case's name. */
    public static Stream<Named<JsonObject>> named(String file, String table) {
        return stream(vectors(file, table))
                .map(JsonElement::getAsJsonObject)
                .map(vector ->
                        Named.of(vector.has("name") ? vector.get("name").getAsString() : vector.toString(), vector));
    }

    public static Stream<JsonElement> stream(JsonArray array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    public static Map<String, String> strings(JsonObject object) {
        Map<String, String> strings = new LinkedHashMap<>();
        object.asMap().forEach((key, value) -> strings.put(key, value.getAsString()));
        return strings;
    }

    public static List<String> texts(JsonArray array) {
        return stream(array).map(JsonElement::getAsString).toList();
    }
}
