package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.LineSplitter;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Whole lines as they are appended, over some files of a directory. Never throws: what cannot be read now may be there
 * at the next time. Not thread-safe.
 *
 * <p>A last line without its newline is still being written, or was cut off: it waits. A file that got shorter than what
 * was read of it is another file, and is read from its start.
 */
final class FileTail {

    /** Read at a time. */
    static final int SLICE_BYTES = 1 << 20;

    private final File directory;
    private final byte[] buffer = new byte[SLICE_BYTES];
    private final Map<String, Position> positions = new HashMap<>();

    static FileTail journals(Path directory) {
        return new FileTail(directory);
    }

    private FileTail(Path directory) {
        this.directory = directory.toFile();
    }

    /** How far a file has been read. */
    private static final class Position {
        private long offset;
        private LineSplitter lines = new LineSplitter(SLICE_BYTES);
    }

    /** Hands on the new lines, with the name of their file, of a slice of each; true if there is more to read. */
    boolean read(BiConsumer<String, String> lines) {
        File[] files = directory.listFiles(
                file -> file.getName().startsWith("journal") && file.getName().endsWith(".lp"));
        if (files == null) {
            return false;
        }
        Arrays.sort(files);
        boolean more = false;
        for (File file : files) {
            more |= read(file, positions.computeIfAbsent(file.getName(), name -> new Position()), lines);
        }
        return more;
    }

    private boolean read(File path, Position position, BiConsumer<String, String> lines) {
        int length;
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
            if (file.length() < position.offset) {
                position.offset = 0;
                position.lines = new LineSplitter(SLICE_BYTES);
            }
            file.seek(position.offset);
            length = Math.max(0, file.read(buffer));
        } catch (IOException error) {
            return false;
        }
        position.offset += length;
        position.lines.feed(buffer, 0, length).forEach(line -> lines.accept(path.getName(), text(line)));
        return length == buffer.length;
    }

    private static String text(byte[] line) {
        boolean carriage = line.length > 0 && line[line.length - 1] == '\r';
        return new String(line, 0, line.length - (carriage ? 1 : 0), StandardCharsets.UTF_8);
    }
}
