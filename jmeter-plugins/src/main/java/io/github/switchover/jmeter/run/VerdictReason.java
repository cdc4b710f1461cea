package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.Numbers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why the word on a run is no better: a code with its figures, and the text that is made of them.
 *
 * @param code null: one that this version does not know
 */
public record VerdictReason(ReasonCode code, Map<String, JsonElement> figures, String text) {

    private static final Pattern PLACE = Pattern.compile("\\{(\\w+)(?::([^}]*))?\\}");

    public VerdictReason {
        figures = RunFile.copy(figures);
        text = text == null ? "" : text;
    }

    /** {@code figures}: names and values in turns; a value is text, a number, or null. */
    public static VerdictReason of(ReasonCode code, Object... figures) {
        Map<String, JsonElement> values = new LinkedHashMap<>();
        for (int index = 0; index < figures.length; index += 2) {
            values.put((String) figures[index], json(figures[index + 1]));
        }
        Matcher place = PLACE.matcher(code.template());
        String text =
                place.replaceAll(found -> Matcher.quoteReplacement(format(values.get(found.group(1)), found.group(2))));
        return new VerdictReason(code, values, text);
    }

    public Status status() {
        return code == null ? Status.INVALID : code.status();
    }

    private static JsonElement json(Object value) {
        if (value == null) {
            return JsonNull.INSTANCE;
        }
        return value instanceof Number number ? new JsonPrimitive(number) : new JsonPrimitive((String) value);
    }

    private static String format(JsonElement value, String form) {
        if (",".equals(form)) {
            return Numbers.grouped(value.getAsLong());
        }
        return ".1f".equals(form) ? Numbers.fixed(value.getAsDouble(), 1) : value.getAsString();
    }
}
