package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A server on a Unix socket that reads a line, answers and closes; or, without an answer, says nothing. */
final class UnixServer implements AutoCloseable {

    private final Path path;
    private final String answer;
    private final ServerSocketChannel listener;
    private final CountDownLatch over = new CountDownLatch(1);

    UnixServer(Path path, String answer) throws IOException {
        this.path = path;
        this.answer = answer;
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        Thread thread = new Thread(this::accept, "unix server");
        thread.setDaemon(true);
        thread.start();
    }

    Source source() {
        return new Source.UnixSocket(path.toString());
    }

    @Override
    public void close() throws IOException {
        over.countDown();
        listener.close();
        Files.deleteIfExists(path);
    }

    private void accept() {
        while (over.getCount() > 0) {
            try (SocketChannel connection = listener.accept()) {
                connection.read(ByteBuffer.allocate(1024));
                if (answer == null) {
                    over.await();
                } else {
                    connection.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
                }
            } catch (IOException error) {
                // The next one may stay.
            } catch (InterruptedException error) {
                return;
            }
        }
    }
}
