package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.core.ReadableText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The end of what a command writes, of which a message quotes the last line. Thread-safe. */
final class OutputTail {

    private static final int KEPT_BYTES = 4096;
    private static final int SHOWN_CHARACTERS = 300;

    private byte[] kept = new byte[0];

    synchronized void clear() {
        kept = new byte[0];
    }

    synchronized void add(byte[] piece, int length) {
        byte[] all = Arrays.copyOf(kept, kept.length + length);
        System.arraycopy(piece, 0, all, kept.length, length);
        kept = all.length <= KEPT_BYTES ? all : Arrays.copyOfRange(all, all.length - KEPT_BYTES, all.length);
    }

    /** The last line, in printable characters; empty if there is none. */
    synchronized String lastLine() {
        String[] lines = new String(kept, StandardCharsets.UTF_8).strip().split("\\R", -1);
        StringBuilder shown = new StringBuilder();
        lines[lines.length - 1].codePoints().forEach(c -> shown.appendCodePoint(ReadableText.isPrintable(c) ? c : ' '));
        String text = shown.toString().strip();
        return text.length() <= SHOWN_CHARACTERS ? text : text.substring(text.length() - SHOWN_CHARACTERS);
    }
}
