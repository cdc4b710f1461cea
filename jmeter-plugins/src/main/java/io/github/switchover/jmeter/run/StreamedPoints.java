package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Numbers;
import java.nio.file.Path;

/**
 * What became of the points of a run that went to a database.
 *
 * @param to the database, without credentials
 * @param points taken by the database
 * @param left still to be sent
 * @param why what the database said last of lines that it refused, or of those that are left; or empty
 */
public record StreamedPoints(String to, long points, long refused, long left, String why) {

    /** For the run's summary, with the next command where something is left. */
    public String line(Path directory) {
        long total = points + refused + left;
        String line = "streamed " + Numbers.grouped(points) + " of " + Numbers.grouped(total) + " points"
                + (refused > 0 ? ", " + Numbers.grouped(refused) + " refused" : "")
                + (why.isEmpty() ? "" : " (" + why + ")");
        return left > 0 ? line + ": 'switchover upload " + directory + "' sends the rest" : line;
    }
}
