package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.ClockReading;
import java.rmi.NoSuchObjectException;
import java.rmi.RemoteException;
import java.rmi.server.UnicastRemoteObject;
import org.apache.jmeter.rmi.RmiUtils;
import org.apache.jmeter.util.JMeterUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one server of a remote test what time it is in the client. The run waits for that server's last word, whichever
 * of its elements JMeter tells first that the test is over.
 */
final class ClockDesk implements ClientClock {

    private static final Logger log = LoggerFactory.getLogger(ClockDesk.class);

    /** Where JMeter's own listeners are called by the servers, for which a firewall is open: the third port of these. */
    private static final String LOCAL_PORT = "client.rmi.localport";

    private static final int PORTS_BEFORE = 2;

    private final ClockOwner owner;

    ClockDesk(ClockOwner owner) {
        this.owner = owner;
    }

    /** To be sent to a server; null: there is no way for it to ask. */
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
