package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.BoundedCache;
import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.recording.Recorder.RunPlace;
import io.github.switchover.jmeter.run.PointFormat;
import io.github.switchover.jmeter.run.SampleWriter;
import io.github.switchover.jmeter.run.Seal;
import io.github.switchover.jmeter.run.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sample log and the traffic of one process of the load. Not thread-safe.
 *
 * <p>The samples of a server arrive up to a minute late, roughly in the order of their ends, so their times close a
 * second. A later sample is counted in the oldest second that is still open.
 */
final class WorkerPart implements AutoCloseable {

    static final String GENERATOR = "jmeter";

    private static final int KINDS_LIMIT = 10_000;

    /** The key of requests that the traffic counts together. */
    private record TrafficKind(String label, Identity identity, Outcome outcome) {}

    private final String worker;
    private final String run;
    private final long lateUs;
    private final BoundedNames labels;
    private final SampleWriter writer;
    private final Traffic traffic;
    private final BoundedCache<TrafficKind, Traffic.Series> series = new BoundedCache<>(KINDS_LIMIT, this::seriesOf);
    private final TreeMap<Long, Integer> usersBySecond = new TreeMap<>();
    private final AtomicLong refused = new AtomicLong();
    private volatile String whyRefused = "";
    private volatile boolean ended;
    private long latestUs;
    private long samples;

    /** {@code worker}: empty for this process. */
    WorkerPart(RunPlace place, String worker, BoundedNames labels) {
        this.worker = worker;
        this.labels = labels;
        ended = worker.isEmpty(); // this process needs no message about its end
        run = place.run();
        lateUs = place.lateUs();
        writer = new SampleWriter(place.directory().resolve(fileName(worker)));
        traffic = new Traffic(Measurements.REQUESTS, run, worker);
    }

    static String fileName(String worker) {
        return worker.isEmpty() ? "samples.jtl" : "samples-" + worker.replaceAll("[^A-Za-z0-9._-]+", "-") + ".jtl";
    }

    String worker() {
        return worker;
    }

    /** Records, on any thread, that the process has reported its end. */
    void end() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Counts, on any thread, a lost sample. Returns true for the first. */
    boolean refuse(String why) {
        boolean isFirst = refused.incrementAndGet() == 1;
        if (isFirst) {
            whyRefused = why;
        }
        return isFirst;
    }

    void add(Sample sample) {
        writer.write(sample);
        samples++;
        long waitedUs = sample.endUs() - sample.startUs();
        Outcome outcome = Outcome.of(sample, lateUs);
        TrafficKind kind = new TrafficKind(sample.request().label(), sample.identity(), outcome);
        traffic.add(
                Math.max(sample.endUs(), traffic.openFromUs()),
                waitedUs,
                sample.answer().receivedBytes(),
                series.get(kind));
        latestUs = Math.max(latestUs, sample.endUs());
        if (!worker.isEmpty()) {
            usersBySecond.put(Math.floorDiv(sample.endUs(), Units.US_PER_S), (int)
                    sample.client().users());
        }
    }

    private Traffic.Series seriesOf(TrafficKind kind) {
        return traffic.series(Map.of(
                "generator", GENERATOR,
                "label", labels.admit(kind.label),
                "backend", kind.identity.backend(),
                "balancer", kind.identity.balancer(),
                "answered_by", kind.identity.answeredBy().label(),
                "outcome", kind.outcome.label()));
    }

    /** Writes the rows to the operating system. */
    void flush() {
        writer.flush();
    }

    /** Returns the lines of complete seconds that are new or changed; at the end, all remaining lines. */
    List<String> takePoints(long nowUs, boolean end) {
        long beforeUs = end ? Math.max(nowUs, latestUs) + Units.US_PER_S : worker.isEmpty() ? nowUs : latestUs;
        List<String> lines = new ArrayList<>();
        var complete = usersBySecond.headMap(Math.floorDiv(beforeUs, Units.US_PER_S));
        complete.forEach((second, active) -> lines.add(users(active, second * Units.US_PER_S)));
        complete.clear();
        lines.addAll(traffic.flush(beforeUs));
        return lines;
    }

    String users(int active, long atUs) {
        return PointFormat.format(
                Measurements.USERS,
                Map.of("generator", GENERATOR, "run", run, "worker", worker),
                Map.of("active", FieldValue.of((long) active)),
                atUs * Units.NS_PER_US);
    }

    /** Returns the number of rows, including rows that were lost on a full disk. */
    long samples() {
        return samples;
    }

    long refused() {
        return refused.get();
    }

    long lost() {
        return writer.lost();
    }

    Seal seal() {
        return writer.seal();
    }

    /** Returns the reasons for lost samples. */
    List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (writer.warning() != null) {
            warnings.add(writer.warning());
        }
        if (refused() > 0) {
            warnings.add(Numbers.grouped(refused()) + " samples were not recorded: " + whyRefused);
        }
        return warnings;
    }

    @Override
    public void close() {
        writer.close();
    }
}
