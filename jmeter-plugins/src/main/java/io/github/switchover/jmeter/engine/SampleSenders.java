package io.github.switchover.jmeter.engine;

import java.util.List;
import java.util.Locale;
import org.apache.jmeter.util.JMeterUtils;
import org.jspecify.annotations.Nullable;

/** The way in which the servers of a remote test send their samples: JMeter's property {@code mode}. */
public final class SampleSenders {

    /** JMeter's default. */
    public static final String USUAL = "StrippedBatch";

    private static final String PROPERTY = "mode";
    private static final List<String> SUMMING = List.of("statistical");
    private static final List<String> LOSING = List.of("asynch", "strippedasynch");

    public static String chosen() {
        return JMeterUtils.getPropDefault(PROPERTY, USUAL);
    }

    /** Returns the reason why samples cannot be recorded with this sender. */
    public static @Nullable String refusal(String mode) {
        String name = mode.substring(mode.lastIndexOf('.') + 1)
                .replaceFirst("SampleSender$", "")
                .toLowerCase(Locale.ROOT);
        String advice = "; start the client with -J" + PROPERTY + "=" + USUAL
                + ", or Standard, Batch, DiskStore, StrippedDiskStore";
        if (LOSING.contains(name)) {
            return PROPERTY + "=" + mode + " loses samples on their way from the servers" + advice;
        }
        if (SUMMING.contains(name)) {
            return PROPERTY + "=" + mode + " sends sums, and no samples, from the servers" + advice;
        }
        return null;
    }
}
