package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.streaming.InfluxAnswer.Meaning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;

/**
 * One journal's points, from its offset on, a batch at a time. The file may grow, and another may come in its place. For
 * one thread.
 */
final class JournalSender {

    /** Bytes of a batch that no database refuses for its size alone. */
    private static final int SMALLEST = 4_096;

    /** What all journals share: the room for a batch, and how large one may be: refused once is not tried again. */
    static final class Room {
        private final byte[] buffer = new byte[JournalBatch.BYTES];
        private int limit = JournalBatch.BYTES;
    }

    private final Path journal;
    private final Room room;
    private SentMark mark;
    private Object file;
    private String unwritten;

    JournalSender(Path journal, String to, Room room) {
        this.journal = journal;
        this.room = room;
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
     * Posts the next batch, and keeps how far it got; null: there is none. What the answer says to wait for is posted
     * again by the next step.
     *
     * @throws IOException if the journal cannot be read
     */
    InfluxAnswer step(InfluxWriter writer) throws IOException {
        look();
        JournalBatch batch = JournalBatch.read(journal, mark.offset(), room.buffer, room.limit);
        if (batch == null) {
            return null;
        }
        InfluxAnswer answer = batch.points() == 0 ? InfluxAnswer.TAKEN : deliver(writer, batch.lines());
        if (answer.meaning() == Meaning.TAKEN) {
            keep(batch, Math.min(answer.refused(), batch.points()));
        }
        return answer;
    }

    /** Lines that are still to be sent; 0 if the journal cannot be read, which a step would have said. */
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

    /** All of it, in halves where that is asked for; the answer is TAKEN with what was refused, or WAIT. */
    private InfluxAnswer deliver(InfluxWriter writer, byte[] lines) {
        InfluxAnswer answer = writer.post(lines);
        if (answer.meaning() != Meaning.HALVE) {
            return answer;
        }
        int middle = middle(lines);
        if (middle == 0) {
            return InfluxAnswer.taken(1, answer.why());
        }
        if (answer.tooLarge()) {
            room.limit = Math.max(Math.min(room.limit, lines.length / 2), SMALLEST);
        }
        InfluxAnswer first = deliver(writer, Arrays.copyOf(lines, middle));
        if (first.meaning() == Meaning.WAIT) {
            return first;
        }
        InfluxAnswer second = deliver(writer, Arrays.copyOfRange(lines, middle, lines.length));
        return second.meaning() == Meaning.WAIT
                ? second
                : InfluxAnswer.taken(
                        first.refused() + second.refused(), first.why().isEmpty() ? second.why() : first.why());
    }

    /** Behind the newline that is next to the middle; 0 where there is one line only. */
    private static int middle(byte[] lines) {
        int half = lines.length / 2;
        for (int away = 0; away <= half; away++) {
            if (half + away < lines.length - 1 && lines[half + away] == '\n') {
                return half + away + 1;
            }
            if (lines[half - away] == '\n') {
                return half - away + 1;
            }
        }
        return 0;
    }

    /** An offset that cannot be written is only kept in mind: what is then sent twice changes nothing. */
    private void keep(JournalBatch batch, long refused) {
        mark = mark.after(batch.size(), batch.points() - refused, refused + batch.rubbish());
        try {
            mark.save(journal);
        } catch (RunDirectoryException error) {
            unwritten = error.getMessage();
        }
    }
}
