package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.ChildProcesses;
import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.SourceException;
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
public record NginxSnapshot(
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
     * @throws SourceException if it gives nothing usable
     */
    public static NginxSnapshot read(Source source, double timeoutS, ChildProcesses children) {
        byte[] page = Transport.fetch(source, null, timeoutS, LIMIT_BYTES, children);
        try {
            return parse(page);
        } catch (SourceException error) {
            throw new SourceException(source + " " + error.getMessage(), error);
        }
    }

    /** The page's seven numbers, its last newline included. */
    static NginxSnapshot parse(byte[] page) {
        Matcher match = PAGE.matcher(new String(page, StandardCharsets.UTF_8));
        if (!match.matches()) {
            throw new SourceException("answered something that is no stub_status page");
        }
        long[] numbers = new long[7];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Long.parseLong(match.group(i + 1));
        }
        return new NginxSnapshot(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
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
