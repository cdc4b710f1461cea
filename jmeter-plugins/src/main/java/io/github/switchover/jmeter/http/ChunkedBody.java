package io.github.switchover.jmeter.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The chunked transfer coding (RFC 9112 section 7.1). Feed it the bytes behind the head. */
final class ChunkedBody {

    /** Takes the bytes of a body as they come, chunks already undone. */
    interface Sink {
        void take(byte[] data, int from, int to);
    }

    /** Bytes of a chunk's size line with its extensions. */
    static final int SIZE_LINE_LIMIT = 4096;

    /** Bytes of all trailer lines, as for headers. */
    static final int TRAILERS_LIMIT = 64 * 1024;

    /** At most 15 digits: more than any body that is read to its end. */
    private static final Pattern SIZE_LINE = Pattern.compile("[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", Pattern.DOTALL);

    private enum At {
        SIZE,
        DATA,
        DATA_END,
        TRAILER
    }

    private final Sink sink;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(16);
    private At at = At.SIZE;
    private long left;
    private int trailers;
    private boolean done;
    private String violation = "";

    ChunkedBody(Sink sink) {
        this.sink = sink;
    }

    /** The body has come to its end. */
    boolean isDone() {
        return done;
    }

    /** What is no chunk, or empty. */
    String violation() {
        return violation;
    }

    /** Where the body ended, or {@code to}. */
    int feed(byte[] data, int from, int to) {
        int position = from;
        while (position < to && !done && violation.isEmpty()) {
            if (at == At.DATA) {
                int taken = (int) Math.min(left, to - position);
                sink.take(data, position, position + taken);
                left -= taken;
                position += taken;
                if (left == 0) {
                    at = At.DATA_END;
                }
            } else {
                position = readLine(data, position, to);
            }
        }
        return position;
    }

    private int readLine(byte[] data, int from, int to) {
        int end = from;
        while (end < to && data[end] != '\n') {
            end++;
        }
        if (line.size() + (end - from) > SIZE_LINE_LIMIT) {
            violation = "a chunk's line without end";
            return end;
        }
        line.write(data, from, end - from);
        if (end == to) {
            return to;
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        line.reset();
        takeLine(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
        return end + 1;
    }

    private void takeLine(String text) {
        switch (at) {
            case SIZE -> {
                Matcher size = SIZE_LINE.matcher(text);
                if (!size.matches()) {
                    violation = "a chunk without a size";
                    return;
                }
                left = Long.parseLong(size.group(1), 16);
                at = left > 0 ? At.DATA : At.TRAILER;
            }
            case DATA_END -> {
                if (!text.isEmpty()) {
                    violation = "a chunk longer than its size";
                }
                at = At.SIZE;
            }
            default -> {
                done = text.isEmpty();
                trailers += text.length();
                if (trailers > TRAILERS_LIMIT) {
                    violation = "trailers without end";
                }
            }
        }
    }
}
