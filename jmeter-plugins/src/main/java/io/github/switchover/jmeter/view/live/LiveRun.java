package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.Lines.LineSplitter;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.WholeFile;
import io.github.switchover.jmeter.view.live.LiveTraffic.AnswerSource;
import io.github.switchover.jmeter.view.live.RunSnapshot.RunEvent;
import io.github.switchover.jmeter.view.live.RunSnapshot.ShownVerdict;
import io.github.switchover.jmeter.view.live.RunSnapshot.TrafficSoFar;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A run while others write its directory: the facts so far, in bounded memory. Unreadable files are skipped. Not
 * thread-safe.
 */
final class LiveRun {

    /** The newest events that are kept. */
    static final int EVENTS_LIMIT = 200;

    private static final int TEXT_LIMIT = 300;

    /** The fields of the plan that events of the journal show before run.json does. */
    private static final Map<String, String> MOMENTS = Map.of(
            EventKind.START.label(), "start_us",
            EventKind.FAULT.label(), "fired_from_us",
            EventKind.HEAL.label(), "heal_from_us",
            EventKind.END.label(), "end_us");

    private final Path directory;
    private final FileTail journals;
    private final LiveTraffic traffic = new LiveTraffic();
    private final LiveAddress address = new LiveAddress();
    private final Deque<RunEvent> events = new ArrayDeque<>();
    private final Map<String, FileTime> stamps = new HashMap<>();
    private PlanTimes told = PlanTimes.NOTHING;
    private Run run;
    private Optional<ShownVerdict> verdict = Optional.empty();

    LiveRun(Path directory) {
        this.directory = directory;
        journals = FileTail.journals(directory);
        run = Run.named(String.valueOf(directory.getFileName()), "");
    }

    /** Forgets the counts until now. */
    void clear(long nowUs) {
        traffic.clear(nowUs / Units.US_PER_S);
    }

    boolean isOver() {
        return verdict.isPresent() || moments().endUs() != null;
    }

    /** Reads a part of the new data, {@link FileTail#SLICE_BYTES} of each file; true if there is more. */
    boolean advance(long nowUs) {
        long nowS = nowUs / Units.US_PER_S;
        boolean more = journals.read((file, line) -> read(line, nowS));
        try {
            if (isNew(RunDirectory.RUN_FILE)) {
                run = RunFile.read(directory);
            }
            if (isNew(RunDirectory.VERDICT_FILE)) {
                verdict = readVerdict();
            }
        } catch (IOException | IllegalArgumentException | RunDirectoryException error) {
            stamps.clear(); // it may be there, and whole, at the next time
        }
        traffic.settle(nowS);
        return more;
    }

    /** Files are replaced whole, and only when something has happened. */
    private boolean isNew(String name) throws IOException {
        Path path = directory.resolve(name);
        if (!Files.exists(path)) {
            return false;
        }
        FileTime stamp = Files.getLastModifiedTime(path);
        return !stamp.equals(stamps.put(name, stamp));
    }

    /** A line of a journal. */
    void read(String line, long nowS) {
        boolean isRead = line.startsWith(Measurements.REQUESTS + ",")
                || line.startsWith(Measurements.PROBES + ",")
                || line.startsWith(Measurements.EVENT + ",")
                || line.startsWith(Measurements.VRRP + ",");
        if (!isRead) {
            return;
        }
        try {
            read(PointParser.parse(line), nowS);
        } catch (IllegalArgumentException error) {
            return;
        }
    }

    private void read(Point point, long nowS) {
        switch (point.measurement()) {
            case Measurements.REQUESTS, Measurements.PROBES -> traffic.read(point, nowS);
            case Measurements.VRRP -> address.read(point);
            default -> readEvent(point);
        }
    }

    private void readEvent(Point point) {
        String text = point.text("text");
        int end = text.offsetByCodePoints(0, Math.min(TEXT_LIMIT, text.codePointCount(0, text.length())));
        events.addLast(new RunEvent(point.timeUs(), point.tag("kind"), text.substring(0, end)));
        if (events.size() > EVENTS_LIMIT) {
            events.removeFirst();
        }
        String moment = MOMENTS.get(point.tag("kind"));
        if (moment != null && !told.tree().has(moment)) {
            told = new PlanTimes(told.tree().with(moment, point.timeUs()));
        }
    }

    /**
     * The times of run.json. The journal's events give times that it does not have yet; a heal appears there once it
     * is proved.
     */
    private PlanTimes moments() {
        Tree plan = run.plan().tree();
        for (String moment : told.tree().names()) {
            plan = plan.has(moment) ? plan : plan.with(moment, told.tree().whole(moment));
        }
        return new PlanTimes(plan);
    }

    RunSnapshot snapshot(long nowUs) {
        PlanTimes moments = moments();
        long untilUs = moments.endUs() == null ? nowUs : moments.endUs();
        List<RunEvent> sorted = new ArrayList<>(events);
        sorted.sort(Comparator.comparingLong(RunEvent::atUs));
        return new RunSnapshot(
                run,
                moments,
                untilUs,
                new TrafficSoFar(
                        traffic.seconds(),
                        traffic.shares(AnswerSource::backend),
                        traffic.shares(AnswerSource::balancer),
                        traffic.shares(AnswerSource::answeredBy)),
                address.nodes(run.balancers(), nowUs),
                List.copyOf(sorted),
                verdict);
    }

    /** Empty if the file holds no verdict on this run. */
    private Optional<ShownVerdict> readVerdict() throws IOException {
        Tree found = Tree.parse(WholeFile.read(directory.resolve(RunDirectory.VERDICT_FILE)));
        List<Long> goodUs = new ArrayList<>();
        for (String name : List.of("outage", "failback")) {
            Tree outage = found.child(name);
            if (outage.has("to_us") && !outage.is("censored")) {
                goodUs.add(outage.whole("to_us"));
            }
        }
        boolean isOurs = run.id().equals(found.text("run")) && found.has("verdict");
        return isOurs
                ? Optional.of(new ShownVerdict(
                        found.text("verdict"),
                        found.whole("exit_code", 2) == 0,
                        found.texts("lines"),
                        List.copyOf(goodUs)))
                : Optional.empty();
    }

    /**
     * Whole lines as they are appended, over some files of a directory. Never throws: a file that cannot be read now
     * may be readable later. Not thread-safe.
     *
     * <p>A last line without its newline is still being written, or was cut off: it waits. A file that is shorter
     * than the part already read is another file, and is read from its start.
     */
    static final class FileTail {

        /** Read at a time. */
        static final int SLICE_BYTES = 1 << 20;

        private final File directory;
        private final byte[] buffer = new byte[SLICE_BYTES];
        private final Map<String, Position> positions = new HashMap<>();

        static FileTail journals(Path directory) {
            return new FileTail(directory);
        }

        private FileTail(Path directory) {
            this.directory = directory.toFile();
        }

        /** The position up to which a file has been read. */
        private static final class Position {
            private long offset;
            private LineSplitter lines = new LineSplitter(SLICE_BYTES);
        }

        /** Hands on the new lines, with the name of their file, of a slice of each; true if there is more to read. */
        boolean read(BiConsumer<String, String> lines) {
            File[] files = directory.listFiles(file ->
                    file.getName().startsWith("journal") && file.getName().endsWith(".lp"));
            if (files == null) {
                return false;
            }
            Arrays.sort(files);
            boolean more = false;
            for (File file : files) {
                more |= read(file, positions.computeIfAbsent(file.getName(), name -> new Position()), lines);
            }
            return more;
        }

        private boolean read(File path, Position position, BiConsumer<String, String> lines) {
            int length;
            try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
                if (file.length() < position.offset) {
                    position.offset = 0;
                    position.lines = new LineSplitter(SLICE_BYTES);
                }
                file.seek(position.offset);
                length = Math.max(0, file.read(buffer));
            } catch (IOException error) {
                return false;
            }
            position.offset += length;
            position.lines.feed(buffer, 0, length).forEach(line -> lines.accept(path.getName(), text(line)));
            return length == buffer.length;
        }

        private static String text(byte[] line) {
            boolean carriage = line.length > 0 && line[line.length - 1] == '\r';
            return new String(line, 0, line.length - (carriage ? 1 : 0), StandardCharsets.UTF_8);
        }
    }
}
