package io.github.switchover.jmeter.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The fields of a JSON object, each of the type that is expected; a missing one is null or empty. */
record RunFields(Map<String, Object> values) {

    boolean has(String key) {
        return values.get(key) != null;
    }

    RunFields object(String key) {
        if (!has(key)) {
            throw new IllegalArgumentException(key + " is missing");
        }
        return new RunFields(map(key));
    }

    String text(String key) {
        return as(String.class, key, values.get(key));
    }

    String requiredText(String key) {
        String text = text(key);
        if (text == null) {
            throw new IllegalArgumentException(key + " is missing");
        }
        return text;
    }

    Long whole(String key) {
        return as(Long.class, key, values.get(key));
    }

    Double number(String key) {
        Number number = as(Number.class, key, values.get(key));
        return number == null ? null : (Double) number.doubleValue();
    }

    boolean flag(String key) {
        return Boolean.TRUE.equals(as(Boolean.class, key, values.get(key)));
    }

    Map<String, Object> map(String key) {
        return plain(key, values.get(key));
    }

    List<Map<String, Object>> maps(String key) {
        List<Map<String, Object>> found = new ArrayList<>();
        list(key).forEach(entry -> found.add(plain(key, entry)));
        return found;
    }

    List<String> texts(String key) {
        List<String> found = new ArrayList<>();
        for (Object entry : list(key)) {
            String text = as(String.class, key, entry);
            found.add(text == null ? "" : text);
        }
        return found;
    }

    private List<?> list(String key) {
        List<?> list = as(List.class, key, values.get(key));
        return list == null ? List.of() : list;
    }

    private static Map<String, Object> plain(String key, Object value) {
        Map<String, Object> found = new LinkedHashMap<>();
        Map<?, ?> map = as(Map.class, key, value);
        if (map != null) {
            map.forEach((name, entry) -> found.put(String.valueOf(name), entry));
        }
        return found;
    }

    private static <T> T as(Class<T> type, String key, Object value) {
        if (value != null && !type.isInstance(value)) {
            throw new IllegalArgumentException(key + " has a value of the wrong type");
        }
        return type.cast(value);
    }
}
