package io.github.switchover.jmeter.streaming;

import com.google.gson.JsonElement;
import com.google.gson.JsonPrimitive;
import io.github.switchover.jmeter.core.Json;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The meaning of a database's or a proxy's answer to a batch. {@code refused}: the lines refused permanently. */
record InfluxAnswer(Meaning meaning, long refused, @Nullable Double retryAfterS, String why) {

    /** The database accepted all lines. */
    static final InfluxAnswer TAKEN = taken(0, "");

    enum Meaning {
        /** The database accepted all lines, except the refused lines. */
        TAKEN,
        /** The batch is too large, or contains an invalid line: send fewer lines. A single line is refused. */
        HALVE,
        /** The database probably accepted no line: send the batch again later. */
        WAIT
    }

    /** The longest {@code Retry-After} that is used, because the database may work again earlier. */
    static final double LONGEST_RETRY_S = 60;

    private static final int TEXT_LENGTH = 200;
    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f]+");
    private static final Pattern DROPPED = Pattern.compile("partial write: .*dropped=([0-9]{1,9})", Pattern.DOTALL);

    /** The messages about single invalid lines. Another message means a wrong address: no line is dropped. */
    private static final Pattern OF_LINES = Pattern.compile(
            "unable to parse|partial write|field type conflict|dropped=|beyond retention|max-(?:series|values)-per");

    /** Only 204 means success: a login page answers 200, and a redirect is not followed with credentials. */
    static InfluxAnswer of(int status, String body, @Nullable String retryAfter, @Nullable String location) {
        if (status == 204) {
            return TAKEN;
        }
        ErrorBody error = ErrorBody.of(body);
        String message = error.text(body);
        String why = shortened(message.isEmpty() ? Integer.toString(status) : status + ": " + message);
        if (status == 413) {
            return new InfluxAnswer(Meaning.HALVE, 0, null, why);
        }
        if (status == 400 || status == 422) {
            return ofLines(message, error.listed(), why);
        }
        if (status >= 300 && status < 400 && location != null && !location.isEmpty()) {
            why = status + ": redirect to " + shortened(location.replaceFirst("(?s)\\?.*", ""));
        }
        return wait(status == 429 || status == 503 ? seconds(retryAfter) : null, why);
    }

    static InfluxAnswer taken(long refused, String why) {
        return new InfluxAnswer(Meaning.TAKEN, refused, null, why);
    }

    static InfluxAnswer wait(@Nullable Double retryAfterS, String why) {
        return new InfluxAnswer(Meaning.WAIT, 0, retryAfterS, why);
    }

    static String shortened(String text) {
        String line = CONTROL.matcher(text).replaceAll(" ").strip();
        return line.codePointCount(0, line.length()) <= TEXT_LENGTH
                ? line
                : line.substring(0, line.offsetByCodePoints(0, TEXT_LENGTH - 1)) + "…";
    }

    /** InfluxDB 1 and 2 report the number of dropped lines, InfluxDB 3 lists them. All other lines are stored. */
    private static InfluxAnswer ofLines(String message, int listed, String why) {
        if (listed > 0) {
            return taken(listed, why);
        }
        Matcher dropped = DROPPED.matcher(message);
        if (dropped.find() && !message.contains("unable to parse")) {
            int lines = Integer.parseInt(dropped.group(1));
            if (lines > 0) {
                return taken(lines, why);
            }
        }
        return new InfluxAnswer(OF_LINES.matcher(message).find() ? Meaning.HALVE : Meaning.WAIT, 0, null, why);
    }

    /** The body of an error. Versions 1 and 3 write the text to {@code error}, version 2 to {@code message}. */
    private record ErrorBody(
            @Nullable JsonElement error,
            @Nullable JsonElement message,
            @Nullable JsonElement data) {

        static ErrorBody of(String body) {
            try {
                return Json.read(body, ErrorBody.class);
            } catch (IllegalArgumentException none) {
                return new ErrorBody(null, null, null);
            }
        }

        /** {@code otherwise}: the result if the body has no text. */
        String text(String otherwise) {
            return Stream.of(plain(error), plain(message))
                    .filter(text -> !text.isEmpty())
                    .findFirst()
                    .orElse(otherwise);
        }

        /** Returns the number of lines that InfluxDB 3 refused. */
        int listed() {
            boolean partial = plain(error).contains("partial write");
            return partial && data != null && data.isJsonArray()
                    ? data.getAsJsonArray().size()
                    : 0;
        }

        private static String plain(@Nullable JsonElement value) {
            return value instanceof JsonPrimitive text && text.isString() ? text.getAsString() : "";
        }
    }

    /** Returns null for a date: the pauses of the sender are shorter than a useful date. */
    private static @Nullable Double seconds(@Nullable String retryAfter) {
        String text = retryAfter == null ? "" : retryAfter.strip();
        return text.matches("[0-9]{1,9}") ? Math.min(Double.parseDouble(text), LONGEST_RETRY_S) : null;
    }
}
