package io.github.switchover.jmeter.telemetry;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.Source;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Nginx's {@code stub_status}: seven numbers for the whole server. Reading the page adds one request. */
public record NginxSnapshot(Map<String, Long> numbers) {

    /** The names of the numbers, in the order of the page. */
    private static final List<String> NAMES =
            List.of("active", "accepts", "handled", "requests", "reading", "writing", "waiting");

    private static final int LIMIT_BYTES = 64 * 1024;
    private static final String N = "([0-9]{1,18})";

    /** Tengine's eighth number (request_time) is ignored. */
    private static final Pattern PAGE = Pattern.compile("\\s*Active connections:\\s*" + N
            + "\\s+server accepts handled requests[^\n]*\n\\s*" + N + "\\s+" + N + "\\s+" + N
            + "[^\n]*\n\\s*Reading:\\s*" + N + "\\s+Writing:\\s*" + N + "\\s+Waiting:\\s*" + N + "[ \r]*\n\\s*");

    /** Requests the page, or runs the command. Throws SourceException if the answer is not usable. */
    public static NginxSnapshot read(Source source, double timeoutS) {
        byte[] page = Transport.fetch(source, null, timeoutS, LIMIT_BYTES);
        try {
            return parse(page);
        } catch (SourceException error) {
            throw new SourceException(source + " " + error.getMessage(), error);
        }
    }

    /** Parses the seven numbers of the page, which must end with a newline. */
    static NginxSnapshot parse(byte[] page) {
        Matcher match = PAGE.matcher(new String(page, StandardCharsets.UTF_8));
        if (!match.matches()) {
            throw new SourceException("answered something that is not a stub_status page");
        }
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (String name : NAMES) {
            numbers.put(name, Long.valueOf(match.group(numbers.size() + 1)));
        }
        return new NginxSnapshot(numbers);
    }

    long accepts() {
        return requireNonNull(numbers.get("accepts"));
    }
}
