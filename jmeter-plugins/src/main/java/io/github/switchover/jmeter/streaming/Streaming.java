package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.run.StreamedPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Somebody follows a run's journals to a database. Nothing that becomes of it disturbs the run. */
public interface Streaming extends AutoCloseable {

    /**
     * From now on. In a lab's client somebody outside follows, who has a way to the database.
     *
     * @param lab the directory of the lab that is drilled; null: none
     * @param warn gets one line the first time that something is refused or has to wait, on any thread
     */
    static Streaming start(Path directory, StreamSettings settings, Path lab, Consumer<String> warn) {
        Path socket = lab == null ? null : lab.resolve(OutsideShipper.SOCKET);
        if (socket != null && Files.exists(socket)) {
            try {
                return OutsideShipper.start(socket, directory, settings, warn);
            } catch (IOException noShipper) {
                // It is followed here then.
            }
        }
        return Shipper.start(directory, settings, warn);
    }

    /** Everything is written: the rest is sent, for as long as the settings say; and what became of it all. */
    StreamedPoints finish();

    /** Ends at once; what is left stays in its files. */
    @Override
    void close();
}
