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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the client of a remote test for the client's time. It is made in the client, and carries the connection to it
 * when it is sent to a server.
 */
public final class ClockQuestions implements Serializable {

    private static final long serialVersionUID = 1L;
    private static final Logger log = LoggerFactory.getLogger(ClockQuestions.class);

    private static final int QUESTIONS = 8;

    /** The clock of the client; null if there is no client. */
    private final ClientClock client;

    ClockQuestions(ClientClock client) {
        this.client = client;
    }

    /** Created in the client, which answers until the server has reported the end of its test. */
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

    /** The best reading of the client's clock; null if no reading succeeded. */
    private ClockReading ask() {
        ClockReading best = null;
        try {
            for (int i = 0; client != null && i < QUESTIONS; i++) {
                long sentNs = RunClock.wallNs();
                long runNs = client.nowNs();
                long receivedNs = RunClock.wallNs();
                // A wall clock that was set back meanwhile gives no valid reading.
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

    /** The client of a remote test, as its servers see it. */
    interface ClientClock extends Remote {

        /** The run's clock. */
        long nowNs() throws RemoteException;

        /** A server's test is about to begin, and this is how far that server's clock is ahead. */
        void before(String server, ClockReading reading) throws RemoteException;

        /** Its test is over. The reading is null if it could not be made. */
        void after(String server, ClockReading reading) throws RemoteException;
    }

    /** The run in the client of a remote test: its servers compare their clocks with this one's. */
    public interface ClockOwner {

        /** The clock of the run. */
        RunClock clock();

        ServerClocks serverClocks();

        /** The run does not end before {@code desk} has left; false if it is over. */
        boolean enter(Object desk, String server);

        /** The result of the run, if it ends now; else null. */
        Object leave(Object desk, String server);
    }

    /**
     * Answers one server of a remote test with the client's time. The run waits for that server's last message,
     * whichever of its elements JMeter notifies first of the end.
     */
    static final class ClockDesk implements ClientClock {

        private static final Logger log = LoggerFactory.getLogger(ClockDesk.class);

        /**
         * The base port on which the servers call JMeter's listeners, and for which a firewall is open: the third
         * port from here is used.
         */
        private static final String LOCAL_PORT = "client.rmi.localport";

        private static final int PORTS_BEFORE = 2;

        private final ClockOwner owner;

        ClockDesk(ClockOwner owner) {
            this.owner = owner;
        }

        /** Returns the object to send to a server; null: the server cannot connect back. */
        ClientClock open() {
            try {
                int first = JMeterUtils.getPropDefault(LOCAL_PORT, 0);
                return (ClientClock) UnicastRemoteObject.exportObject(
                        this,
                        first == 0 ? 0 : first + PORTS_BEFORE,
                        RmiUtils.createClientSocketFactory(),
                        RmiUtils.createServerSocketFactory());
            } catch (RemoteException error) {
                log.warn("Switchover: no server can compare its clock with this one's: {}", error.toString());
                return null;
            }
        }

        @Override
        public long nowNs() {
            return owner.clock().nowNs();
        }

        @Override
        public void before(String server, ClockReading reading) {
            owner.enter(this, server);
            owner.serverClocks().before(server, reading);
        }

        @Override
        public void after(String server, ClockReading reading) {
            if (reading != null) {
                owner.serverClocks().after(server, reading);
            }
            close();
            owner.leave(this, server);
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
