package io.github.switchover.jmeter.drill;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.recording.Recorder.RunPlace;
import io.github.switchover.jmeter.run.ServerClocks;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One test of this JVM, guarded by {@link Runs}, except {@link #drill}, {@link #target} and {@link #servers}. */
final class Session {

    /** JMeter notifies the elements of a plan within microseconds. The test of an older session was never closed. */
    private static final long SAME_START_NS = Units.NS_PER_S;

    /** An element of the plan, on one server; {@code host} empty: this JVM. */
    private record Participant(int identity, String host) {

        static Participant of(Object element, String host) {
            return new Participant(System.identityHashCode(element), host);
        }
    }

    /** The directory of a run that another process conducts; null: this JVM conducts the run. */
    private final @Nullable Path conducted;

    private final RunClock clock;
    private final Set<Participant> members = new LinkedHashSet<>();

    /** The hosts of all participants, including those that have left; any thread may read it. */
    private final Set<String> hosts = new CopyOnWriteArraySet<>();

    private final ServerClocks servers = new ServerClocks();
    private @Nullable AutoCloseable recording;

    /** The hosts whose Balancer Target has called {@link #begin}. */
    private final Set<String> begun = new LinkedHashSet<>();

    private long begunNs;
    private double lateS = DrillSettings.LATE_S;

    /** The reason why there is no run. */
    private @Nullable String refused;

    private volatile @Nullable Target target;
    private volatile @Nullable Drill drill;

    Session(@Nullable Path conducted, RunClock clock) {
        this.conducted = conducted;
        this.clock = clock;
    }

    /** The drill; null: this JVM conducts no run, or has not started it yet. */
    @Nullable
    Drill drill() {
        return drill;
    }

    /** The target. */
    @Nullable
    Target target() {
        return target;
    }

    ServerClocks servers() {
        return servers;
    }

    void add(Object element, String host) {
        members.add(Participant.of(element, host));
        hosts.add(host);
    }

    /** Removes a participant; false if it was not registered. */
    boolean remove(Object element, String host) {
        return members.remove(Participant.of(element, host));
    }

    /** Removes all participants of a server; false if there were none. */
    boolean removeAll(String host) {
        return members.removeIf(member -> member.host.equals(host));
    }

    boolean isDeserted() {
        return members.isEmpty();
    }

    /** True if a Balancer Target on that host has called {@link #begin}. */
    boolean hasBegun(String host) {
        return begun.contains(host);
    }

    /** True if the session is so new that an element that begins now is from the same plan. */
    boolean isStarting() {
        return recording == null && System.nanoTime() - begunNs < SAME_START_NS;
    }

    /** Called once per host. The first call starts the run. If it is refused, each call throws the reason. */
    void begin(String host, Supplier<DrillSettings> settings) {
        boolean first = begun.isEmpty();
        begun.add(host);
        if (first) {
            try {
                start(settings);
            } finally {
                begunNs = System.nanoTime();
            }
        } else if (refused != null) {
            throw new UsageException(refused);
        }
    }

    /** Returns the recorder, which the first call opens. {@code bare}: the settings without a Balancer Target. */
    <T extends AutoCloseable> T attach(Class<T> kind, Function<RunPlace, T> open, Supplier<DrillSettings> bare) {
        if (recording == null) {
            recording = open.apply(place(bare));
        }
        return kind.cast(recording);
    }

    /** Adds a warning to run.json, if this JVM conducts the run. */
    void warn(String text) {
        if (drill != null) {
            drill.warn(text);
        }
    }

    /** Records in run.json that a server disappeared, if this JVM conducts the run. */
    void lost(String server) {
        if (drill != null) {
            drill.lost(server);
        }
    }

    /** Closes the recorder, and ends the run. Returns null if this JVM conducted no run. */
    @Nullable
    RunResult finish() {
        if (drill != null) {
            drill.endTest();
        }
        AutoCloseable ending = recording;
        recording = null;
        try {
            if (ending != null) {
                ending.close();
            }
        } catch (Exception error) {
            String reason = error instanceof SwitchoverException ? error.getMessage() : error.toString();
            warn("the load was not recorded to its end: " + reason);
        }
        return drill == null ? null : drill.finish();
    }

    private void start(Supplier<DrillSettings> settings) {
        try {
            DrillSettings chosen = settings.get();
            target = chosen.target();
            lateS = chosen.probing().lateS();
            if (conducted == null) {
                drill = Drill.start(chosen, clock);
            }
        } catch (SwitchoverException error) {
            refused = error.getMessage();
            throw error;
        }
    }

    private RunPlace place(Supplier<DrillSettings> bare) {
        if (refused != null) {
            throw new UsageException(refused);
        }
        if (target == null) {
            start(bare);
        }
        if (drill != null) {
            drill.expectLoad();
        }
        Path directory = conducted == null ? requireNonNull(drill).directory() : conducted;
        String id = drill == null ? directory.getFileName().toString() : drill.id();
        long lateUs = Math.round(lateS * Units.US_PER_S);
        return new RunPlace(directory, id, requireNonNull(target).identity(), lateUs, clock, hosts, servers);
    }
}
