package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * How far a journal has been acknowledged: {@code X.lp.sent} beside {@code X.lp}, one JSON object, replaced whole.
 *
 * <p>Both languages read and write it, so that the next sender goes on where the last one stopped. It is not forced to
 * the disk: after a power cut it may be older than the truth, and what is then sent twice changes nothing.
 *
 * @param to {@link InfluxAddress#url}
 * @param offset bytes of the journal that are acknowledged; always the start of a line
 * @param points lines that the database took
 * @param refused lines that it refused for good
 */
record SentMark(String to, long offset, long points, long refused) {

    /** As the file has it; what is missing is null. */
    private record Fields(String to, Long offset, Long points, Long refused) {}

    static SentMark none(String to) {
        return new SentMark(to, 0, 0, 0);
    }

    /** What was acknowledged by another database, or of another file, counts for nothing. */
    static SentMark of(Path journal, String to) {
        try {
            return read(WholeFile.read(beside(journal)), to, journal.toFile().length());
        } catch (IOException error) {
            return none(to);
        }
    }

    /** Where to go on with a journal of {@code size} bytes, by the text of the file beside it. */
    static SentMark read(String text, String to, long size) {
        Fields read;
        try {
            read = Json.read(text, Fields.class);
        } catch (IllegalArgumentException error) {
            return none(to);
        }
        boolean valid = to.equals(read.to)
                && Arrays.asList(read.offset, read.points, read.refused).stream()
                        .allMatch(number -> number != null && number >= 0)
                && read.offset <= size;
        return valid ? new SentMark(to, read.offset, read.points, read.refused) : none(to);
    }

    /** With {@code bytes} more behind it. */
    SentMark after(long bytes, long morePoints, long moreRefused) {
        return new SentMark(to, offset + bytes, points + morePoints, refused + moreRefused);
    }

    /** @throws io.github.switchover.jmeter.core.RunDirectoryException if it cannot be written */
    void save(Path journal) {
        WholeFile.write(beside(journal), Json.file(this));
    }

    private static Path beside(Path journal) {
        return journal.resolveSibling(journal.getFileName() + ".sent");
    }
}
