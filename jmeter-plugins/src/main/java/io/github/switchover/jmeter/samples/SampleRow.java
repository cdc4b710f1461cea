package io.github.switchover.jmeter.samples;

import io.github.switchover.jmeter.identity.AnsweredBy;
import io.github.switchover.jmeter.identity.Identity;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Makes a sample of a row, whatever the order of its columns is. Not thread-safe. */
final class SampleRow {

    /** The last microsecond that nanosecond timestamps reach, in the year 2262. */
    static final long MAX_US = Long.MAX_VALUE / 1000;

    /** Beyond every time that can be, and far enough from the end of a long to be added to another. */
    private static final long HUGE = 4_000_000_000_000_000L;

    private static final int IDENTITIES_LIMIT = 10_000;

    /** What Python's {@code int} takes, up to its limit of digits. */
    private static final Pattern NUMBER = Pattern.compile("\\s*[+-]?[0-9]+(?:_[0-9]+)*\\s*");

    private static final int DIGITS_LIMIT = 4300;

    private static final Map<String, AnsweredBy> ANSWERED_BY = Arrays.stream(AnsweredBy.values())
            .collect(Collectors.toUnmodifiableMap(AnsweredBy::label, Function.identity()));

    private final Map<String, Integer> places = new HashMap<>();
    private final Map<List<String>, Identity> identities = new HashMap<>();
    private List<String> row = List.of();

    SampleRow(List<String> columns) {
        for (int place = 0; place < columns.size(); place++) {
            places.putIfAbsent(columns.get(place), place);
        }
    }

    /** Says why a row is none, in a phrase from a fixed set. */
    static final class RowException extends Exception {

        private static final long serialVersionUID = 1L;

        RowException(String phrase) {
            super(phrase, null, false, false);
        }
    }

    Sample read(List<String> fields) throws RowException {
        row = fields;
        long stampUs = number("timeStamp") * 1000;
        long elapsedUs = number("elapsed") * 1000;
        long startUs = time("start_us", stampUs);
        long endUs = time("end_us", startUs + elapsedUs);
        if (startUs < 0 || startUs > endUs || endUs > MAX_US) {
            throw new RowException("times out of order or range");
        }
        String success = field("success");
        if (!success.equals("true") && !success.equals("false")) {
            throw new RowException("success is neither true nor false");
        }
        String intended = field("intended_us");
        String stream = field("stream");
        return new Sample(
                startUs,
                endUs,
                isDecimal(intended) ? (Long) saturated(intended) : null,
                field("label"),
                field("responseCode"),
                field("responseMessage"),
                field("threadName"),
                success.equals("true"),
                field("failureMessage"),
                count("bytes", 0),
                count("sentBytes", 0),
                field("URL"),
                count("Latency", 0) * 1000,
                count("Connect", 0) * 1000,
                identity(),
                FailureKind.of(field("error")),
                count("attempts", 1),
                stream.equals("fresh") || stream.equals("kept") ? stream : "",
                field("session"),
                count("allThreads", 1));
    }

    private Identity identity() {
        List<String> key = List.of(field("backend"), field("balancer"), field("answered_by"));
        if (identities.size() >= IDENTITIES_LIMIT) {
            identities.clear();
        }
        return identities.computeIfAbsent(
                key,
                told -> new Identity(
                        told.get(0), told.get(1), ANSWERED_BY.getOrDefault(told.get(2), AnsweredBy.UNKNOWN)));
    }

    /** Empty where the file has no such column. */
    private String field(String column) {
        Integer place = places.get(column);
        return place == null ? "" : row.get(place);
    }

    private long time(String column, long otherwise) {
        String text = field(column);
        return isDecimal(text) ? saturated(text) : otherwise;
    }

    private long count(String column, long otherwise) {
        String text = field(column);
        return isDecimal(text) ? Math.min(saturated(text), HUGE) : otherwise;
    }

    /** At most {@link #HUGE} either way, which no time passes for. */
    private long number(String column) throws RowException {
        String text = field(column);
        if (text.length() < 16 && isDecimal(text)) {
            return Long.parseLong(text);
        }
        if (text.length() > DIGITS_LIMIT || !NUMBER.matcher(text).matches()) {
            throw new RowException("a number cannot be read");
        }
        String plain = text.strip().replace("_", "");
        boolean negative = plain.startsWith("-");
        long size = Math.min(saturated(plain.replaceFirst("^[+-]", "")), HUGE);
        return negative ? -size : size;
    }

    private static long saturated(String digits) {
        try {
            return Math.min(Long.parseLong(digits), Long.MAX_VALUE / 2);
        } catch (NumberFormatException error) {
            return Long.MAX_VALUE / 2;
        }
    }

    private static boolean isDecimal(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return !text.isEmpty();
    }
}
