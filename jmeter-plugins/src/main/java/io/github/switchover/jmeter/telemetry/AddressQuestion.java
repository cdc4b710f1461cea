package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.SourceException;
import java.util.Set;
import java.util.function.Supplier;

/** The addresses of a node, asked for on a thread of its own: lines that come meanwhile are read as they come. */
final class AddressQuestion {

    private final long askedNs;
    private final Thread thread;
    private volatile Set<String> found;
    private volatile String error = "";

    /** {@code ask} gives the interfaces that have the address. */
    AddressQuestion(Supplier<Set<String>> ask, long askedNs) {
        this.askedNs = askedNs;
        thread = DaemonThread.start("switchover-addresses", () -> {
            try {
                found = ask.get();
            } catch (SourceException failure) {
                error = failure.getMessage();
            }
        });
    }

    boolean isOver() {
        return !thread.isAlive();
    }

    long askedNs() {
        return askedNs;
    }

    /** Null where the node did not answer. */
    Set<String> found() {
        return found;
    }

    String error() {
        return error;
    }
}
