package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Units;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One request as a server logged it: a line of Nginx's and Apache's {@code combined} (or {@code common}), with
 * {@code $msec} or a host before it, or not.
 *
 * @param timeUs by the server's own clock, when it logged; without {@code $msec} a whole second
 */
record LogRecord(long timeUs, String remote, int status, long nbytes, String method, String path) {

    private static final Pattern LINE = Pattern.compile("(?:(?<msec>[0-9]{9,11}\\.[0-9]{3}) )?"
            + "(?:[A-Za-z0-9_.*-]{1,253}(?::[0-9]{1,5})? )?"
            + "(?<remote>[0-9A-Fa-f.:]{2,45}) \\S{1,64} [^\\[\\]]{1,128} \\[(?<stamp>[^\\]]{20,32})\\] "
            + "\"(?<request>[^\"\\\\]*+)\" (?<status>[0-9]{3}) (?<bytes>[0-9]{1,18}|-)");

    /** As both servers write it; no zone is fifteen hours off. */
    private static final Pattern STAMP_FORM = Pattern.compile(
            "[0-9]{2}/[A-Z][a-z]{2}/[12][0-9]{3}:[0-9]{2}:[0-9]{2}:[0-9]{2} [+-](?:0[0-9]|1[0-4])[0-5][0-9]");

    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss Z", Locale.ENGLISH)
            .withResolverStyle(ResolverStyle.STRICT);

    /** A character, or a backslash with what it escapes. */
    private static final int REQUEST_LIMIT = 8192;

    private static final int METHOD_BYTES = 16;

    /** Of a path: enough to tell a health check from a request. */
    private static final int PATH_BYTES = 200;

    /** Null if the line has another form. */
    static LogRecord of(byte[] line) {
        Matcher match = LINE.matcher(withoutEscapes(line));
        if (!match.lookingAt()) {
            return null;
        }
        byte[] request = Arrays.copyOfRange(line, match.start("request"), match.end("request"));
        Long timeUs = match.group("msec") == null
                ? stampUs(match.group("stamp"))
                : (Long) (Long.parseLong(match.group("msec").replace(".", "")) * Units.US_PER_MS);
        if (timeUs == null || characters(request) > REQUEST_LIMIT) {
            return null;
        }
        int space = indexOf(request, ' ');
        byte[] rest = space < 0 ? new byte[0] : Arrays.copyOfRange(request, space + 1, request.length);
        int version = lastIndexOf(rest, ' ');
        String nbytes = match.group("bytes");
        return new LogRecord(
                timeUs,
                match.group("remote"),
                Integer.parseInt(match.group("status")),
                nbytes.equals("-") ? 0 : Long.parseLong(nbytes),
                text(request, space < 0 ? request.length : space, METHOD_BYTES),
                // Without a version, or with nothing before it, all of it is the path.
                text(rest, version > 0 ? version : rest.length, PATH_BYTES));
    }

    /** A character each for a byte; escaped ones are none that the form looks for, so that it needs no recursion. */
    private static String withoutEscapes(byte[] line) {
        byte[] plain = line.clone();
        for (int i = 0; i + 1 < plain.length; i++) {
            if (plain[i] == '\\') {
                plain[i] = 1;
                i++;
                plain[i] = plain[i] == '"' || plain[i] == '\\' ? 1 : plain[i];
            }
        }
        return new String(plain, StandardCharsets.ISO_8859_1);
    }

    private static int characters(byte[] request) {
        int count = 0;
        for (int i = 0; i < request.length; i += request[i] == '\\' ? 2 : 1) {
            count++;
        }
        return count;
    }

    private static Long stampUs(String stamp) {
        if (!STAMP_FORM.matcher(stamp).matches()) {
            return null;
        }
        try {
            return OffsetDateTime.parse(stamp, STAMP).toEpochSecond() * Units.US_PER_S;
        } catch (DateTimeException error) {
            return null;
        }
    }

    private static int indexOf(byte[] bytes, char wanted) {
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int lastIndexOf(byte[] bytes, char wanted) {
        for (int i = bytes.length - 1; i >= 0; i--) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static String text(byte[] bytes, int length, int limit) {
        return new String(bytes, 0, Math.min(length, limit), StandardCharsets.UTF_8);
    }
}
