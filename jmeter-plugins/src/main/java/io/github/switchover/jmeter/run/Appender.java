package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Appends whole records to a file, on a disk that may fill up. One writer per file; not thread-safe.
 *
 * <p>What was appended is with the operating system, so it outlives the process. When the disk is full the records are
 * counted as lost and the caller goes on; half a record is cut off again, or closed by a newline where the file cannot
 * be cut, so that a reader drops that one at most.
 *
 * <p>Writes through {@code java.io}, because a channel of {@code java.nio} is closed for good when its thread is
 * interrupted, which JMeter does to end a test.
 */
public final class Appender implements AutoCloseable {

    private static final byte[] NEWLINE = {'\n'};

    private final Path path;
    private final byte[] head;
    private final RecordFile file;
    private final CRC32 checksum = new CRC32();
    private final long begin;
    private long end;
    private boolean halfRecord;
    private boolean closed;
    private long lost;
    private String warning;

    /** The file as the appender uses it. */
    interface RecordFile {

        long length() throws IOException;

        /** At the end of the file. */
        void write(byte[] data) throws IOException;

        void truncate(long length) throws IOException;

        void close() throws IOException;
    }

    public Appender(Path path) {
        this(path, new byte[0]);
    }

    /** {@code head}: what the file starts with; written to an empty file now or, on a full disk, as soon as it can be. */
    public Appender(Path path, byte[] head) {
        this(path, head, open(path));
    }

    Appender(Path path, byte[] head, OpenFile opened) {
        this.path = path;
        this.head = head.clone();
        this.file = opened.file;
        this.end = opened.length;
        this.halfRecord = opened.halfRecord;
        begin = end;
        append(List.of());
    }

    /** A file as it was found. */
    record OpenFile(RecordFile file, long length, boolean halfRecord) {}

    public Path path() {
        return path;
    }

    public long lost() {
        return lost;
    }

    /** Why, in one line, from the first time it happened; null before. */
    public String warning() {
        return warning;
    }

    public Seal seal() {
        return Seal.of(begin, end - begin, checksum);
    }

    /** Appends records, each ending in a newline. Never throws. */
    public void append(List<byte[]> records) {
        if (closed) {
            lost += records.size();
            return;
        }
        List<byte[]> parts = new ArrayList<>(records.size() + 1);
        if (halfRecord) {
            parts.add(NEWLINE);
        } else if (end == 0 && head.length > 0) {
            parts.add(head);
        }
        boolean extra = !parts.isEmpty();
        parts.addAll(records);
        byte[] data = joined(parts);
        if (data.length == 0) {
            return;
        }
        try {
            file.write(data);
            end += data.length;
            halfRecord = false;
            checksum.update(data);
        } catch (IOException error) {
            checksum.update(data, 0, (int) fail(error, parts, extra));
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                file.close();
            } catch (IOException error) {
                warn(error);
            }
        }
    }

    private static byte[] joined(List<byte[]> parts) {
        int size = 0;
        for (byte[] part : parts) {
            size += part.length;
        }
        byte[] data = new byte[size];
        int place = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, data, place, part.length);
            place += part.length;
        }
        return data;
    }

    /** Keeps the parts that were written whole, and takes back the one that was not. Returns the bytes that stay. */
    private long fail(IOException error, List<byte[]> parts, boolean extra) {
        warn(error);
        long written = written();
        long whole = 0;
        int kept = 0;
        while (kept < parts.size() && whole + parts.get(kept).length <= written) {
            whole += parts.get(kept).length;
            kept++;
        }
        lost += parts.size() - Math.max(kept, extra ? 1 : 0);
        end += whole;
        halfRecord = halfRecord && kept == 0;
        if (written > whole) {
            try {
                file.truncate(end);
            } catch (IOException ignored) {
                end += written - whole;
                halfRecord = true;
                return written;
            }
        }
        return whole;
    }

    private long written() {
        try {
            return Math.max(0, file.length() - end);
        } catch (IOException error) {
            return 0;
        }
    }

    private void warn(IOException error) {
        if (warning == null) {
            warning = "cannot write " + path + ": " + Reason.of(error) + "; what comes until it can be written is lost";
        }
    }

    private static OpenFile open(Path path) {
        try {
            FileOutputStream output = new FileOutputStream(path.toFile(), true);
            RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
            long length = file.length();
            boolean half = false;
            if (length > 0) {
                file.seek(length - 1);
                half = file.read() != '\n';
            }
            return new OpenFile(new OnDisk(output, file), length, half);
        } catch (IOException error) {
            throw RunDirectoryException.cannotWrite(path, error);
        }
    }

    /** One descriptor that appends; another that cuts, which the first has no way to. */
    private record OnDisk(FileOutputStream output, RandomAccessFile file) implements RecordFile {

        @Override
        public long length() throws IOException {
            return file.length();
        }

        @Override
        public void write(byte[] data) throws IOException {
            output.write(data);
        }

        @Override
        public void truncate(long length) throws IOException {
            file.setLength(length);
        }

        @Override
        public void close() throws IOException {
            try (output;
                    file) {
                output.flush();
            }
        }
    }
}
