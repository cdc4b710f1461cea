package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Ignored;
import io.github.switchover.jmeter.core.SampleReader;

/** Lines of a run that could not be used; complete when probes and samples have been read. */
public record UnreadLines(Ignored probes, Ignored samples, Ignored journals) {

    public static UnreadLines none() {
        return new UnreadLines(new Ignored(), new Ignored(), new Ignored());
    }

    long total() {
        return probes.total() + samples.total() + journals.total();
    }

    /** Rows that stood for a request; a header in the middle of a log stands for none. */
    static long rows(Ignored log) {
        return log.total() - log.reasons().getOrDefault(SampleReader.REPEATED_HEADER, 0L);
    }
}
