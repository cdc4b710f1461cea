package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.Leash;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.TelemetryException;
import io.github.switchover.jmeter.target.Source;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Nginx's {@code stub_status}: seven numbers for the whole server, nothing per upstream. Reading it adds one request.
 * {@code active}, {@code reading}, {@code writing} and {@code waiting} are now, the others since the start.
 */
public record NginxStatus(
        long active, long accepts, long handled, long requests, long reading, long writing, long waiting) {

    private static final int LIMIT_BYTES = 64 * 1024;
    private static final String N = "([0-9]{1,18})";

    /** Tengine's eighth number (request_time) is passed over. */
    private static final Pattern PAGE = Pattern.compile("\\s*Active connections:\\s*" + N
            + "\\s+server accepts handled requests[^\n]*\n\\s*" + N + "\\s+" + N + "\\s+" + N
            + "[^\n]*\n\\s*Reading:\\s*" + N + "\\s+Writing:\\s*" + N + "\\s+Waiting:\\s*" + N + "[ \r]*\n\\s*");

    /**
     * Asks for the page, or runs the command.
     *
     * @throws TelemetryException if it gives nothing usable
     */
    public static NginxStatus read(Source source, double timeoutS, Leash leash) {
        byte[] page = Transport.fetch(source, null, timeoutS, LIMIT_BYTES, leash);
        try {
            return parse(page);
        } catch (TelemetryException error) {
            throw new TelemetryException(source + " " + error.getMessage(), error);
        }
    }

    /** The page's seven numbers, its last newline included. */
    static NginxStatus parse(byte[] page) {
        Matcher match = PAGE.matcher(new String(page, StandardCharsets.UTF_8));
        if (!match.matches()) {
            throw new TelemetryException("answered something that is no stub_status page");
        }
        long[] numbers = new long[7];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Long.parseLong(match.group(i + 1));
        }
        return new NginxStatus(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
    }

    /** The fields of a {@code switchover_nginx} point. */
    Map<String, FieldValue> fields() {
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        fields.put("active", FieldValue.of(active));
        fields.put("accepts", FieldValue.of(accepts));
        fields.put("handled", FieldValue.of(handled));
        fields.put("requests", FieldValue.of(requests));
        fields.put("reading", FieldValue.of(reading));
        fields.put("writing", FieldValue.of(writing));
        fields.put("waiting", FieldValue.of(waiting));
        return fields;
    }
}
