package io.github.switchover.jmeter.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/** A connected socket that never waits, in the clear or with TLS on top. */
interface HttpSocket {

    /** Goes on until it is usable, as far as that is possible now; true when it is. */
    boolean establish() throws IOException;

    /** Sends what it can; true when all has left. */
    boolean write(ByteBuffer data) throws IOException;

    /** How many bytes came: 0 if there are none now, -1 at the end. */
    int read(ByteBuffer buffer) throws IOException;

    /** What has come already raises no event of the socket any more. */
    boolean hasBuffered();

    /** The {@link SelectionKey} operation that {@link #establish} or {@link #write} waits for. */
    int waitsFor();

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
}
