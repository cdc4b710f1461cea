package io.github.switchover.jmeter.http;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.command.GroupedProcess;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A socket, and the exchange that uses the socket now.
 *
 * <p>The socket is closed by RST (SO_LINGER 0), without TIME_WAIT. Otherwise, at 1,000 probes/s, all ports would be in
 * use after half a minute.
 */
final class Connection {

    final SocketChannel channel;
    final Destination destination;
    final boolean keeps;
    /** Null until the TCP connection is established. */
    @Nullable
    HttpSocket line;
    /** True when TLS is established, if the connection uses TLS. */
    boolean secured;
    /** Null while a kept connection is idle. */
    @Nullable
    Exchange exchange;

    private @Nullable SelectionKey key;

    private Connection(SocketChannel channel, Destination destination, boolean keeps) {
        this.channel = channel;
        this.destination = destination;
        this.keeps = keeps;
    }

    /** Opens a new socket. If this fails, a limit of this machine is the cause. */
    static Connection open(Destination destination, boolean keeps) throws IOException {
        InetAddress address = destination.address().getAddress();
        SocketChannel channel = SocketChannel.open(
                address instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        } catch (IOException error) {
            channel.close();
            throw error;
        }
        return new Connection(channel, destination, keeps);
    }

    /** The socket of an established connection. */
    HttpSocket line() {
        return requireNonNull(line);
    }

    /** Starts or continues to connect; true when the connection is established. */
    boolean connect() throws IOException {
        boolean stands = channel.isConnectionPending()
                ? channel.finishConnect()
                : channel.connect(destination.address()) || channel.finishConnect();
        if (stands) {
            TlsClient tls = destination.tls();
            line = tls == null ? new HttpSocket.PlainSocket(channel) : new TlsSocket(channel, tls.engine());
        }
        return stands;
    }

    void watch(Selector selector, int operation) throws IOException {
        if (key == null) {
            key = channel.register(selector, operation, this);
        } else if (key.interestOps() != operation) {
            key.interestOps(operation);
        }
    }

    /** Closes the socket. The selector frees the descriptor at its next select. */
    void close() {
        exchange = null;
        GroupedProcess.close(channel); // its descriptor is freed even if this fails
    }

    /** A connected non-blocking socket, with or without TLS. */
    interface HttpSocket {

        /** Continues the handshake without blocking; true when the socket is usable. */
        boolean establish() throws IOException;

        /** Sends as much data as possible without blocking; true when all data is sent. */
        boolean write(ByteBuffer data) throws IOException;

        /** Returns the number of bytes read: 0 if no data is available, -1 at the end. */
        int read(ByteBuffer buffer) throws IOException;

        boolean hasBuffered();

        /** The {@link SelectionKey} operation that {@link #establish} or {@link #write} waits for. */
        int waitsFor();

        /** A socket without TLS. */
        record PlainSocket(SocketChannel channel) implements HttpSocket {

            @Override
            public boolean establish() {
                return true;
            }

            @Override
            public boolean write(ByteBuffer data) throws IOException {
                channel.write(data);
                return !data.hasRemaining();
            }

            @Override
            public int read(ByteBuffer buffer) throws IOException {
                return channel.read(buffer);
            }

            @Override
            public boolean hasBuffered() {
                return false;
            }

            @Override
            public int waitsFor() {
                return SelectionKey.OP_WRITE;
            }
        }
    }
}
