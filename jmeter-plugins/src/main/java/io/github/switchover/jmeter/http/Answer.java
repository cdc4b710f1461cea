package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.http.Answer.ChunkedBody.Sink;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses one HTTP/1.x response as its bytes arrive. Memory is bounded, and no method throws. */
public final class Answer {

    /** The maximum size of a body in bytes. A larger body shows that the URL is wrong. */
    public static final int BODY_LIMIT = 16 * 1024 * 1024;

    private static final byte[] BEGINNING = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOTHING = new byte[0];

    private final HeadReader heads;
    private final int keptAtMost;
    private final @Nullable ByteArrayOutputStream kept;
    /** The received part of the head. */
    private byte[] pending = NOTHING;

    private int headBytes;

    private long bodyBytes;
    private long received;
    private @Nullable Head head;
    private @Nullable ChunkedBody chunks;
    private boolean surplus;
    private String violation = "";

    /** {@code keep}: the most bytes of the body that {@link #body} contains; further bytes are only counted. */
    public Answer(HeadReader heads, int keep) {
        this.heads = heads;
        keptAtMost = keep;
        kept = keep > 0 ? new ByteArrayOutputStream(Math.min(keep, 1024)) : null;
    }

    /** Null until the headers are complete. */
    public @Nullable Head head() {
        return head;
    }

    /** Returns the number of received bytes of any kind. */
    public long received() {
        return received;
    }

    /** The first bytes of the body. */
    public byte[] body() {
        return kept == null ? NOTHING : kept.toByteArray();
    }

    /** Returns true if bytes came after the end of the response. The connection cannot be reused then. */
    public boolean hasSurplus() {
        return surplus;
    }

    /** Returns the reason why the bytes are not an HTTP response; empty if they are valid. */
    public String violation() {
        return violation;
    }

    /** Adds received bytes, at least one. */
    public Progress feed(byte[] data, int offset, int length) {
        received += length;
        int to = offset + length;
        return head == null ? feedHead(data, offset, to) : feedBody(head, data, offset, to);
    }

    /** Handles the end of the connection. {@code MORE} means a truncated response. */
    public Progress end() {
        return head != null && head.framing().length() == Head.UNTIL_CLOSE ? Progress.DONE : Progress.MORE;
    }

    private Progress feedHead(byte[] data, int offset, int to) {
        int from = Math.max(0, pending.length - 2);
        byte[] bytes = Arrays.copyOf(pending, pending.length + to - offset);
        System.arraycopy(data, offset, bytes, pending.length, to - offset);
        pending = NOTHING;
        int start = 0;
        while (start < bytes.length) {
            if (!beginsAsHttp(bytes, start, bytes.length)) {
                return broken("the answer has no HTTP/1.x status line");
            }
            int headEnd = endOfHead(bytes, from, bytes.length);
            int size = (headEnd < 0 ? bytes.length : headEnd) - start;
            if (headBytes + size > HeadReader.HEAD_LIMIT) {
                return broken("headers longer than " + HeadReader.HEAD_LIMIT / 1024 + " KiB");
            }
            if (headEnd < 0) {
                pending = Arrays.copyOfRange(bytes, start, bytes.length);
                return Progress.MORE;
            }
            headBytes += size;
            Head read = heads.read(bytes, start, size);
            if (!read.violation().isEmpty()) {
                return broken(read.violation());
            }
            start = headEnd;
            from = headEnd;
            if (!read.isInterim()) {
                return begin(read, bytes, start, bytes.length);
            }
        }
        return Progress.MORE;
    }

    private Progress begin(Head read, byte[] bytes, int start, int end) {
        head = read;
        if (read.framing().length() > BODY_LIMIT) {
            return tooLong();
        }
        if (read.framing().length() == Head.CHUNKED) {
            chunks = new ChunkedBody(this::keep);
        }
        return feedBody(read, bytes, start, end);
    }

    private Progress feedBody(Head known, byte[] data, int from, int to) {
        bodyBytes += to - from;
        long length = known.framing().length();
        if (length >= 0) {
            surplus = bodyBytes > length;
            keep(data, from, surplus ? to - (int) (bodyBytes - length) : to);
            return bodyBytes < length ? Progress.MORE : Progress.DONE;
        }
        if (bodyBytes > BODY_LIMIT) {
            return tooLong();
        }
        if (chunks == null) {
            keep(data, from, to);
            return Progress.MORE;
        }
        int end = chunks.feed(data, from, to);
        if (!chunks.violation().isEmpty()) {
            return broken(chunks.violation());
        }
        surplus = chunks.isDone() && end < to;
        return chunks.isDone() ? Progress.DONE : Progress.MORE;
    }

    private void keep(byte[] data, int from, int to) {
        if (kept != null) {
            kept.write(data, from, Math.min(to - from, keptAtMost - kept.size()));
        }
    }

    private Progress tooLong() {
        return broken("a body longer than " + (BODY_LIMIT >> 20) + " MiB");
    }

    private Progress broken(String why) {
        violation = why;
        pending = NOTHING;
        return Progress.BROKEN;
    }

    private static boolean beginsAsHttp(byte[] bytes, int start, int end) {
        int length = Math.min(BEGINNING.length, end - start);
        return Arrays.equals(bytes, start, start + length, BEGINNING, 0, length);
    }

    /** Returns the position after the empty line, or -1. A line may end without a carriage return. */
    private static int endOfHead(byte[] bytes, int from, int end) {
        for (int i = from; i < end; i++) {
            if (bytes[i] == '\n') {
                if (i + 1 < end && bytes[i + 1] == '\n') {
                    return i + 2;
                }
                if (i + 2 < end && bytes[i + 1] == '\r' && bytes[i + 2] == '\n') {
                    return i + 3;
                }
            }
        }
        return -1;
    }

    /** The state of an answer that is being read. */
    public enum Progress {
        /** The response is not complete. */
        MORE,
        DONE,
        /** The bytes are not an HTTP response; {@link Answer#violation} has the reason. */
        BROKEN
    }

    /** Decodes the chunked transfer coding (RFC 9112 section 7.1) of the bytes after the head. */
    static final class ChunkedBody {

        /** Receives the decoded bytes of a body as they arrive. */
        interface Sink {
            void take(byte[] data, int from, int to);
        }

        /** The maximum length, in bytes, of the size line of a chunk, with its extensions. */
        static final int SIZE_LINE_LIMIT = 4096;

        /** The maximum length, in bytes, of all trailer lines together. Headers have the same limit. */
        static final int TRAILERS_LIMIT = 64 * 1024;

        /** At most 15 digits: enough for any body that is read completely. */
        private static final Pattern SIZE_LINE =
                Pattern.compile("[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", Pattern.DOTALL);

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

        /** Returns true if the body is complete. */
        boolean isDone() {
            return done;
        }

        /** Returns the reason why a chunk is invalid; empty if all are valid. */
        String violation() {
            return violation;
        }

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
                        violation = "a chunk with more bytes than its size line states";
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
}
