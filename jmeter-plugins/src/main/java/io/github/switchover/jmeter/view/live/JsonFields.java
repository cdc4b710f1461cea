package io.github.switchover.jmeter.view.live;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values of a JSON object that anybody may have written: what is missing or of another type is null or empty. */
record JsonFields(Map<?, ?> values) {

    static final int TEXT_LIMIT = 300;

    private static final int LISTED = 200;

    static JsonFields of(Object value) {
        return new JsonFields(value instanceof Map<?, ?> map ? map : Map.of());
    }

    boolean has(String key) {
        return values.get(key) instanceof Map<?, ?>;
    }

    JsonFields object(String key) {
        return of(values.get(key));
    }

    /** Null if there is none. */
    String text(String key) {
        return values.get(key) instanceof String text ? cut(text) : null;
    }

    Double number(String key) {
        return values.get(key) instanceof Number number ? (Double) number.doubleValue() : null;
    }

    Long whole(String key) {
        return values.get(key) instanceof Number number ? (Long) number.longValue() : null;
    }

    long count(String key) {
        Long found = whole(key);
        return found == null ? 0 : found;
    }

    Boolean flag(String key) {
        return values.get(key) instanceof Boolean flag ? flag : null;
    }

    List<String> texts(String key) {
        return list(key).stream().map(String::valueOf).map(JsonFields::cut).toList();
    }

    List<JsonFields> objects(String key) {
        return list(key).stream().map(JsonFields::of).toList();
    }

    /** The whole numbers of an object. */
    Map<String, Long> counts(String key) {
        Map<String, Long> found = new LinkedHashMap<>();
        object(key).values.forEach((name, value) -> {
            if (value instanceof Number number && found.size() < LISTED) {
                found.put(cut(String.valueOf(name)), number.longValue());
            }
        });
        return found;
    }

    /** The names of an object's fields. */
    List<String> names() {
        return values.keySet().stream().limit(LISTED).map(String::valueOf).toList();
    }

    private List<?> list(String key) {
        return values.get(key) instanceof List<?> list
                ? new ArrayList<>(list.subList(0, Math.min(LISTED, list.size())))
                : List.of();
    }

    private static String cut(String text) {
        return text.substring(0, Math.min(TEXT_LIMIT, text.length()));
    }
}
