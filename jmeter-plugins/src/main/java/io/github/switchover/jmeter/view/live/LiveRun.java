package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.Lines.LineSplitter;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import io.github.switchover.jmeter.verdict.Ownership;
import io.github.switchover.jmeter.view.live.LiveTraffic.AnswerSource;
import io.github.switchover.jmeter.view.live.RunSnapshot.Holder;
import io.github.switchover.jmeter.view.live.RunSnapshot.RunState;
import io.github.switchover.jmeter.view.live.RunSnapshot.TrafficSoFar;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Reads a run while its journals are written, in bounded memory. Unreadable files are skipped. Not thread-safe. */
final class LiveRun {

    static final int OWNERSHIP_LIMIT = 2000;

    private final FileTail journals;
    private final LiveTraffic traffic = new LiveTraffic();

    /** The newest {@code switchover_vrrp} points: an address may move back and forth for hours. */
    private final Deque<Point> ownership = new ArrayDeque<>();

    Path directory() {
        return journals.directory.toPath();
    }

    LiveRun(Path directory) {
        journals = new FileTail(directory);
    }

    /** Reads at most {@link FileTail#SLICE_BYTES} of new data from each file; true if there is more. */
    boolean advance(long nowUs) {
        long nowS = nowUs / Units.US_PER_S;
        boolean more = journals.read(line -> read(line, nowS));
        traffic.settle(nowS);
        return more;
    }

    /** Reads a line of a journal. */
    void read(String line, long nowS) {
        boolean isTraffic = line.startsWith(Measurements.REQUESTS + ",") || line.startsWith(Measurements.PROBES + ",");
        if (!isTraffic && !line.startsWith(Measurements.VRRP + ",")) {
            return;
        }
        Point point;
        try {
            point = PointParser.parse(line);
        } catch (IllegalArgumentException error) {
            return;
        }
        if (isTraffic) {
            traffic.read(point, nowS);
        } else {
            ownership.addLast(point);
            if (ownership.size() > OWNERSHIP_LIMIT) {
                ownership.removeFirst();
            }
        }
    }

    RunSnapshot snapshot(RunState state, long nowUs) {
        Long endUs = state.run().plan().endUs();
        return new RunSnapshot(
                state,
                endUs == null ? nowUs : endUs,
                new TrafficSoFar(
                        traffic.seconds(),
                        traffic.shares(AnswerSource::backend),
                        traffic.shares(AnswerSource::balancer),
                        traffic.shares(AnswerSource::answeredBy)),
                holders(state.run().balancers()));
    }

    /** Returns each balancer, and each other node that a source reported. */
    private List<Holder> holders(List<String> balancers) {
        Ownership owners = Ownership.of(ownership);
        Set<String> observed = owners.nodes();
        Set<String> named = new LinkedHashSet<>(balancers);
        named.addAll(observed);
        return named.stream()
                .map(node -> new Holder(node, observed.contains(node), owners.holdsAt(node, Long.MAX_VALUE)))
                .toList();
    }

    /** Reads complete new lines from journals. A file that became shorter is read again. Not thread-safe. */
    static final class FileTail {

        /** The number of bytes that are read at once. */
        static final int SLICE_BYTES = 1 << 20;

        private final File directory;
        private final byte[] buffer = new byte[SLICE_BYTES];
        private final Map<String, Position> positions = new HashMap<>();

        FileTail(Path directory) {
            this.directory = directory.toFile();
        }

        /** The position up to which a file has been read. */
        private static final class Position {
            private long offset;
            private LineSplitter lines = new LineSplitter(SLICE_BYTES);
        }

        /** Passes on the new lines of one slice of each file; true if there is more to read. */
        boolean read(Consumer<String> lines) {
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

        private boolean read(File path, Position position, Consumer<String> lines) {
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
            position.lines.feed(buffer, 0, length).forEach(line -> lines.accept(text(line)));
            return length == buffer.length;
        }

        private static String text(byte[] line) {
            boolean carriage = line.length > 0 && line[line.length - 1] == '\r';
            return new String(line, 0, line.length - (carriage ? 1 : 0), StandardCharsets.UTF_8);
        }
    }
}
