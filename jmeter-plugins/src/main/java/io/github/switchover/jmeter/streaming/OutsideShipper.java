package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.StreamedPoints;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * A shipper that a lab keeps for those inside, who have no way to a database: it is told what a shipper's process is
 * told on its standard input, and says what such a process says.
 */
final class OutsideShipper implements Streaming {

    /** In the lab's directory. */
    static final String SOCKET = "follow.sock";

    /** For a shipper that has given up, to count what is left. */
    private static final double LAST_WORD_S = 3;

    private final SocketChannel channel;
    private final Path directory;
    private final StreamSettings settings;
    private final Consumer<String> warn;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile StreamedPoints account;

    private OutsideShipper(SocketChannel channel, Path directory, StreamSettings settings, Consumer<String> warn) {
        this.channel = channel;
        this.directory = directory;
        this.settings = settings;
        this.warn = warn;
    }

    /** Throws if there is no shipper. */
    static OutsideShipper start(Path socket, Path directory, StreamSettings settings, Consumer<String> warn)
            throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        OutsideShipper shipper = new OutsideShipper(channel, directory, settings, warn);
        try {
            ByteBuffer spec = ByteBuffer.wrap(shipper.spec().getBytes(StandardCharsets.UTF_8));
            while (spec.hasRemaining()) {
                channel.write(spec);
            }
        } catch (IOException error) {
            channel.close();
            throw error;
        }
        DaemonThread.start("switchover influx", shipper::hear);
        return shipper;
    }

    @Override
    public StreamedPoints finish() {
        try {
            channel.shutdownOutput();
            UninterruptedWait.await(ended, Units.ns(settings.waitS() + LAST_WORD_S));
        } catch (IOException gone) {
            // Then the files say how far it came.
        }
        close();
        return account == null
                ? JournalCounts.byFiles(directory, settings.address().url())
                : account;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException error) {
            // It is closed all the same.
            return;
        }
    }

    private void hear() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                hear(Json.read(line, Message.class));
            }
        } catch (IOException | IllegalArgumentException gone) {
            // Its last word is missing then, which is noticed.
        } finally {
            ended.countDown();
        }
    }

    private void hear(Message message) {
        if (message.account != null) {
            Account counts = message.account;
            account = new StreamedPoints(
                    settings.address().url(),
                    counts.points,
                    counts.refused,
                    counts.left,
                    counts.why == null ? "" : counts.why);
        } else if (message.warning != null || message.error != null) {
            warn.accept(message.warning == null ? message.error : message.warning);
        }
    }

    /** A line that a shipper says; only one of its fields is there. */
    private record Message(Account account, String warning, String error) {}

    /** Its last word. */
    private record Account(long points, long refused, long left, String why) {}

    /** What a shipper is told. */
    private record Order(String directory, String url, InfluxCredentials credentials, double waitS, String outside) {}

    /** One line; the credentials are in it, and go nowhere else. */
    private String spec() {
        return Json.line(new Order(
                        directory.toAbsolutePath().toString(),
                        settings.address().url(),
                        settings.credentials(),
                        settings.waitS(),
                        null))
                + '\n';
    }
}
