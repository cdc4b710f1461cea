package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.clock.ServerClocks;
import io.github.switchover.jmeter.errors.SwitchoverException;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Function;

/** One test of this JVM: who takes part, its run, and what records it. Guarded by the registry's lock. */
final class Session {

    /**
     * An element of the plan, on one server.
     *
     * @param host empty where the test runs in this JVM
     */
    record Member(int identity, String host) {

        static Member of(Object element, String host) {
            return new Member(System.identityHashCode(element), host);
        }
    }

    final Set<Member> members = new LinkedHashSet<>();

    /** All that have taken part; read by any thread. */
    final Set<String> hosts = new CopyOnWriteArraySet<>();

    final ServerClocks servers = new ServerClocks();

    private final Map<Class<?>, AutoCloseable> attached = new LinkedHashMap<>();

    /** The directory of a run that another process conducts; null: the run is ours. */
    final Path conducted;

    /** Null: not known yet. */
    volatile Target target;

    double lateS = DrillSettings.LATE_S;

    /** The hosts whose Balancer Target has spoken, and when the first did. */
    final Set<String> begun = new LinkedHashSet<>();

    long begunNs;

    /** Why there is no run; null: nothing was refused. */
    String refused;

    /** Null: no run of ours, or none yet. */
    volatile Drill drill;

    Session(Path conducted) {
        this.conducted = conducted;
    }

    void add(Object element, String host) {
        members.add(Member.of(element, host));
        hosts.add(host);
    }

    <T extends AutoCloseable> T attached(Class<T> kind) {
        return kind.cast(attached.get(kind));
    }

    <T extends AutoCloseable> T attach(Class<T> kind, Function<RunPlace, T> open, RunPlace place) {
        T opened = open.apply(place);
        attached.put(kind, opened);
        return opened;
    }

    boolean isRecorded() {
        return !attached.isEmpty();
    }

    /** Null where there was no run of ours. What records it ends first: the verdict needs the last sample. */
    Finished finish() {
        List<String> problems = new ArrayList<>();
        for (AutoCloseable recording : attached.values()) {
            try {
                recording.close();
            } catch (Exception error) {
                problems.add(whatWasNotKept(error));
            }
        }
        attached.clear();
        if (drill == null) {
            return null;
        }
        problems.forEach(drill::warn);
        return drill.finish();
    }

    private static String whatWasNotKept(Exception error) {
        String reason = error instanceof SwitchoverException ? error.getMessage() : error.toString();
        return "the load was not recorded to its end: " + reason;
    }
}
