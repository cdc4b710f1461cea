package io.github.switchover.jmeter.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** One HTTP/1.x response as its bytes arrive: bounded, and never throwing. */
public final class Answer {

    /** Bytes of a body. A probe asks for a small page; one that is answered by more is pointed at the wrong URL. */
    public static final int BODY_LIMIT = 16 * 1024 * 1024;

    private static final byte[] BEGINNING = "HTTP/1.".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOTHING = new byte[0];

    private final HeadReader heads;
    private final boolean bodiless;
    private final int keptAtMost;
    private final ByteArrayOutputStream kept;
    /** The head as far as it came. */
    private byte[] pending = NOTHING;
    /** Of interim responses and of this one. */
    private int headBytes;

    private long bodyBytes;
    private long received;
    private Head head;
    private ChunkedBody chunks;
    private boolean surplus;
    private String violation = "";

    /**
     * Of one request.
     *
     * @param keep how many bytes of the body {@link #body} has at most; the rest is counted only
     * @param bodiless there is no body, also where the headers announce one
     */
    public Answer(HeadReader heads, int keep, boolean bodiless) {
        this.heads = heads;
        this.bodiless = bodiless;
        keptAtMost = keep;
        kept = keep > 0 ? new ByteArrayOutputStream(Math.min(keep, 1024)) : null;
    }

    /** Null until the headers are complete. */
    public Head head() {
        return head;
    }

    /** Bytes that came, of any kind. */
    public long received() {
        return received;
    }

    /** The first bytes of the body. */
    public ByteBuffer body() {
        return kept == null
                ? ByteBuffer.wrap(NOTHING)
                : ByteBuffer.wrap(kept.toByteArray()).asReadOnlyBuffer();
    }

    /** Bytes came behind the end of the response, so the connection is of no further use. */
    public boolean hasSurplus() {
        return surplus;
    }

    /** Why it is no HTTP response, or empty. */
    public String violation() {
        return violation;
    }

    /** Takes what was received, which is not empty. */
    public Progress feed(byte[] data, int offset, int length) {
        received += length;
        int to = offset + length;
        return head == null ? feedHead(data, offset, to) : feedBody(data, offset, to);
    }

    /** The peer closed. That completes only a body which is delimited by it; {@code MORE} means truncated. */
    public Progress end() {
        return head != null && head.framing().length() == Head.UNTIL_CLOSE ? Progress.DONE : Progress.MORE;
    }

    private Progress feedHead(byte[] data, int offset, int to) {
        int searched = pending.length;
        byte[] bytes = data;
        int start = offset;
        int end = to;
        if (searched > 0) {
            bytes = Arrays.copyOf(pending, searched + (to - offset));
            System.arraycopy(data, offset, bytes, searched, to - offset);
            start = 0;
            end = bytes.length;
        }
        while (true) {
            if (!beginsAsHttp(bytes, start, end)) {
                return broken("the answer has no HTTP/1.x status line");
            }
            int headEnd = endOfHead(bytes, Math.max(start, start + searched - 2), end);
            int size = (headEnd < 0 ? end : headEnd) - start;
            if (headBytes + size > HeadReader.HEAD_LIMIT) {
                return broken("headers longer than " + HeadReader.HEAD_LIMIT / 1024 + " KiB");
            }
            if (headEnd < 0) {
                pending = Arrays.copyOfRange(bytes, start, end);
                return Progress.MORE;
            }
            headBytes += size;
            Head read = heads.read(bytes, start, size);
            if (!read.violation().isEmpty()) {
                return broken(read.violation());
            }
            start = headEnd;
            if (!read.isInterim()) {
                pending = NOTHING;
                return begin(read, bytes, start, end);
            }
            searched = 0;
            if (start == end) {
                pending = NOTHING;
                return Progress.MORE;
            }
        }
    }

    private Progress begin(Head read, byte[] bytes, int start, int end) {
        head = read;
        if (bodiless) {
            surplus = start < end;
            return Progress.DONE;
        }
        if (read.framing().length() > BODY_LIMIT) {
            return tooLong();
        }
        if (read.framing().length() == Head.CHUNKED) {
            chunks = new ChunkedBody(this::keep);
        }
        return feedBody(bytes, start, end);
    }

    private Progress feedBody(byte[] data, int from, int to) {
        bodyBytes += to - from;
        long length = head.framing().length();
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

    /** Behind the empty line, or -1. Lines may end without a carriage return. */
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
}
