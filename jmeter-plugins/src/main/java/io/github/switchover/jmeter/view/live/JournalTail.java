package io.github.switchover.jmeter.view.live;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Whole lines as they are appended, over all journals of a directory. Never throws: what cannot be read now may be there
 * at the next time. Not thread-safe.
 *
 * <p>A last line without its newline is still being written, or was cut off: it waits. A file that got shorter than what
 * was read of it is another file, and is read from its start.
 */
final class JournalTail {

    /** Read at a time. */
    static final int SLICE_BYTES = 1 << 20;

    private final File directory;
    private final byte[] buffer = new byte[SLICE_BYTES];
    private final Map<String, Position> positions = new HashMap<>();

    JournalTail(Path directory) {
        this.directory = directory.toFile();
    }

    /** How far a file has been read: always behind a newline, but for a line that is too long to be one of ours. */
    private static final class Position {
        private long offset;
        private boolean inLongLine;
    }

    /** Hands on the new lines of a slice of each file; true if there is more to read. */
    boolean read(Consumer<String> lines) {
        File[] journals = directory.listFiles(
                file -> file.getName().startsWith("journal") && file.getName().endsWith(".lp"));
        if (journals == null) {
            return false;
        }
        Arrays.sort(journals);
        boolean more = false;
        for (File journal : journals) {
            more |= read(journal, positions.computeIfAbsent(journal.getName(), name -> new Position()), lines);
        }
        return more;
    }

    private boolean read(File journal, Position position, Consumer<String> lines) {
        int length;
        try (RandomAccessFile file = new RandomAccessFile(journal, "r")) {
            if (file.length() < position.offset) {
                position.offset = 0;
                position.inLongLine = false;
            }
            file.seek(position.offset);
            length = Math.max(0, file.read(buffer));
        } catch (IOException error) {
            return false;
        }
        int start = 0;
        for (int at = 0; at < length; at++) {
            if (buffer[at] == '\n') {
                if (!position.inLongLine) {
                    lines.accept(text(start, at));
                }
                position.inLongLine = false;
                start = at + 1;
            }
        }
        if (start == 0 && length == buffer.length) {
            position.inLongLine = true; // no line of ours is that long; the rest of it is passed over
            start = length;
        }
        position.offset += start;
        return length == buffer.length;
    }

    private String text(int start, int end) {
        boolean carriage = end > start && buffer[end - 1] == '\r';
        return new String(buffer, start, end - start - (carriage ? 1 : 0), StandardCharsets.UTF_8);
    }
}
