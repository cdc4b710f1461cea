package io.github.switchover.jmeter.command;

import java.util.List;

/** A source of lines, for one reading thread; opened again whenever it ended. */
public interface LineSource extends AutoCloseable {

    /** What has come, waiting at most so long for it. Never throws: what goes wrong is a {@link LineEvent.Closed}. */
    List<LineEvent> poll(long timeoutNs) throws InterruptedException;

    @Override
    void close();
}
