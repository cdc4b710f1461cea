package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.run.ServerClocks;
import io.github.switchover.jmeter.run.ServerClocks.ClockReading;
import java.io.Serializable;
import java.rmi.NoSuchObjectException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.server.UnicastRemoteObject;
import org.apache.jmeter.rmi.RmiUtils;
import org.apache.jmeter.util.JMeterUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares a server's clock with the client's clock: made on the client, and sent to the server of a remote test. */
public final class ClockQuestions implements Serializable {

    private static final long serialVersionUID = 1L;
    private static final Logger log = LoggerFactory.getLogger(ClockQuestions.class);

    private static final int QUESTIONS = 8;

    /** The clock of the client. */
    private final @Nullable ClientClock client;

    ClockQuestions(@Nullable ClientClock client) {
        this.client = client;
    }

    /** Creates the object on the client. The client answers until the server has reported the end of its test. */
    public static ClockQuestions to(ClockOwner owner) {
        return new ClockQuestions(new ClockDesk(owner).open());
    }

    /** Called on the server, before its test makes a sample. */
    public void before(String server) {
        report(server, false);
    }

    /** Called on the server at the end of its test. The client waits for this call. */
    public void after(String server) {
        report(server, true);
    }

    /** Returns the best reading of the client's clock. */
    private @Nullable ClockReading ask() {
        ClockReading best = null;
        try {
            for (int i = 0; client != null && i < QUESTIONS; i++) {
                long sentNs = RunClock.wallNs();
                long runNs = client.nowNs();
                long receivedNs = RunClock.wallNs();
                // If the wall clock was set back during the reading, the reading is invalid.
                if (receivedNs >= sentNs) {
                    ClockReading reading = ClockReading.of(sentNs, runNs, receivedNs);
                    best = best == null ? reading : best.orNarrower(reading);
                }
            }
        } catch (RemoteException error) {
            log.warn("Switchover: the client's clock could not be read: {}", error.toString());
        }
        return best;
    }

    private void report(String server, boolean hasEnded) {
        ClockReading reading = ask();
        if (client == null || (reading == null && !hasEnded)) {
            return;
        }
        try {
            client.report(server, hasEnded, reading);
        } catch (RemoteException error) {
            log.warn("Switchover: the clock offset could not be sent to the client: {}", error.toString());
        }
    }

    /** The remote interface to the client's clock, through which servers report their own clock. */
    interface ClientClock extends Remote {

        /** Returns the time on the run's clock. */
        long nowNs() throws RemoteException;

        /** Reports the lead of a server's clock, before or after its test. The reading is null if it failed. */
        void report(String server, boolean hasEnded, @Nullable ClockReading reading) throws RemoteException;
    }

    /** The run on the client of a remote test. Servers compare their clocks with the clock of this run. */
    public interface ClockOwner {

        /** The clock of the run. */
        RunClock clock();

        ServerClocks serverClocks();

        /** Delays the end of the run until {@link #leave}; returns false if the run is already over. */
        boolean enter(Object desk, String server);

        /** Ends the delay of {@code desk}. Returns the result of the run if the run ends now. */
        @Nullable
        Object leave(Object desk, String server);
    }

    /** Answers one server. The run ends only after the last message of this server, in any order of notifications. */
    static final class ClockDesk implements ClientClock {

        private static final Logger log = LoggerFactory.getLogger(ClockDesk.class);

        /** The base port on which servers call JMeter's listeners; this class uses the third port from it. */
        private static final String LOCAL_PORT = "client.rmi.localport";

        private static final int PORTS_BEFORE = 2;

        private final ClockOwner owner;

        ClockDesk(ClockOwner owner) {
            this.owner = owner;
        }

        /** Returns the object to send to a server; null: the server cannot connect back. */
        @Nullable
        ClientClock open() {
            try {
                int first = JMeterUtils.getPropDefault(LOCAL_PORT, 0);
                return (ClientClock) UnicastRemoteObject.exportObject(
                        this,
                        first == 0 ? 0 : first + PORTS_BEFORE,
                        RmiUtils.createClientSocketFactory(),
                        RmiUtils.createServerSocketFactory());
            } catch (RemoteException error) {
                log.warn(
                        "Switchover: the servers cannot compare their clocks with this client's clock: {}",
                        error.toString());
                return null;
            }
        }

        @Override
        public long nowNs() {
            return owner.clock().nowNs();
        }

        @Override
        public void report(String server, boolean hasEnded, @Nullable ClockReading reading) {
            if (!hasEnded) {
                owner.enter(this, server);
            }
            if (reading != null) {
                owner.serverClocks().add(server, hasEnded, reading);
            }
            if (hasEnded) {
                close();
                owner.leave(this, server);
            }
        }

        private void close() {
            try {
                UnicastRemoteObject.unexportObject(this, true);
            } catch (NoSuchObjectException error) {
                log.debug("it was closed before", error);
            }
        }
    }
}
