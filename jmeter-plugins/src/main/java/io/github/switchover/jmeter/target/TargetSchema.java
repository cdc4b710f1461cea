package io.github.switchover.jmeter.target;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units.Durations;
import io.github.switchover.jmeter.target.Source.SourceText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks the contents of a target file against {@code tables/target.toml}. Unknown keys and wrong values are errors,
 * and each error names its place.
 *
 * @param source the name of the file in messages
 * @param folder the base of relative paths
 */
record TargetSchema(String source, String folder) {

    private static final Map<String, Object> FORMS = TomlText.parse(ResourceText.table("target.toml"), "target.toml");

    /** The text of {@code clock} for a node on this machine. */
    private static final String SHARED = "shared";

    private static final Map<String, String> DESCRIPTIONS = Map.of(
            "text", "a text",
            "path", "a path",
            "flag", "true or false",
            "texts", "a table of texts",
            "numbers", "a table of numbers above 0",
            "words", "a list of non-empty texts, such as [\"systemctl\", \"stop\", \"nginx\"]",
            "seconds", "a duration (\"250ms\", or seconds)");

    /**
     * Returns the checked contents. Defaults are filled in, paths are absolute, and a duration is a number of seconds
     * under its key with {@code _s}.
     */
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
        forms.forEach((key, form) -> {
            boolean isSeconds = "seconds".equals(optionsOf(form).get("type"));
            checked.put(isSeconds ? key + "_s" : (String) key, checked(form, given.get(key), place, (String) key));
        });
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
        return checked;
    }

    /** Returns the array of tables {@code [[key]]}. The place of an entry is its name, or its number. */
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

    private static Map<?, ?> optionsOf(Object form) {
        return form instanceof Map<?, ?> options ? options : Map.of("type", form);
    }

    /** Returns the checked value of a key. */
    private @Nullable Object checked(Object form, @Nullable Object value, String place, String key) {
        if (form instanceof List<?> forms) {
            return value == null ? null : tables((Map<?, ?>) forms.get(0), value, key);
        }
        Map<?, ?> options = optionsOf(form);
        boolean isTable = !options.containsKey("type");
        if (value != null && (isTable || (value instanceof Map && options.containsKey("table")))) {
            Map<?, ?> forms = isTable ? options : (Map<?, ?>) requireNonNull(options.get("table"));
            return table(forms, value, place.isEmpty() ? key : place + "." + key);
        }
        boolean isEmpty = value == null || value.equals("");
        if (isEmpty && options.containsKey("required")) {
            throw error(place, key, "is missing: it must be " + description(options));
        }
        if (value == null || (isEmpty && options.containsKey("default"))) {
            return options.get("default");
        }
        Object converted = converted(options, value);
        if (converted == null) {
            boolean isPublic = value instanceof String && !"words".equals(options.get("type"));
            String shown = isPublic ? ReadableText.quoted(PublicText.text((String) value)) : ReadableText.kindOf(value);
            throw error(place, key, "must be " + description(options) + ", not " + shown);
        }
        return converted.equals(0.0) && options.containsKey("default") ? options.get("default") : converted;
    }

    private static @Nullable String description(Map<?, ?> options) {
        String type = (String) options.get("type");
        return switch (type) {
            case "whole" -> "a whole number from " + options.get("low") + " to " + options.get("high");
            case "choice" -> "one of " + starts(options);
            case "source", "sources" -> "an argument list, or a text that starts with " + starts(options);
            default -> DESCRIPTIONS.get(type);
        };
    }

    private static List<?> of(Map<?, ?> options) {
        return (List<?>) requireNonNull(options.get("of"));
    }

    private static String starts(Map<?, ?> options) {
        return of(options).stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** Returns null for a value of another type. */
    private @Nullable Object converted(Map<?, ?> options, Object value) {
        return switch ((String) options.get("type")) {
            case "text" -> value instanceof String ? value : null;
            case "path" ->
                value instanceof String text && !text.isEmpty() && text.indexOf('\0') < 0 ? locate(text) : null;
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
            case "words" -> words(value);
            case "seconds" -> seconds(value);
            case "source" -> source(of(options), value);
            case "sources" -> sources(of(options), value);
            default -> "";
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
                return Durations.parseSeconds(text);
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

    private @Nullable Object source(List<?> starts, Object value) {
        if (!(value instanceof String text)) {
            return words(value);
        }
        if (text.equals(SHARED) && starts.contains(SHARED)) {
            return SHARED;
        }
        boolean isKnown = starts.stream().anyMatch(start -> text.startsWith((String) start));
        if (!isKnown || SourceText.of(text) == null) {
            return null;
        }
        // The paths of unix: and fifo: are relative to the folder of the file.
        return text.matches("(unix|fifo):.*") ? text.substring(0, 5) + locate(text.substring(5)) : text;
    }

    /** Returns the sources of a list whose entries are lists or {@code fifo:} names, or of one source. */
    private @Nullable List<Object> sources(List<?> starts, Object value) {
        boolean isSeveral = value instanceof List<?> list
                && list.stream().anyMatch(entry -> entry instanceof List || source(starts, entry) != null);
        List<Object> found = new ArrayList<>();
        for (Object entry : isSeveral ? (List<?>) value : List.of(value)) {
            found.add(source(starts, entry));
        }
        return found.contains(null) ? null : found;
    }

    String locate(String path) {
        return path.startsWith("/") ? path : folder + "/" + path;
    }
}
