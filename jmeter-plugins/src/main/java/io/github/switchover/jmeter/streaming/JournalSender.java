package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.WholeFile;
import io.github.switchover.jmeter.streaming.InfluxAnswer.Meaning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Sends the points of one journal in batches. The file may grow, or may be replaced. For one thread. */
final class JournalSender {

    private final Path journal;
    private SentMark mark;
    private @Nullable Object file;

    /** The highest number of lines in the next batch, which falls after a batch that was refused. */
    private int lines = JournalBatch.LINES;

    JournalSender(Path journal, String to) {
        this.journal = journal;
        mark = SentMark.none(to);
    }

    SentMark mark() {
        return mark;
    }

    /**
     * Posts the next batch; null: none is left. A batch that was not accepted is repeated, halved if necessary.
     *
     * @throws IOException if the journal cannot be read
     */
    @Nullable
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

    /** Returns the number of unsent lines; 0 if the journal cannot be read, which a step has already reported. */
    long left() {
        try {
            look();
            return JournalBatch.count(journal, mark.offset());
        } catch (IOException error) {
            return 0;
        }
    }

    /** Checks the file: a replaced or shortened file is sent from its start. */
    private void look() throws IOException {
        BasicFileAttributes found = Files.readAttributes(journal, BasicFileAttributes.class);
        if (file == null || !Objects.equals(file, found.fileKey()) || found.size() < mark.offset()) {
            file = found.fileKey();
            mark = SentMark.of(journal, mark.to());
        }
    }

    /** Stores the position, if possible: points that are sent twice do not change the stored points. */
    private void keep(JournalBatch batch, long refused) {
        mark = mark.after(batch.size(), batch.points() - refused, refused + batch.rubbish());
        try {
            mark.save(journal);
        } catch (RunDirectoryException error) {
            return; // the position stays in memory
        }
    }

    /**
     * The acknowledged part of a journal, {@code X.lp.sent}, which Python reads and writes too.
     *
     * <p>It is not synced to the disk, so it may be older than the database. Points that are sent twice do not change
     * the stored points.
     */
    record SentMark(String to, long offset, long points, long refused) {

        static SentMark none(String to) {
            return new SentMark(to, 0, 0, 0);
        }

        /** Reads the mark of a journal. A mark of another database or of another file is ignored. */
        static SentMark of(Path journal, String to) {
            try {
                return read(
                        WholeFile.read(markFile(journal)), to, journal.toFile().length());
            } catch (IOException error) {
                return none(to);
            }
        }

        /** Returns the mark to continue from, for a journal of {@code size} bytes and the text of its mark file. */
        static SentMark read(String text, String to, long size) {
            try {
                Tree read = Tree.parse(text);
                SentMark mark = new SentMark(
                        read.text("to", ""),
                        read.whole("offset", -1),
                        read.whole("points", -1),
                        read.whole("refused", -1));
                boolean isValid = to.equals(mark.to)
                        && LongStream.of(mark.offset, mark.points, mark.refused)
                                        .min()
                                        .getAsLong()
                                >= 0
                        && mark.offset <= size;
                return isValid ? mark : none(to);
            } catch (IllegalArgumentException | RunDirectoryException error) {
                return none(to);
            }
        }

        SentMark after(long bytes, long morePoints, long moreRefused) {
            return new SentMark(to, offset + bytes, points + morePoints, refused + moreRefused);
        }

        void save(Path journal) {
            WholeFile.write(markFile(journal), Json.file(this));
        }

        private static Path markFile(Path journal) {
            return journal.resolveSibling(journal.getFileName() + ".sent");
        }
    }
}
