package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.LineSplitter;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.run.AccessLogFacts;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** Counts the complete lines that are written to it, and hands on their records while they are few. */
final class LogCounter extends OutputStream {

    /** Lines that are kept one by one; of a longer log only the counts are. */
    static final int RECORDS_LIMIT = 1_000_000;

    /** Distinct client addresses that are counted apart; the rest are {@code other}. */
    static final int REMOTES_LIMIT = 256;

    private static final int LINE_LIMIT = 65_536;
    private static final String UNREAD = "unread";
    private static final String OTHER = "other";

    private final RunTimes times;
    private final LogTable table;
    private final Map<String, Long> byStatus = new LinkedHashMap<>();
    private final Map<String, Long> byRemote = new LinkedHashMap<>();
    private final LineSplitter lines = new LineSplitter(LINE_LIMIT);
    private long counted;
    private long records;

    LogCounter(RunTimes times, LogTable table) {
        this.times = times;
        this.table = table;
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        lines.feed(bytes, offset, length).forEach(line -> count(LogRecord.of(line)));
        if (lines.dropped() > 0) {
            throw new SourceException("it has an endless line: that is no access log");
        }
    }

    /** More than the table takes. */
    boolean isTooLong() {
        return records > RECORDS_LIMIT;
    }

    AccessLogCount result(String node, String warning) {
        return new AccessLogCount(node, new AccessLogFacts(counted, byStatus, byRemote, warning), !isTooLong());
    }

    private void count(LogRecord logged) {
        counted++;
        byStatus.merge(logged == null ? UNREAD : String.valueOf(logged.status()), 1L, Long::sum);
        if (logged == null) {
            return;
        }
        boolean known = byRemote.containsKey(logged.remote()) || byRemote.size() < REMOTES_LIMIT;
        byRemote.merge(known ? logged.remote() : OTHER, 1L, Long::sum);
        records++;
        if (!isTooLong()) {
            table.write(logged, times.of(logged.timeUs()));
        }
    }
}
