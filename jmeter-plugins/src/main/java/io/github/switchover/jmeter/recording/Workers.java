package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.recording.Recorder.RecorderSettings;
import io.github.switchover.jmeter.run.LoadFile;
import io.github.switchover.jmeter.run.Seal;
import io.github.switchover.jmeter.run.ServerClocks.ClockReading;
import io.github.switchover.jmeter.run.WholeFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The processes that make the load. Parts and sums are only for the recorder's thread. */
final class Workers {

    private static final Logger log = LoggerFactory.getLogger(Workers.class);

    /** The highest number of distinct labels in the traffic. The sample log has all labels. */
    private static final int LABELS_LIMIT = 1000;

    private static final ClockReading EXACT = new ClockReading(0, 0);

    private static final class Worker {
        final WorkerPart part;
        final AtomicLong refused = new AtomicLong();
        volatile String why = "";
        volatile boolean ended;

        Worker(WorkerPart part) {
            this.part = part;
            // This process needs no message about its end.
            ended = part.worker().isEmpty();
        }
    }

    private final RecorderSettings settings;
    private final BoundedNames labels = new BoundedNames(LABELS_LIMIT);
    private final Map<String, Worker> members = new ConcurrentSkipListMap<>();

    Workers(RecorderSettings settings) {
        this.settings = settings;
    }

    /** Adds a worker; false if already added. Throws RunDirectoryException if its sample log cannot be written. */
    synchronized boolean began(String worker) {
        if (members.containsKey(worker)) {
            return false;
        }
        members.put(worker, new Worker(new WorkerPart(settings, worker, labels)));
        return true;
    }

    void ended(String worker) {
        Worker member = members.get(worker);
        if (member != null) {
            member.ended = true;
        }
    }

    /** Counts a lost sample of the worker. */
    void refused(String worker, String why) {
        Worker member = members.get(worker);
        if (member != null && member.refused.incrementAndGet() == 1) {
            member.why = why;
            log.error("Switchover: samples are lost: {}", why);
        }
    }

    /** Returns the part of the worker. */
    @Nullable
    WorkerPart part(String worker) {
        Worker member = members.get(worker);
        return member == null ? null : member.part;
    }

    void flush() {
        members.values().forEach(member -> member.part.flush());
    }

    List<String> takePoints(long nowUs, boolean end) {
        List<String> lines = new ArrayList<>();
        members.values().forEach(member -> lines.addAll(member.part.takePoints(nowUs, end)));
        return lines;
    }

    void close() {
        members.values().forEach(member -> member.part.close());
    }

    /** Returns the names of the workers' files in the run directory. */
    List<String> parts() {
        return members.keySet().stream().map(WorkerPart::fileName).toList();
    }

    Map<String, Seal> seals() {
        Map<String, Seal> seals = new LinkedHashMap<>();
        members.forEach((worker, member) -> seals.put(WorkerPart.fileName(worker), member.part.seal()));
        return seals;
    }

    List<Tree> facts() {
        return members.values().stream().map(this::factsOf).toList();
    }

    /** Returns the problems of the load, one line each. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (labels.overflowed()) {
            warnings.add("more than " + Numbers.grouped(LABELS_LIMIT)
                    + " request names: the traffic counts the rest as other");
        }
        for (Worker member : members.values()) {
            if (member.part.warning() != null) {
                warnings.add(member.part.warning());
            }
            if (member.refused.get() > 0) {
                warnings.add(Numbers.grouped(member.refused.get()) + " samples were not recorded: " + member.why);
            }
            if (!member.ended) {
                warnings.add("server " + member.part.worker() + " stopped without reporting its end: "
                        + Numbers.grouped(member.part.samples())
                        + " of its samples were received, and their total number is unknown");
            } else if (!member.part.worker().isEmpty()
                    && !settings.place().servers().areKnown(member.part.worker())) {
                warnings.add("server " + member.part.worker()
                        + ": its clock could not be compared with the client's, so its times may be wrong; add Who"
                        + " Answered to the plan");
            }
        }
        return warnings;
    }

    /** {@code offset_us}: the lead of the worker's clock over the run's clock. {@code bound_us}: its uncertainty. */
    private Tree factsOf(Worker member) {
        WorkerPart part = member.part;
        boolean here = part.worker().isEmpty();
        ClockReading clock = here ? EXACT : settings.place().servers().reading(part.worker());
        return Tree.of(
                "worker",
                part.worker(),
                "host",
                here ? hostName() : LoadFile.hostOf(part.worker()),
                "part",
                WorkerPart.fileName(part.worker()),
                "here",
                true,
                "samples",
                part.samples() + member.refused.get(),
                "points",
                part.samples(),
                "lost",
                part.lost() + member.refused.get(),
                "resends",
                null,
                "offset_us",
                clock == null ? null : clock.offsetUs(),
                "bound_us",
                clock == null ? null : clock.boundUs(),
                "joined",
                "start",
                "ended",
                member.ended ? LoadFile.STOPPED : LoadFile.LOST);
    }

    private static String hostName() {
        try {
            return WholeFile.read(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException elsewhere) {
            return System.getenv().getOrDefault("COMPUTERNAME", "localhost");
        }
    }
}
