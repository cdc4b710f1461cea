package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.ConsoleLine;
import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.jmeter.engine.ClientJMeterEngine;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a test that cannot run as its plan describes, and shows the reason to the user. */
public final class TestStop {

    private static final Logger log = LoggerFactory.getLogger(TestStop.class);

    /** The longest wait for the end of a test, before which no thread group may start. */
    private static final long LONGEST_WAIT_NS = 5_000_000_000L;

    private static final long POLL_NS = 1_000_000;

    /** {@code host}: the server that runs the test; empty: this JVM. */
    public static void because(String reason, String host) {
        String line = "Switchover: the test is stopped: " + reason;
        log.error("{}", line);
        ConsoleLine.print(line);
        JMeterWindow.show(line);
        if (host.isEmpty()) {
            BooleanSupplier isStopping = CurrentTest.stopping();
            StandardJMeterEngine.stopEngineNow();
            long limitNs = System.nanoTime() + LONGEST_WAIT_NS;
            while (!isStopping.getAsBoolean() && System.nanoTime() < limitNs) {
                LockSupport.parkNanos(POLL_NS);
            }
            return;
        }
        try {
            new ClientJMeterEngine(host).stopTest(true);
        } catch (NotBoundException | RemoteException error) {
            log.error("Switchover: the test on {} cannot be stopped: {}", host, error.getMessage());
        }
    }
}
