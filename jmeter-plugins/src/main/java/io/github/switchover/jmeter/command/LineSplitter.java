package io.github.switchover.jmeter.command;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Puts pieces together and cuts them at newlines. */
public final class LineSplitter {

    /** Bytes of a line; a longer one is dropped whole, so that a source without newlines costs no memory. */
    public static final int LINE_LIMIT = 65536;

    private static final long APART_NS = 1000;

    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private boolean dropping;

    /** The lines that a piece completes. Those of one piece get times a microsecond apart, in their order. */
    public List<LineEvent> feed(byte[] piece, int length, long arrivedNs) {
        List<LineEvent> lines = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < length; i++) {
            if (piece[i] == '\n') {
                rest.write(piece, from, i - from);
                if (!dropping && rest.size() <= LINE_LIMIT) {
                    String text = rest.toString(StandardCharsets.UTF_8);
                    lines.add(new LineEvent.Read(text, arrivedNs + APART_NS * lines.size()));
                }
                rest.reset();
                dropping = false;
                from = i + 1;
            }
        }
        rest.write(piece, from, length - from);
        if (rest.size() > LINE_LIMIT) {
            rest.reset();
            dropping = true;
        }
        return lines;
    }
}
