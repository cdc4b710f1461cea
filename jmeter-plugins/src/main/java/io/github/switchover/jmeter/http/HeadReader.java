package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.ReadableText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses untrusted status lines and headers (RFC 9112). {@code stickyCookie} is the session. Thread-safe. */
public record HeadReader(IdentityReader who, @Nullable String stickyCookie) {

    /** The maximum length, in bytes, of status line and headers. */
    public static final int HEAD_LIMIT = 64 * 1024;

    /** A line break inside a header, which a user agent replaces with a blank (RFC 9112 section 5.2). */
    private static final Pattern FOLD = Pattern.compile("\r?\n[ \t]+");

    private static final Pattern STATUS_LINE =
            Pattern.compile("HTTP/1\\.([0-9]) ([1-9][0-9]{2})(?: ([^\r\n]*))?\r?", Pattern.DOTALL);

    /** Parses a head including its blank line. Never throws: invalid bytes cause a {@code violation}. */
    Head read(byte[] data, int offset, int length) {
        String text = new String(data, offset, length, StandardCharsets.ISO_8859_1);
        String[] lines = FOLD.matcher(text).replaceAll(" ").split("\n", -1);
        Matcher start = STATUS_LINE.matcher(lines[0]);
        if (!start.matches()) {
            return Head.broken("the answer has no HTTP/1.x status line");
        }
        int status = Integer.parseInt(start.group(2));
        HeaderFields fields = new HeaderFields(lines);
        long bodyLength = fields.violation().isEmpty() ? fields.bodyLength(status) : 0;
        if (!fields.violation().isEmpty()) {
            return Head.broken(fields.violation());
        }
        boolean persistent = fields.isPersistent(start.group(1).equals("0"));
        Identity identity = who.identify(fields.pairs());
        return new Head(
                status,
                start.group(3) == null ? "" : BoundedNames.clean(start.group(3)),
                new Head.Framing(bodyLength, persistent && bodyLength != Head.UNTIL_CLOSE && status != 101),
                identity,
                stickyCookie == null ? "" : Identity.hashSession(fields.cookie(stickyCookie)),
                text,
                "");
    }

    /** The headers of one response, including the headers that determine the end of the message. */
    static final class HeaderFields {

        /** The blanks at both ends of a text, as Python's {@code str.strip} removes them. */
        private static final Pattern BLANKS =
                Pattern.compile("^[\\s\u001c-\u001f\u0085\u00a0]+|[\\s\u001c-\u001f\u0085\u00a0]+$");

        private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

        private final List<Map.Entry<String, String>> pairs = new ArrayList<>();
        private final Set<String> lengths = new HashSet<>();
        private final List<String> codings = new ArrayList<>();
        private final Set<String> connection = new HashSet<>();
        private String violation = "";

        HeaderFields(String[] lines) {
            for (int i = 1; i < lines.length && violation.isEmpty(); i++) {
                read(lines[i].replaceFirst("\r+$", ""));
            }
            if (violation.isEmpty()) {
                pairs.forEach(pair -> interpret(pair.getKey().toLowerCase(Locale.ROOT), pair.getValue()));
            }
        }

        List<Map.Entry<String, String>> pairs() {
            return pairs;
        }

        /** Returns the error in the headers, or empty. */
        String violation() {
            return violation;
        }

        /** Returns true if the connection stays open: HTTP/1.1 without close, or HTTP/1.0 with keep-alive. */
        boolean isPersistent(boolean http10) {
            return http10 ? connection.contains("keep-alive") : !connection.contains("close");
        }

        /** Returns the length of the body (RFC 9112 section 6.3). Contradicting headers cause a {@link #violation}. */
        long bodyLength(int status) {
            if (status < 200 || status == 204 || status == 304) {
                return 0;
            }
            if (!codings.isEmpty()) {
                return codings.get(codings.size() - 1).equals("chunked") ? Head.CHUNKED : Head.UNTIL_CLOSE;
            }
            if (lengths.isEmpty()) {
                return Head.UNTIL_CLOSE;
            }
            String text = lengths.iterator().next();
            if (lengths.size() > 1) {
                violation = "two different Content-Length headers";
            } else if (!LENGTH.matcher(text).matches()) {
                violation = "a Content-Length that is not a number";
            } else {
                return Long.parseLong(text);
            }
            return 0;
        }

        /** Returns the value of a cookie that the response sets, or empty. */
        String cookie(String wanted) {
            for (Map.Entry<String, String> pair : pairs) {
                if (pair.getKey().equalsIgnoreCase("set-cookie")) {
                    String first = ReadableText.before(pair.getValue(), ';');
                    String name = ReadableText.before(first, '=');
                    if (strip(name).equals(wanted)) {
                        return name.length() < first.length() ? strip(first.substring(name.length() + 1)) : "";
                    }
                }
            }
            return "";
        }

        private void read(String line) {
            if (line.isEmpty()) {
                return;
            }
            int colon = line.indexOf(':');
            String name = colon < 0 ? "" : strip(line.substring(0, colon));
            if (name.isEmpty()) {
                violation = "a header without a name or a colon";
            } else {
                pairs.add(Map.entry(name, line.substring(colon + 1).replaceAll("^[ \t]+|[ \t]+$", "")));
            }
        }

        private void interpret(String name, String value) {
            switch (name) {
                case "content-length" -> lengths.addAll(parts(value));
                case "transfer-encoding" -> codings.addAll(parts(value.toLowerCase(Locale.ROOT)));
                case "connection" -> connection.addAll(parts(value.toLowerCase(Locale.ROOT)));
                default -> {
                    // The other headers do not affect the message.
                }
            }
        }

        private static List<String> parts(String value) {
            return Arrays.stream(value.split(",", -1)).map(HeaderFields::strip).toList();
        }

        private static String strip(String text) {
            return BLANKS.matcher(text).replaceAll("");
        }
    }
}
