package io.github.switchover.jmeter.target;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks a target file with {@code tables/target.toml}. Each error names its place. */
record TargetSchema(String source, String folder) {

    private static final Map<String, Object> FORMS = TomlText.parse(ResourceText.table("target.toml"), "target.toml");

    /** The texts of the types in messages. */
    private static final Map<?, ?> TYPES = (Map<?, ?>) requireNonNull(FORMS.remove("types"));

    /** Returns the contents with defaults, absolute paths, and seconds under {@code KEY_s}. */
    Tree check(Map<String, Object> contents) {
        return new Tree(Json.tree(table(FORMS, contents, "")).getAsJsonObject());
    }

    /** {@code place}: the table that contains the key; empty: the whole file. */
    UsageException error(String place, String key, String what) {
        return wrong((place.isEmpty() ? key : "[" + place + "] " + key) + " " + what);
    }

    private UsageException wrong(String what) {
        return new UsageException(source + ": " + what);
    }

    private Map<String, Object> table(Map<?, ?> forms, Object value, String place) {
        if (!(value instanceof Map<?, ?> given)) {
            throw wrong("[" + place + "] must be a table");
        }
        Map<String, Object> checked = new LinkedHashMap<>();
        if (forms.get("*") instanceof Map<?, ?> form) {
            given.forEach((key, entry) -> checked.put((String) key, table(form, entry, place + "." + key)));
            return checked;
        }
        given.keySet().stream()
                .filter(key -> !forms.containsKey(key))
                .findFirst()
                .ifPresent(key -> {
                    String known = forms.keySet().stream()
                            .map(String::valueOf)
                            .sorted()
                            .collect(Collectors.joining(", "));
                    throw error(place, (String) key, "is unknown; known: " + known);
                });
        forms.forEach((key, form) -> {
            boolean isSeconds = form instanceof Map<?, ?> options && "seconds".equals(options.get("type"));
            checked.put(isSeconds ? key + "_s" : (String) key, checked(form, given.get(key), place, (String) key));
        });
        return checked;
    }

    /** Returns the array of tables {@code [[key]]}. Messages name an entry by its name, or else by its number. */
    private List<Object> tables(Map<?, ?> forms, Object value, String key) {
        if (!(value instanceof List<?> entries)) {
            throw error("", key, "must be an array of tables: write [[" + key + "]]");
        }
        List<Object> checked = new ArrayList<>();
        for (Object entry : entries) {
            Object name = entry instanceof Map<?, ?> table ? table.get("name") : null;
            boolean isNamed = name instanceof String text && !text.isEmpty();
            checked.add(table(forms, entry, key + " " + (isNamed ? name : checked.size() + 1)));
        }
        return checked;
    }

    /** Returns the checked value of a key. */
    private @Nullable Object checked(Object form, @Nullable Object value, String place, String key) {
        if (form instanceof List<?> forms) {
            return value == null ? null : tables((Map<?, ?>) forms.get(0), value, key);
        }
        Map<?, ?> options = (Map<?, ?>) form;
        boolean isTable = !options.containsKey("type");
        if (value != null && (isTable || (value instanceof Map && options.containsKey("table")))) {
            Map<?, ?> forms = isTable ? options : (Map<?, ?>) requireNonNull(options.get("table"));
            return table(forms, value, place.isEmpty() ? key : place + "." + key);
        }
        boolean isEmpty = value == null || (value.equals("") && !"header".equals(options.get("type")));
        if (isEmpty && options.containsKey("required")) {
            throw error(place, key, "is missing: it must be " + description(options));
        }
        if (value == null || (isEmpty && options.containsKey("default"))) {
            return options.get("default");
        }
        Object converted = converted(options, value);
        if (converted == null) {
            throw error(place, key, "must be " + description(options) + ", not " + shown(options, value));
        }
        return converted.equals(0.0) && options.containsKey("default") ? options.get("default") : converted;
    }

    private static String description(Map<?, ?> options) {
        String text = (String) requireNonNull(TYPES.get(options.get("type")));
        for (String key : List.of("low", "high")) {
            text = text.replace("{" + key + "}", String.valueOf(options.get(key)));
        }
        return text.replace("{of}", of(options).stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }

    private static List<?> of(Map<?, ?> options) {
        return options.get("of") instanceof List<?> texts ? texts : List.of();
    }

    /** An argument list may contain a secret. */
    private static String shown(Map<?, ?> options, Object value) {
        if (value instanceof String text && !"list".equals(options.get("type"))) {
            return ReadableText.quoted(PublicText.text(text));
        }
        if (value instanceof Double number) {
            return Numbers.general(number);
        }
        if (value instanceof Long || value instanceof Boolean) {
            return value.toString();
        }
        return value instanceof String
                ? "a text"
                : value instanceof List ? "a list" : value instanceof Map ? "a table" : "a date or time";
    }

    /** Returns null for a value of another type. */
    private @Nullable Object converted(Map<?, ?> options, Object value) {
        return switch ((String) options.get("type")) {
            case "text", "header" -> value instanceof String ? value : null;
            case "path" ->
                value instanceof String text && !text.isEmpty() && text.indexOf('\0') < 0 ? locate(text) : null;
            case "log" -> value instanceof String text && isLogPath(text) ? locate(text) : words(value);
            case "clock" -> value.equals("shared") ? value : words(value);
            case "flag" -> value instanceof Boolean ? value : null;
            case "whole" -> isWithin(options, value) ? value : null;
            case "choice" -> of(options).contains(value) ? value : null;
            case "texts" ->
                value instanceof Map<?, ?> table && table.values().stream().allMatch(String.class::isInstance)
                        ? value
                        : null;
            case "numbers" ->
                value instanceof Map<?, ?> table
                                && table.values().stream()
                                        .allMatch(one -> isNumber(one) && ((Number) one).doubleValue() > 0)
                        ? value
                        : null;
            case "list" -> words(value);
            case "seconds" -> seconds(value);
            case "source" -> source(of(options), value);
            default -> sources(of(options), value);
        };
    }

    private static boolean isWithin(Map<?, ?> options, Object value) {
        return value instanceof Long number
                && number >= (Long) requireNonNull(options.get("low"))
                && number <= (Long) requireNonNull(options.get("high"));
    }

    private static boolean isNumber(Object value) {
        return value instanceof Number number && Double.isFinite(number.doubleValue());
    }

    private static @Nullable Double seconds(Object value) {
        if (value instanceof String text) {
            try {
                return Units.parseSeconds(text);
            } catch (UsageException error) {
                return null;
            }
        }
        return isNumber(value) && ((Number) value).doubleValue() >= 0 ? ((Number) value).doubleValue() : null;
    }

    /** Returns an argument list. A name of a program without a slash is searched in PATH, as by execvp(3). */
    private @Nullable List<String> words(Object value) {
        List<String> words = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(word -> words.add(word instanceof String text ? text : ""));
        }
        if (words.isEmpty() || words.contains("")) {
            return null;
        }
        words.set(0, words.get(0).indexOf('/') < 0 ? words.get(0) : locate(words.get(0)));
        return words;
    }

    private static boolean isLogPath(String text) {
        return text.contains("/")
                && !List.of("unix", "fifo", "tcp", "http", "https").contains(scheme(text));
    }

    private static String scheme(Object text) {
        return ((String) text).split(":", 2)[0];
    }

    private @Nullable Object source(List<?> examples, Object value) {
        if (!(value instanceof String text)) {
            return words(value);
        }
        boolean isKnown = examples.stream().anyMatch(example -> scheme(example).equals(scheme(text)));
        if (!isKnown || Source.of(text) == null) {
            return null;
        }
        // The paths of unix: and fifo: are relative to the folder of the file.
        return text.matches("(unix|fifo):.*") ? text.substring(0, 5) + locate(text.substring(5)) : text;
    }

    /** Returns the sources of a list whose entries are lists or {@code fifo:} names, or of one source. */
    private @Nullable List<Object> sources(List<?> examples, Object value) {
        boolean isSeveral = value instanceof List<?> list
                && list.stream().anyMatch(entry -> entry instanceof List || source(examples, entry) != null);
        List<Object> found = new ArrayList<>();
        for (Object entry : isSeveral ? (List<?>) value : List.of(value)) {
            found.add(source(examples, entry));
        }
        return found.contains(null) ? null : found;
    }

    String locate(String path) {
        return path.startsWith("/") ? path : folder + "/" + path;
    }
}
