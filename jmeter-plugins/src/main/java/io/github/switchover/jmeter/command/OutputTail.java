package io.github.switchover.jmeter.command;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The end of a command's output, as much as a message needs. */
public final class OutputTail {

    private static final int KEPT_BYTES = 4096;
    private static final int SHOWN_CHARACTERS = 300;

    /** What it still wrote fits a pipe of 64 KiB; a process that keeps on writing in the background is not listened to. */
    private static final int READS = 16;

    private byte[] kept = new byte[0];

    /** Takes what is there without waiting for more. */
    public void readAvailable(InputStream output) {
        try {
            for (int reads = 0; reads < READS; reads++) {
                int available = output.available();
                if (available <= 0) {
                    return;
                }
                append(output.readNBytes(Math.min(available, 1 << 16)));
            }
        } catch (IOException error) {
            // What it did is told by its status, not by its output.
            return;
        }
    }

    /** The last line that says anything, without control characters. */
    public String lastLine() {
        String[] lines = new String(kept, StandardCharsets.UTF_8).strip().split("\\R", -1);
        String last = lines[lines.length - 1];
        StringBuilder shown = new StringBuilder();
        last.codePoints().forEach(c -> shown.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
        String text = shown.toString().strip();
        return text.length() <= SHOWN_CHARACTERS ? text : text.substring(text.length() - SHOWN_CHARACTERS);
    }

    private void append(byte[] piece) {
        byte[] all = Arrays.copyOf(kept, kept.length + piece.length);
        System.arraycopy(piece, 0, all, kept.length, piece.length);
        kept = all.length <= KEPT_BYTES ? all : Arrays.copyOfRange(all, all.length - KEPT_BYTES, all.length);
    }
}
