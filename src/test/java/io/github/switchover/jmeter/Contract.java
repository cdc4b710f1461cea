package io.github.switchover.jmeter;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Named;

/** The vectors that Python and Java both read. */
public final class Contract {

    private Contract() {}

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
                .map(vector -> Named.of(vector.get("name").getAsString(), vector));
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
