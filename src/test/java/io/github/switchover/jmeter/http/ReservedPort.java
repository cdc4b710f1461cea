package io.github.switchover.jmeter.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A port of loopback that no other process gets, and at which nobody listens but what the test starts there. */
public final class ReservedPort implements AutoCloseable {

    private final Socket holder = new Socket();

    public ReservedPort() throws IOException {
        // Linux lets a server beside it, as long as both ask for this and the one here does not listen.
        holder.setReuseAddress(true);
        holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    public int number() {
        return holder.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        holder.close();
    }
}
