package io.github.switchover.jmeter.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** In the clear. */
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
