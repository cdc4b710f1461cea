package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.run.WholeFile;
import io.github.switchover.jmeter.streaming.InfluxAnswer.Meaning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;

/**
 * One journal's points, from its offset on, a batch at a time. The file may grow, and another may come in its place.
 * For one thread.
 */
final class JournalSender {

    private final Path journal;
    private SentMark mark;
    private Object file;
    private String unwritten;

    /** Lines of the next batch at most: fewer after a batch that was too large or had a line at fault. */
    private int lines = JournalBatch.LINES;

    JournalSender(Path journal, String to) {
        this.journal = journal;
        mark = SentMark.none(to);
    }

    SentMark mark() {
        return mark;
    }

    /** Why the offset is not kept; null: it is. */
    String unwritten() {
        return unwritten;
    }

    /**
     * Posts the next batch, and records the position; null: no batch is left. The next step repeats a batch that the
     * database did not take. It halves a batch that was too large or had invalid lines.
     *
     * @param buffer room for a batch
     * @throws IOException if the journal cannot be read
     */
    InfluxAnswer step(InfluxWriter writer, byte[] buffer) throws IOException {
        look();
        JournalBatch batch = JournalBatch.read(journal, mark.offset(), buffer, lines);
        if (batch == null) {
            return null;
        }
        InfluxAnswer answer = batch.points() == 0 ? InfluxAnswer.TAKEN : writer.post(batch.lines());
        if (answer.meaning() == Meaning.HALVE && batch.points() == 1) {
            answer = InfluxAnswer.taken(1, answer.why());
        }
        if (answer.meaning() == Meaning.HALVE) {
            lines = (batch.points() + batch.rubbish()) / 2;
        } else if (answer.meaning() == Meaning.TAKEN) {
            lines = Math.min(2 * lines, JournalBatch.LINES);
            keep(batch, Math.min(answer.refused(), batch.points()));
        }
        return answer;
    }

    /** Lines that are still to be sent; 0 if the journal cannot be read, which a step would have reported. */
    long left() {
        try {
            look();
            return JournalBatch.count(journal, mark.offset());
        } catch (IOException error) {
            return 0;
        }
    }

    /** Another file under the name, or a shorter one, has not been sent. */
    private void look() throws IOException {
        BasicFileAttributes found = Files.readAttributes(journal, BasicFileAttributes.class);
        if (file == null || !Objects.equals(file, found.fileKey()) || found.size() < mark.offset()) {
            file = found.fileKey();
            mark = SentMark.of(journal, mark.to());
        }
    }

    /** Stores the position. If it cannot be written it stays in memory: points that are sent twice change nothing. */
    private void keep(JournalBatch batch, long refused) {
        mark = mark.after(batch.size(), batch.points() - refused, refused + batch.rubbish());
        try {
            mark.save(journal);
        } catch (RunDirectoryException error) {
            unwritten = error.getMessage();
        }
    }

    /**
     * The acknowledged part of a journal: {@code X.lp.sent} next to {@code X.lp}, one JSON object, replaced whole.
     *
     * <p>Both languages read and write it, so that the next sender continues from the last acknowledged line. It is
     * not forced to the disk. After a power cut it may be older than the database. Points that are then sent twice
     * change nothing.
     *
     * @param to {@link InfluxAddress#url}
     * @param offset bytes of the journal that are acknowledged; always the start of a line
     * @param points lines that the database took
     * @param refused lines that it refused for good
     */
    record SentMark(String to, long offset, long points, long refused) {

        /** The fields as they are in the file; a missing field is null. */
        private record Fields(String to, Long offset, Long points, Long refused) {}

        static SentMark none(String to) {
            return new SentMark(to, 0, 0, 0);
        }

        /** Reads the mark of a journal. A mark of another database, or of another file, counts for nothing. */
        static SentMark of(Path journal, String to) {
            try {
                return read(
                        WholeFile.read(beside(journal)), to, journal.toFile().length());
            } catch (IOException error) {
                return none(to);
            }
        }

        /** The position to continue from in a journal of {@code size} bytes, by the text of its mark file. */
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

        SentMark after(long bytes, long morePoints, long moreRefused) {
            return new SentMark(to, offset + bytes, points + morePoints, refused + moreRefused);
        }

        /**
         * @throws io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException if it cannot be written
         */
        void save(Path journal) {
            WholeFile.write(beside(journal), Json.file(this));
        }

        private static Path beside(Path journal) {
            return journal.resolveSibling(journal.getFileName() + ".sent");
        }
    }
}
