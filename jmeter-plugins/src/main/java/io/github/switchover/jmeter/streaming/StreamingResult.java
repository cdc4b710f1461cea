package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.Numbers;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What became of the points of a run directory.
 *
 * @param to {@link InfluxAddress#url}
 * @param points taken by the database
 * @param left still to be sent
 * @param why what the database said last of lines that it refused, or of those that are left; or empty
 */
public record StreamingResult(String to, long points, long refused, long left, String why) {

    /** As the files have it, for when nobody follows them. */
    static StreamingResult byFiles(Path directory, String to) {
        JournalSender.Room room = new JournalSender.Room();
        List<JournalSender> senders = new ArrayList<>();
        try {
            journals(directory).forEach(journal -> senders.add(new JournalSender(journal, to, room)));
        } catch (IOException unreadable) {
            // Nothing is known of it.
            return new StreamingResult(to, 0, 0, 0, "");
        }
        return of(to, senders, "");
    }

    static StreamingResult of(String to, Collection<JournalSender> senders, String why) {
        long points = 0;
        long refused = 0;
        long left = 0;
        for (JournalSender sender : senders) {
            left += sender.left();
            points += sender.mark().points();
            refused += sender.mark().refused();
        }
        return new StreamingResult(to, points, refused, left, left + refused > 0 ? why : "");
    }

    static List<Path> journals(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> journals = Files.newDirectoryStream(directory, "journal*.lp")) {
            journals.forEach(found::add);
        }
        found.sort(null);
        return found;
    }

    /** For the run's summary, with the next command where something is left. */
    public String line(Path directory) {
        long total = points + refused + left;
        String line = "streamed " + Numbers.grouped(points) + " of " + Numbers.grouped(total) + " points"
                + (refused > 0 ? ", " + Numbers.grouped(refused) + " refused" : "")
                + (why.isEmpty() ? "" : " (" + why + ")");
        return left > 0 ? line + ": 'switchover upload " + directory + "' sends the rest" : line;
    }

    /** For {@code run.json}. */
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("to", to);
        facts.put("points", points);
        facts.put("refused", refused);
        facts.put("left", left);
        facts.put("why", why);
        return facts;
    }
}
