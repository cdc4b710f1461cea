package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Resolver;
import io.github.switchover.jmeter.target.Source;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A question to a socket, and all that comes up to the end of the connection. Java's Unix sockets know no time-outs, so
 * both kinds are waited for by a selector.
 */
final class SocketFetch {

    private static final int CHUNK = 65536;

    private final Selector selector;
    private final SocketChannel channel;
    private final Deadline deadline;
    private final SelectionKey key;

    private SocketFetch(Selector selector, SocketChannel channel, Deadline deadline) throws IOException {
        this.selector = selector;
        this.channel = channel;
        this.deadline = deadline;
        channel.configureBlocking(false);
        key = channel.register(selector, 0);
    }

    static byte[] fetch(Source source, byte[] request, Deadline deadline, int limitBytes) throws IOException {
        return fetch(source, addresses(source, deadline), request, deadline, limitBytes);
    }

    /** From the first of a source's addresses at which somebody listens. */
    static byte[] fetch(Source source, List<SocketAddress> addresses, byte[] request, Deadline deadline, int limitBytes)
            throws IOException {
        IOException failure = null;
        for (SocketAddress address : addresses) {
            try (Selector selector = Selector.open();
                    SocketChannel channel = open(address)) {
                SocketFetch fetch = new SocketFetch(selector, channel, deadline);
                try {
                    fetch.connect(address);
                } catch (IOException error) {
                    failure = error;
                    continue;
                }
                return fetch.exchange(source, request, limitBytes);
            } catch (UnsupportedOperationException error) {
                throw new IOException("this system has no Unix sockets", error);
            }
        }
        throw failure == null ? new IOException("no address") : failure;
    }

    private static List<SocketAddress> addresses(Source source, Deadline deadline) throws IOException {
        if (source instanceof Source.TcpSocket tcp) {
            List<SocketAddress> found = new ArrayList<>();
            for (InetAddress address : Resolver.resolve(tcp.host(), deadline.check())) {
                found.add(new InetSocketAddress(address, tcp.port()));
            }
            return found;
        }
        return List.of(UnixDomainSocketAddress.of(((Source.UnixSocket) source).path()));
    }

    private static SocketChannel open(SocketAddress address) throws IOException {
        return address instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX)
                : SocketChannel.open();
    }

    private void connect(SocketAddress address) throws IOException {
        boolean stands = channel.connect(address);
        while (!stands) {
            stands = channel.finishConnect();
            if (!stands) {
                await(SelectionKey.OP_CONNECT);
            }
        }
    }

    private byte[] exchange(Source source, byte[] request, int limitBytes) throws IOException {
        if (request != null) {
            ByteBuffer unsent = ByteBuffer.wrap(request);
            while (unsent.hasRemaining()) {
                if (channel.write(unsent) == 0) {
                    await(SelectionKey.OP_WRITE);
                }
            }
        }
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        ByteBuffer piece = ByteBuffer.allocate(CHUNK);
        while (true) {
            piece.clear();
            int count = channel.read(piece);
            if (count < 0) {
                return answer.toByteArray();
            }
            if (count == 0) {
                await(SelectionKey.OP_READ);
            }
            answer.write(piece.array(), 0, count);
            if (answer.size() > limitBytes) {
                throw Transport.tooMuch(source, limitBytes);
            }
            deadline.check();
        }
    }

    private void await(int operation) throws IOException {
        key.interestOps(operation);
        selector.select(deadline.check() / Units.NS_PER_MS + 1);
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted()) {
            throw new IOException("stopped while it was waited for");
        }
    }
}
