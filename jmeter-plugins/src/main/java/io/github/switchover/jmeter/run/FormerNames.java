package io.github.switchover.jmeter.run;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.ResourceText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Translates names of earlier versions, by {@code former_names.json}, which Python reads too. */
public final class FormerNames {

    private static final JsonObject TABLE = Json.read(ResourceText.table("former_names.json"), JsonObject.class);

    /** The former JMeter properties, with advice for the user. */
    public static final Map<String, String> PROPERTIES = names("properties");

    static final Map<String, String> FIELDS = names("fields");
    private static final Map<String, String> KEYS = names("keys");
    private static final Map<String, String> VALUES = names("values");
    private static final Set<String> WITH_VALUES = set("values_of");
    private static final Set<String> FREE = set("free");

    /** Returns a run.json of an earlier version with current names. Names that users chose are unchanged. */
    public static JsonElement renamed(JsonElement read) {
        boolean isFormer = read.isJsonObject()
                && (!read.getAsJsonObject().has("schema")
                        || read.getAsJsonObject().get("schema").toString().equals("1"));
        if (!isFormer) {
            return read;
        }
        JsonObject renamed = renamed(read, "").getAsJsonObject();
        renamed.addProperty("schema", 2);
        return renamed;
    }

    private static JsonElement renamed(JsonElement value, String key) {
        if (value.isJsonObject()) {
            JsonObject renamed = new JsonObject();
            value.getAsJsonObject().entrySet().forEach(entry -> {
                String present = KEYS.getOrDefault(entry.getKey(), entry.getKey());
                renamed.add(present, FREE.contains(present) ? entry.getValue() : renamed(entry.getValue(), present));
            });
            return renamed;
        }
        if (value.isJsonArray()) {
            JsonArray renamed = new JsonArray();
            value.getAsJsonArray().forEach(one -> renamed.add(renamed(one, key)));
            return renamed;
        }
        boolean isName = WITH_VALUES.contains(key)
                && value.isJsonPrimitive()
                && value.getAsJsonPrimitive().isString();
        return isName && VALUES.containsKey(value.getAsString())
                ? new JsonPrimitive(VALUES.get(value.getAsString()))
                : value;
    }

    private static Map<String, String> names(String table) {
        Map<String, String> renamed = new LinkedHashMap<>();
        TABLE.getAsJsonObject(table)
                .entrySet()
                .forEach(entry -> renamed.put(entry.getKey(), entry.getValue().getAsString()));
        return Map.copyOf(renamed);
    }

    private static Set<String> set(String table) {
        return TABLE.getAsJsonArray(table).asList().stream()
                .map(JsonElement::getAsString)
                .collect(Collectors.toUnmodifiableSet());
    }
}
