package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.streaming.InfluxAnswer.Meaning;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Posts all journals of a run directory while they grow, in one thread, one request at a time.
 *
 * <p>While the database is unavailable, unsent points stay in their files, so memory does not grow. Only the end of the
 * run waits for the shipper, for a limited time.
 */
public final class Shipper implements AutoCloseable {

    /** The times between searches for new lines, and before attempts (doubled up to {@code lastRetryNs}). */
    record Pace(long lookNs, long retryNs, long lastRetryNs) {

        static final Pace USUAL = new Pace(200_000_000, 500_000_000, 5_000_000_000L);
    }

    /** The time between two attempts to interrupt a request. */
    private static final long INTERRUPT_NS = 20_000_000;

    /** The longest wait for the end of the thread, which is longer than a DNS lookup that cannot be interrupted. */
    private static final long CLOSE_NS = 5_000_000_000L;

    private final Pace pace;
    private final Path directory;
    private final StreamSettings settings;
    private final Consumer<String> warn;
    private final InfluxWriter writer;
    private final byte[] buffer = new byte[JournalBatch.BYTES];
    private final Map<Path, JournalSender> senders = new TreeMap<>();
    private final Set<String> warned = new HashSet<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "switchover influx");
    private long retryNs;
    private String why = "";
    private volatile boolean finishing;
    private volatile boolean over;

    private Shipper(Path directory, StreamSettings settings, Consumer<String> warn, Pace pace) {
        this.pace = pace;
        retryNs = pace.retryNs;
        this.directory = directory;
        this.settings = settings;
        this.warn = warn;
        writer = new InfluxWriter(settings.address(), settings.credentials());
        thread.setDaemon(true);
    }

    /** {@code warn} gets one line when points are refused or delayed for the first time. It is called on any thread. */
    public static Shipper start(Path directory, StreamSettings settings, Consumer<String> warn) {
        return start(directory, settings, warn, Pace.USUAL);
    }

    static Shipper start(Path directory, StreamSettings settings, Consumer<String> warn, Pace pace) {
        Shipper shipper = new Shipper(directory, settings, warn, pace);
        shipper.thread.start();
        return shipper;
    }

    /** Sends the remaining points, for as long as the settings allow, and returns the result for all points. */
    public StreamedPoints finish() {
        finishing = true;
        LockSupport.unpark(thread);
        UninterruptedWait.await(ended, Units.ns(settings.waitS()));
        close();
        long points = 0;
        long refused = 0;
        long left = 0;
        for (JournalSender sender : found()) {
            left += sender.left();
            points += sender.mark().points();
            refused += sender.mark().refused();
        }
        return new StreamedPoints(settings.address().url(), points, refused, left, left + refused > 0 ? why : "");
    }

    /** Stops at once; unsent points stay in their files. */
    @Override
    public void close() {
        over = true;
        long deadlineNs = System.nanoTime() + CLOSE_NS;
        do {
            writer.interrupt();
            LockSupport.unpark(thread);
        } while (!UninterruptedWait.await(ended, INTERRUPT_NS) && System.nanoTime() < deadlineNs);
    }

    private void run() {
        try (writer) {
            while (!over) {
                boolean last = finishing;
                long pauseNs = postAll();
                if (last && pauseNs == 0) {
                    return;
                }
                pause(pauseNs == 0 ? pace.lookNs : pauseNs, last);
            }
        } catch (RuntimeException error) {
            warnOnce("defect", "points are not streamed any more: " + error);
        } finally {
            ended.countDown();
        }
    }

    /** The end of the run shortens one pause, so that a database that was unavailable is tried again. */
    private void pause(long pauseNs, boolean last) {
        long untilNs = System.nanoTime() + pauseNs;
        while (!over && System.nanoTime() - untilNs < 0) {
            if (finishing && !last) {
                retryNs = pace.retryNs;
                return;
            }
            LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }

    /** Sends all present points, one batch of each journal in rotation. Returns the pause until a retry, or 0. */
    private long postAll() {
        boolean some = true;
        while (some && !over) {
            some = false;
            for (JournalSender sender : found()) {
                InfluxAnswer answer = step(sender);
                if (answer != null && answer.meaning() == Meaning.WAIT) {
                    return backOff(answer);
                }
                some |= answer != null;
            }
            retryNs = pace.retryNs;
        }
        return 0;
    }

    /** Sends the next batch and returns the answer. */
    private @Nullable InfluxAnswer step(JournalSender sender) {
        InfluxAnswer answer;
        try {
            answer = sender.step(writer, buffer);
        } catch (IOException error) {
            warnOnce("unread", "cannot read a journal: " + Reason.of(error) + "; its points are not sent");
            return null;
        }

        if (answer != null && answer.meaning() == Meaning.TAKEN && answer.refused() > 0) {
            why = answer.why();
            warnOnce("refused", settings.address().url() + " refuses some points: " + answer.why());
        }
        return answer;
    }

    private long backOff(InfluxAnswer answer) {
        why = answer.why();
        if (!over) {
            warnOnce(
                    "waiting",
                    settings.address().url() + " accepts no points: " + answer.why() + "; the journal keeps them");
        }
        long pauseNs = answer.retryAfterS() == null ? retryNs : Math.max(pace.retryNs, Units.ns(answer.retryAfterS()));
        retryNs = Math.min(retryNs * 2, pace.lastRetryNs);
        return pauseNs;
    }

    private Collection<JournalSender> found() {
        try (DirectoryStream<Path> journals = Files.newDirectoryStream(directory, "journal*.lp")) {
            journals.forEach(path -> senders.computeIfAbsent(
                    path,
                    journal -> new JournalSender(journal, settings.address().url())));
        } catch (IOException error) {
            warnOnce("unread", "cannot read " + directory + ": " + Reason.of(error) + "; its points are not sent");
        }
        return List.copyOf(senders.values());
    }

    private void warnOnce(String kind, String text) {
        if (warned.add(kind)) {
            warn.accept(text);
        }
    }

    /** The result of sending a run's points: accepted, refused and unsent, and the database's last complaint. */
    public record StreamedPoints(String to, long points, long refused, long left, String why) {

        public String line(Path directory) {
            long total = points + refused + left;
            String line = "streamed " + Numbers.grouped(points) + " of " + Numbers.grouped(total) + " points"
                    + (refused > 0 ? ", " + Numbers.grouped(refused) + " refused" : "")
                    + (why.isEmpty() ? "" : " (" + why + ")");
            return left > 0 ? line + ": 'switchover influx upload " + directory + "' sends the rest" : line;
        }
    }
}
