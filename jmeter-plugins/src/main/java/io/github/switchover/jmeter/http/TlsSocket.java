package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.http.Connection.HttpSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** TLS on a non-blocking socket. The cryptography runs on the calling thread. */
final class TlsSocket implements HttpSocket {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    private final SSLEngine engine;
    /** Received bytes that are not decrypted yet; ready to be filled. */
    private final ByteBuffer received;
    /** Decrypted bytes that were not read yet; ready to be read. */
    private final ByteBuffer decrypted;
    /** Encrypted bytes that are not sent yet; ready to be read. */
    private final ByteBuffer encrypted;

    private boolean established;
    private int waitsFor = SelectionKey.OP_READ;

    TlsSocket(SocketChannel channel, SSLEngine engine) throws IOException {
        this.channel = channel;
        this.engine = engine;
        int packet = engine.getSession().getPacketBufferSize();
        received = ByteBuffer.allocate(packet);
        encrypted = ByteBuffer.allocate(packet).limit(0);
        decrypted = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                .limit(0);
        engine.beginHandshake();
    }

    @Override
    public boolean establish() throws IOException {
        while (!established) {
            if (!flush()) {
                return false;
            }
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_WRAP -> wrap(NOTHING);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    SSLEngineResult.Status status = unwrap();
                    if (status == SSLEngineResult.Status.BUFFER_UNDERFLOW && !fill()) {
                        waitsFor = SelectionKey.OP_READ;
                        return false;
                    }
                    if (status == SSLEngineResult.Status.CLOSED) {
                        throw new SSLException("closed during the TLS handshake");
                    }
                }
                case FINISHED, NOT_HANDSHAKING -> established = true;
            }
        }
        return true;
    }

    @Override
    public boolean write(ByteBuffer data) throws IOException {
        while (flush()) {
            if (!data.hasRemaining()) {
                return true;
            }
            wrap(data);
        }
        return false;
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
        while (!decrypted.hasRemaining()) {
            SSLEngineResult.Status status = unwrap();
            if (status == SSLEngineResult.Status.CLOSED) {
                return -1;
            }
            answerPeer();
            if (status == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                int count = channel.read(received);
                if (count <= 0) {
                    return count;
                }
            }
        }
        int count = Math.min(decrypted.remaining(), buffer.remaining());
        buffer.put(decrypted.slice(decrypted.position(), count));
        decrypted.position(decrypted.position() + count);
        return count;
    }

    @Override
    public boolean hasBuffered() {
        return decrypted.hasRemaining() || received.position() > 0;
    }

    @Override
    public int waitsFor() {
        return waitsFor;
    }

    /** Handles TLS messages after the handshake, such as a change of keys. */
    private void answerPeer() throws IOException {
        HandshakeStatus status = engine.getHandshakeStatus();
        while (status == HandshakeStatus.NEED_TASK || status == HandshakeStatus.NEED_WRAP) {
            if (status == HandshakeStatus.NEED_TASK) {
                engine.getDelegatedTask().run();
            } else if (!flush()) {
                return;
            } else {
                wrap(NOTHING);
                flush();
            }
            status = engine.getHandshakeStatus();
        }
    }

    /** Returns false if the socket accepts no more data now. */
    private boolean flush() throws IOException {
        if (encrypted.hasRemaining()) {
            channel.write(encrypted);
        }
        waitsFor = SelectionKey.OP_WRITE;
        return !encrypted.hasRemaining();
    }

    private void wrap(ByteBuffer data) throws IOException {
        encrypted.clear();
        SSLEngineResult result = engine.wrap(data, encrypted);
        encrypted.flip();
        if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
            flush();
            throw new SSLException("TLS was ended by the peer");
        }
    }

    private SSLEngineResult.Status unwrap() throws SSLException {
        received.flip();
        decrypted.clear();
        SSLEngineResult.Status status;
        try {
            status = engine.unwrap(received, decrypted).getStatus();
        } finally {
            decrypted.flip();
            received.compact();
        }
        boolean cannotGrow = status == SSLEngineResult.Status.BUFFER_UNDERFLOW && !received.hasRemaining();
        if (cannotGrow || status == SSLEngineResult.Status.BUFFER_OVERFLOW) {
            throw new SSLException("a TLS record longer than TLS allows");
        }
        return status;
    }

    /** Returns false if no data is available. */
    private boolean fill() throws IOException {
        int count = channel.read(received);
        if (count < 0) {
            throw new SSLException("closed during the TLS handshake");
        }
        return count > 0;
    }
}
