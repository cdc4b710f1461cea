package io.github.switchover.jmeter.core;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Puts pieces together and cuts them at newlines. A line that is longer than the limit is dropped whole, so that a source
 * without newlines costs no memory. Not thread-safe.
 */
public final class LineSplitter {

    private final int limit;
    private final ByteArrayOutputStream rest = new ByteArrayOutputStream(512);
    private boolean dropping;
    private long dropped;

    /** {@code limit}: bytes of a line. */
    public LineSplitter(int limit) {
        this.limit = limit;
    }

    /** The lines that a piece completes, without their newlines. */
    public List<byte[]> feed(byte[] piece, int offset, int length) {
        List<byte[]> lines = new ArrayList<>();
        int from = offset;
        for (int i = offset; i < offset + length; i++) {
            if (piece[i] == '\n') {
                if (rest.size() == 0 && !dropping && i - from <= limit) {
                    // All of it is in this piece, as nearly all lines of a file are: no need to put it together.
                    lines.add(Arrays.copyOfRange(piece, from, i));
                } else {
                    keep(piece, from, i);
                    if (!dropping) {
                        lines.add(rest.toByteArray());
                    }
                    rest.reset();
                    dropping = false;
                }
                from = i + 1;
            }
        }
        keep(piece, from, offset + length);
        return lines;
    }

    /** The last line has no newline yet. */
    public boolean isWithinLine() {
        return rest.size() > 0;
    }

    /** How many lines were too long. */
    public long dropped() {
        return dropped;
    }

    private void keep(byte[] piece, int from, int to) {
        if (dropping) {
            return;
        }
        rest.write(piece, from, to - from);
        if (rest.size() > limit) {
            rest.reset();
            dropping = true;
            dropped++;
        }
    }
}
