package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.SourceException;
import java.io.IOException;
import java.io.OutputStream;

/** Passes on what stands behind a place of a log, if what stands before it is still the same. */
final class LogSkip extends OutputStream {

    private final LogPlace place;
    private final OutputStream sink;
    private long at;
    private byte[] before = new byte[0];

    /** {@code at}: where the first byte that it is given stands. */
    LogSkip(LogPlace place, long at, OutputStream sink) {
        this.place = place;
        this.at = at;
        this.sink = sink;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int old = (int) Math.min(length, Math.max(place.size() - at, 0));
        at += length;
        before = LogPlace.joined(before, bytes, offset, old);
        if (old < length) {
            compare();
            sink.write(bytes, offset + old, length - old);
        }
    }

    /** At the end: the log has not become shorter than it was. */
    void check() {
        if (at < place.size()) {
            throw new SourceException("it was truncated in the middle of the run");
        }
        compare();
    }

    private void compare() {
        if (place.size() > 0 && !LogPlace.text(before).equals(place.seen())) {
            throw new SourceException("it was truncated or replaced in the middle of the run");
        }
    }
}
