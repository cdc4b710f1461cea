package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.ClockReading;
import java.rmi.Remote;
import java.rmi.RemoteException;

/** The client of a remote test, as its servers see it. */
interface ClientClock extends Remote {

    /** The run's clock. */
    long nowNs() throws RemoteException;

    /** A server's test is about to begin, and this is how far that server's clock is ahead. */
    void before(String server, ClockReading reading) throws RemoteException;

    /** Its test is over. The reading is null if it could not be made. */
    void after(String server, ClockReading reading) throws RemoteException;
}
