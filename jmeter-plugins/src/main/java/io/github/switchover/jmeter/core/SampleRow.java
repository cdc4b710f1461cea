package io.github.switchover.jmeter.core;

import io.github.switchover.jmeter.core.Sample.SampleAnswer;
import io.github.switchover.jmeter.core.Sample.SampleClient;
import io.github.switchover.jmeter.core.Sample.SampleRequest;
import io.github.switchover.jmeter.core.Sample.SampleTimes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Makes a sample of a row, in any order of its columns. Not thread-safe. */
final class SampleRow {

    /** The last microsecond that nanosecond timestamps reach, in the year 2262. */
    static final long MAX_US = Long.MAX_VALUE / Units.US_PER_MS;

    /** Beyond every time that can be, and far enough from the end of a long to be added to another. */
    private static final long HUGE = 4_000_000_000_000_000L;

    private static final int IDENTITIES_LIMIT = 10_000;

    /** What Python's {@code int} takes, up to its limit of digits. */
    private static final Pattern NUMBER = Pattern.compile("\\s*[+-]?[0-9]+(?:_[0-9]+)*\\s*");

    private static final int DIGITS_LIMIT = 4300;

    private static final Map<String, AnsweredBy> ANSWERED_BY = Arrays.stream(AnsweredBy.values())
            .collect(Collectors.toUnmodifiableMap(AnsweredBy::label, Function.identity()));

    private static final int STAMP = column("timeStamp");
    private static final int ELAPSED = column("elapsed");
    private static final int START = column("start_us");
    private static final int END = column("end_us");
    private static final int SUCCESS = column("success");
    private static final int INTENDED = column("intended_us");
    private static final int STREAM = column("stream");
    private static final int LABEL = column("label");
    private static final int CODE = column("responseCode");
    private static final int MESSAGE = column("responseMessage");
    private static final int THREAD = column("threadName");
    private static final int FAILURE_MESSAGE = column("failureMessage");
    private static final int BYTES = column("bytes");
    private static final int SENT_BYTES = column("sentBytes");
    private static final int URL = column("URL");
    private static final int LATENCY = column("Latency");
    private static final int CONNECT = column("Connect");
    private static final int ERROR = column("error");
    private static final int ATTEMPTS = column("attempts");
    private static final int SESSION = column("session");
    private static final int GROUP_USERS = column("grpThreads");
    private static final int USERS = column("allThreads");
    private static final int BACKEND = column("backend");
    private static final int BALANCER = column("balancer");
    private static final int ANSWERED = column("answered_by");

    /** Where each of our columns stands; -1 where the file has none. */
    private final int[] places;

    /** By backend, balancer and who answered. */
    private final BoundedCache<List<String>, Identity> identities = new BoundedCache<>(
            IDENTITIES_LIMIT,
            told -> new Identity(told.get(0), told.get(1), ANSWERED_BY.getOrDefault(told.get(2), AnsweredBy.UNKNOWN)));

    private List<String> row = List.of();

    SampleRow(List<String> columns) {
        places = SampleFormat.COLUMNS.stream().mapToInt(columns::indexOf).toArray();
    }

    private static int column(String name) {
        return SampleFormat.COLUMNS.indexOf(name);
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
        long stampUs = number(STAMP) * Units.US_PER_MS;
        long elapsedUs = number(ELAPSED) * Units.US_PER_MS;
        long startUs = time(START, stampUs);
        long endUs = time(END, startUs + elapsedUs);
        if (startUs < 0 || startUs > endUs || endUs > MAX_US) {
            throw new RowException("times out of order or range");
        }
        boolean success = truth(field(SUCCESS));
        String intended = field(INTENDED);
        String stream = field(STREAM);
        return new Sample(
                new SampleTimes(
                        startUs,
                        endUs,
                        isDecimal(intended) ? (Long) saturated(intended) : null,
                        count(CONNECT, 0) * Units.US_PER_MS,
                        count(LATENCY, 0) * Units.US_PER_MS),
                new SampleRequest(
                        field(LABEL),
                        field(URL),
                        count(ATTEMPTS, 1),
                        stream.equals("fresh") || stream.equals("kept") ? stream : "",
                        field(SESSION)),
                new SampleAnswer(
                        success,
                        FailureKind.of(field(ERROR)),
                        field(CODE),
                        field(MESSAGE),
                        field(FAILURE_MESSAGE),
                        count(BYTES, 0),
                        count(SENT_BYTES, 0)),
                identities.get(List.of(field(BACKEND), field(BALANCER), field(ANSWERED))),
                new SampleClient(field(THREAD), count(USERS, 1), count(GROUP_USERS, 1)));
    }

    /** Empty where the file has no such column. */
    private String field(int column) {
        int place = places[column];
        return place < 0 ? "" : row.get(place);
    }

    private long time(int column, long otherwise) {
        String text = field(column);
        return isDecimal(text) ? saturated(text) : otherwise;
    }

    private long count(int column, long otherwise) {
        String text = field(column);
        return isDecimal(text) ? Math.min(saturated(text), HUGE) : otherwise;
    }

    /** At most {@link #HUGE} either way, which no time passes for. */
    private long number(int column) throws RowException {
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

    /** As JMeter writes it, or as other programs do: {@code TRUE}, {@code False}, {@code 1}, {@code 0}. */
    private static boolean truth(String text) throws RowException {
        boolean isTrue = text.equalsIgnoreCase("true") || text.equals("1");
        if (!isTrue && !text.equalsIgnoreCase("false") && !text.equals("0")) {
            throw new RowException("success is neither true nor false");
        }
        return isTrue;
    }
}
