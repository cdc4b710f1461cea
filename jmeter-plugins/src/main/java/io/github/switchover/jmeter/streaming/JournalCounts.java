package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.run.StreamedPoints;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Counts what became of the points of a run directory. */
final class JournalCounts {

    private JournalCounts() {}

    /** As the files have it, where no shipper counts. */
    static StreamedPoints byFiles(Path directory, String to) {
        JournalSender.Room room = new JournalSender.Room();
        List<JournalSender> senders = new ArrayList<>();
        try {
            journals(directory).forEach(journal -> senders.add(new JournalSender(journal, to, room)));
        } catch (IOException unreadable) {
            // Nothing is known of it.
            return new StreamedPoints(to, 0, 0, 0, "");
        }
        return of(to, senders, "");
    }

    static StreamedPoints of(String to, Collection<JournalSender> senders, String why) {
        long points = 0;
        long refused = 0;
        long left = 0;
        for (JournalSender sender : senders) {
            left += sender.left();
            points += sender.mark().points();
            refused += sender.mark().refused();
        }
        return new StreamedPoints(to, points, refused, left, left + refused > 0 ? why : "");
    }

    /** In no order. */
    static List<Path> journals(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> journals = Files.newDirectoryStream(directory, "journal*.lp")) {
            journals.forEach(found::add);
        }
        return found;
    }
}
