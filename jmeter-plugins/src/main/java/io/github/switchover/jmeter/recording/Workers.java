package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.recording.Recorder.RunPlace;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The processes that make the load. Parts and sums are only for the recorder's thread. */
final class Workers {

    private static final Logger log = LoggerFactory.getLogger(Workers.class);

    /** The highest number of distinct labels in the traffic. The sample log has all labels. */
    private static final int LABELS_LIMIT = 1000;

    private static final ClockReading EXACT = new ClockReading(0, 0);

    private final RunPlace place;
    private final BoundedNames labels = new BoundedNames(LABELS_LIMIT);
    private final Map<String, WorkerPart> members = new ConcurrentSkipListMap<>();

    Workers(RunPlace place) {
        this.place = place;
    }

    /** Adds a worker; false if already added. Throws RunDirectoryException if its sample log cannot be written. */
    synchronized boolean began(String worker) {
        if (members.containsKey(worker)) {
            return false;
        }
        members.put(worker, new WorkerPart(place, worker, labels));
        return true;
    }

    void ended(String worker) {
        WorkerPart member = members.get(worker);
        if (member != null) {
            member.end();
        }
    }

    /** Counts a lost sample of the worker. */
    void refused(String worker, String why) {
        WorkerPart member = members.get(worker);
        if (member != null && member.refuse(why)) {
            log.error("Switchover: samples are lost: {}", why);
        }
    }

    /** Returns the part of the worker. */
    @Nullable
    WorkerPart part(String worker) {
        return members.get(worker);
    }

    void flush() {
        members.values().forEach(WorkerPart::flush);
    }

    List<String> takePoints(long nowUs, boolean end) {
        List<String> lines = new ArrayList<>();
        members.values().forEach(member -> lines.addAll(member.takePoints(nowUs, end)));
        return lines;
    }

    void close() {
        members.values().forEach(WorkerPart::close);
    }

    /** Returns the names of the workers' files in the run directory. */
    List<String> parts() {
        return members.keySet().stream().map(WorkerPart::fileName).toList();
    }

    Map<String, Seal> seals() {
        Map<String, Seal> seals = new LinkedHashMap<>();
        members.forEach((worker, member) -> seals.put(WorkerPart.fileName(worker), member.seal()));
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
        for (WorkerPart member : members.values()) {
            warnings.addAll(member.warnings());
            if (!member.hasEnded()) {
                warnings.add("server " + member.worker() + " stopped without reporting its end: "
                        + Numbers.grouped(member.samples())
                        + " of its samples were received, and their total number is unknown");
            } else if (!member.worker().isEmpty() && !place.servers().areKnown(member.worker())) {
                warnings.add("server " + member.worker()
                        + ": its clock could not be compared with the client's, so its times may be wrong; add Who"
                        + " Answered to the plan");
            }
        }
        return warnings;
    }

    /** {@code offset_us}: the lead of the worker's clock over the run's clock. {@code bound_us}: its uncertainty. */
    private Tree factsOf(WorkerPart part) {
        boolean here = part.worker().isEmpty();
        ClockReading clock = here ? EXACT : place.servers().reading(part.worker());
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
                part.samples() + part.refused(),
                "points",
                part.samples(),
                "lost",
                part.lost() + part.refused(),
                "resends",
                null,
                "offset_us",
                clock == null ? null : clock.offsetUs(),
                "bound_us",
                clock == null ? null : clock.boundUs(),
                "joined",
                "start",
                "ended",
                part.hasEnded() ? LoadFile.STOPPED : LoadFile.LOST);
    }

    private static String hostName() {
        try {
            return WholeFile.read(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException elsewhere) {
            return System.getenv().getOrDefault("COMPUTERNAME", "localhost");
        }
    }
}
