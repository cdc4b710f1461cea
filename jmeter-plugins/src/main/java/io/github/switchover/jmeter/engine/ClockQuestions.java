package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.ClockReading;
import io.github.switchover.jmeter.core.RunClock;
import java.io.Serializable;
import java.rmi.RemoteException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the client of a remote test what time it is there. Made in the client, it takes the way to it along when it is sent
 * to a server.
 */
public final class ClockQuestions implements Serializable {

    private static final long serialVersionUID = 1L;
    private static final Logger log = LoggerFactory.getLogger(ClockQuestions.class);

    /** Of several answers the narrowest counts; the first one opens the connection. */
    private static final int QUESTIONS = 8;

    /** Null: there is none. */
    private final ClientClock client;

    ClockQuestions(ClientClock client) {
        this.client = client;
    }

    /** In the client, where it is answered until the server has said that its test is over. */
    public static ClockQuestions to(ClockOwner owner) {
        return new ClockQuestions(new ClockDesk(owner).open());
    }

    /** On the server, before its test makes a sample. */
    public void before(String server) {
        ClockReading reading = ask();
        if (reading != null) {
            tell(() -> client.before(server, reading));
        }
    }

    /** On the server, when its test is over, for which the client waits. */
    public void after(String server) {
        ClockReading reading = ask();
        if (client != null) {
            tell(() -> client.after(server, reading));
        }
    }

    /** Null: unknown. */
    private ClockReading ask() {
        ClockReading best = null;
        try {
            for (int i = 0; client != null && i < QUESTIONS; i++) {
                long sentNs = RunClock.wallNs();
                long runNs = client.nowNs();
                long receivedNs = RunClock.wallNs();
                // A wall clock that was set back meanwhile tells nothing.
                if (receivedNs >= sentNs) {
                    ClockReading reading = ClockReading.of(sentNs, runNs, receivedNs);
                    best = best == null ? reading : best.orNarrower(reading);
                }
            }
        } catch (RemoteException error) {
            log.warn("Switchover: the client's clock could not be asked: {}", error.toString());
        }
        return best;
    }

    private static void tell(ClockWord status) {
        try {
            status.say();
        } catch (RemoteException error) {
            log.warn("Switchover: the client could not be told how the clocks compare: {}", error.toString());
        }
    }

    @FunctionalInterface
    private interface ClockWord {
        void say() throws RemoteException;
    }
}
