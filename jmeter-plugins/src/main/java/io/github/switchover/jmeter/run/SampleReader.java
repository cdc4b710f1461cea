package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Identity.AnsweredBy;
import io.github.switchover.jmeter.core.Labelled;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Sample.SampleAnswer;
import io.github.switchover.jmeter.core.Sample.SampleClient;
import io.github.switchover.jmeter.core.Sample.SampleRequest;
import io.github.switchover.jmeter.core.Sample.SampleTimes;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.Lines.Ignored;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the samples of a sample log, in file order. Not thread-safe.
 *
 * <p>Columns are found by name. Without Switchover's columns, times come from JMeter's milliseconds and the identity is
 * unknown. Invalid rows are counted as ignored. An exception is thrown only if the file has no JTL header.
 */
public final class SampleReader implements Iterator<Sample>, AutoCloseable {

    /** The reason for skipping a line that is not a request. */
    public static final String REPEATED_HEADER = "repeated header";

    /** The highest number of lines in one row: quoted fields may contain newlines. */
    private static final int LINES_LIMIT = 200;

    /** The largest time in microseconds that fits into a nanosecond timestamp, in the year 2262. */
    private static final long MAX_US = Long.MAX_VALUE / Units.US_PER_MS;

    /** The highest number of digits; a longer number is neither a time nor a count. */
    private static final int DIGITS = 18;

    private static final List<String> REQUIRED = List.of("timeStamp", "elapsed", "success");
    private static final int SHOWN = 60;

    private final Lines lines;
    private final Ignored ignored;
    private final List<String> columns;
    private final Map<String, Integer> places = new HashMap<>();

    /** Lines that were read ahead. */
    private final Deque<byte[]> waiting = new ArrayDeque<>();

    private List<String> row = List.of();
    private @Nullable Sample following;

    public SampleReader(Path path, Ignored ignored) {
        this.ignored = ignored;
        lines = new Lines(path, ignored);
        try {
            columns = columns(path, lines.next());
        } catch (RunDirectoryException error) {
            lines.close();
            throw error;
        }
        columns.forEach(name -> places.putIfAbsent(name, places.size()));
        following = read();
    }

    @Override
    public boolean hasNext() {
        return following != null;
    }

    @Override
    public Sample next() {
        if (following == null) {
            throw new NoSuchElementException();
        }
        Sample sample = following;
        following = read();
        return sample;
    }

    @Override
    public void close() {
        lines.close();
    }

    private static List<String> columns(Path path, byte @Nullable [] header) {
        if (header == null) { // the writer was killed before its first line
            return List.of();
        }
        String names = new String(header, StandardCharsets.UTF_8).replaceFirst("^\uFEFF", "");
        List<String> columns =
                Objects.requireNonNullElse(CsvRow.split(names.replaceFirst("\r+$", "")), List.<String>of());
        if (!columns.containsAll(REQUIRED)) {
            String start = names.substring(0, Math.min(SHOWN, names.length()));
            throw new RunDirectoryException(
                    path + " is no sample log: its header lacks timeStamp, elapsed or success, and" + " begins "
                            + ReadableText.quoted(start));
        }
        return columns;
    }

    private @Nullable Sample read() {
        while (nextRow()) {
            if (row.equals(columns)) {
                ignored.add(REPEATED_HEADER);
                continue;
            }
            String success = field("success").toLowerCase(Locale.ROOT);
            long startUs = number("start_us", number("timeStamp", -1) * Units.US_PER_MS);
            long endUs = number("end_us", startUs + number("elapsed", -1) * Units.US_PER_MS);
            if (number("timeStamp", -1) < 0 || !isNumber(field("elapsed").replaceFirst("^-", ""))) {
                ignored.add("a number cannot be read");
            } else if (startUs > endUs || endUs > MAX_US || field("elapsed").startsWith("-")) {
                ignored.add("times out of order or range");
            } else if (!success.equals("true") && !success.equals("false")) {
                ignored.add("success is neither true nor false");
            } else {
                return sample(startUs, endUs, success.equals("true"));
            }
        }
        lines.close();
        return null;
    }

    private Sample sample(long startUs, long endUs, boolean success) {
        String stream = field("stream");
        AnsweredBy answeredBy = Labelled.of(AnsweredBy.values(), field("answered_by"));
        FailureKind error = field("error").isEmpty() ? null : Labelled.of(FailureKind.values(), field("error"));
        return new Sample(
                new SampleTimes(
                        startUs,
                        endUs,
                        isNumber(field("intended_us")) ? Long.parseLong(field("intended_us")) : null,
                        number("Connect", 0) * Units.US_PER_MS,
                        number("Latency", 0) * Units.US_PER_MS),
                new SampleRequest(
                        field("label"),
                        field("URL"),
                        number("attempts", 1),
                        stream.equals("fresh") || stream.equals("kept") ? stream : "",
                        field("session")),
                new SampleAnswer(
                        success,
                        error,
                        field("responseCode"),
                        field("responseMessage"),
                        field("failureMessage"),
                        number("bytes", 0),
                        number("sentBytes", 0)),
                new Identity(field("backend"), field("balancer"), answeredBy == null ? AnsweredBy.UNKNOWN : answeredBy),
                new SampleClient(field("threadName"), number("allThreads", 1), number("grpThreads", 1)));
    }

    /** The value of a column; empty if the file has no such column. */
    private String field(String name) {
        Integer place = places.get(name);
        return place == null ? "" : row.get(place);
    }

    private long number(String name, long otherwise) {
        String text = field(name);
        return isNumber(text) ? Long.parseLong(text) : otherwise;
    }

    private static boolean isNumber(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= DIGITS;
    }

    /** Moves to the next valid row. An invalid line is counted, and reading continues with the next line. */
    private boolean nextRow() {
        for (byte[] line = nextLine(); line != null; line = nextLine()) {
            List<byte[]> taken = new ArrayList<>(List.of(line));
            boolean isOpen = hasOddQuotes(line);
            while (isOpen && taken.size() <= LINES_LIMIT) {
                byte[] following = nextLine();
                if (following == null) {
                    break;
                }
                taken.add(following);
                isOpen = !hasOddQuotes(following);
            }
            String text = text(taken);
            List<String> fields = isOpen ? null : CsvRow.split(text);
            if (fields != null && fields.size() == columns.size()) {
                row = fields;
                return true;
            }
            if (!text.isEmpty()) {
                ignored.add(fields != null ? "wrong number of columns" : "misplaced quotes");
            }
            for (int i = taken.size() - 1; i > 0; i--) {
                waiting.addFirst(taken.get(i));
            }
        }
        return false;
    }

    private byte @Nullable [] nextLine() {
        byte[] line = waiting.pollFirst();
        return line != null ? line : lines.next();
    }

    private static boolean hasOddQuotes(byte[] line) {
        boolean odd = false;
        for (byte b : line) {
            odd ^= b == '"';
        }
        return odd;
    }

    private static String text(List<byte[]> taken) {
        StringBuilder joined = new StringBuilder(new String(taken.get(0), StandardCharsets.UTF_8));
        taken.stream().skip(1).forEach(line -> joined.append('\n').append(new String(line, StandardCharsets.UTF_8)));
        return joined.toString().replaceFirst("\r$", "");
    }

    /** One row of CSV, parsed strictly: a quote is valid only at the ends of a field, or doubled within it. */
    public static final class CsvRow {

        /** The fields of a row. */
        public static @Nullable List<String> split(String text) {
            boolean hasQuotes = text.indexOf('"') >= 0;
            int end = text.length();
            while (hasQuotes && end > 0 && isNewline(text.charAt(end - 1))) {
                end--;
            }
            List<String> fields = new ArrayList<>(32);
            int at = 0;
            while (true) {
                boolean isQuoted = at < end && text.charAt(at) == '"';
                int next = isQuoted ? closingQuote(text, at, end) + 1 : comma(text, at, end);
                if (isQuoted && (next == 0 || (next < end && text.charAt(next) != ','))) {
                    return null;
                }
                String field =
                        isQuoted ? text.substring(at + 1, next - 1).replace("\"\"", "\"") : text.substring(at, next);
                if (hasQuotes && !isQuoted && field.chars().anyMatch(CsvRow::isNewline)) {
                    return null;
                }
                fields.add(field);
                if (next >= end) {
                    return fields;
                }
                at = next + 1;
            }
        }

        /** The index of the closing quote; -1: there is none. */
        private static int closingQuote(String text, int opening, int end) {
            for (int at = text.indexOf('"', opening + 1); at >= 0 && at < end; at = text.indexOf('"', at + 2)) {
                if (at + 1 >= end || text.charAt(at + 1) != '"') {
                    return at;
                }
            }
            return -1;
        }

        private static int comma(String text, int from, int end) {
            int comma = text.indexOf(',', from);
            return comma < 0 || comma > end ? end : comma;
        }

        private static boolean isNewline(int c) {
            return c == '\n' || c == '\r';
        }
    }
}
