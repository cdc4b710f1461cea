package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Appends complete records to a file, on a disk that may be full. One writer per file; not thread-safe.
 *
 * <p>Records are passed to the operating system at once, so they survive a kill of the process. On a full disk, lost
 * records are counted. A partial record is cut off, or ended by a newline.
 *
 * <p>Uses {@code java.io}: an interrupt of a JMeter thread would close a channel of {@code java.nio} permanently.
 */
public final class Appender implements AutoCloseable {

    private static final byte[] NEWLINE = {'\n'};

    private final Path path;
    private final byte[] head;
    private final FileOutputStream output;

    /** A second handle that can truncate the file; an append stream cannot. */
    private final RandomAccessFile file;

    private final CRC32 checksum = new CRC32();
    private final long begin;
    private long end;
    private boolean halfRecord;
    private boolean closed;
    private long lost;
    private @Nullable String warning;

    /** {@code head}: the first bytes of an empty file, on a full disk written as soon as possible. */
    public Appender(Path path, byte[] head) {
        this.path = path;
        this.head = head.clone();
        try {
            output = new FileOutputStream(path.toFile(), true);
            file = new RandomAccessFile(path.toFile(), "rw");
            end = file.length();
            if (end > 0) {
                file.seek(end - 1);
                halfRecord = file.read() != '\n';
            }
        } catch (IOException error) {
            throw RunDirectoryException.cannotWrite(path, error);
        }
        begin = end;
        append(List.of());
    }

    public Path path() {
        return path;
    }

    public long lost() {
        return lost;
    }

    /** The reason for the first loss, in one line. */
    public @Nullable String warning() {
        return warning;
    }

    public Seal seal() {
        return Seal.of(begin, end - begin, checksum);
    }

    /** Appends records. Each must end with a newline. Never throws. */
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
            output.write(data);
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
            try (output;
                    file) {
                output.flush();
            } catch (IOException error) {
                warn(error);
            }
        }
    }

    private static byte[] joined(List<byte[]> parts) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        parts.forEach(data::writeBytes);
        return data.toByteArray();
    }

    /** Keeps the completely written parts, and returns the number of new bytes that remain. */
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
                file.setLength(end);
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
            warning = "cannot write " + path + ": " + Reason.of(error)
                    + "; records are lost until it can be written again";
        }
    }
}
