package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.ServerClocks.ClockReading;
import io.github.switchover.jmeter.run.ServerClocks.NodeClock;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Measures the offset of a node's clock from the clock of the run.
 *
 * <p>The offset lies between (node time - received) and (node time - sent); the try with the smallest bound is used.
 */
public final class ClockOffset {

    private static final int TRIES = 5;
    private static final int LIMIT_BYTES = 4096;
    private static final int SHOWN_CHARACTERS = 40;
    private static final Pattern SECONDS = Pattern.compile("\\s*([0-9]{9,11})\\.([0-9]{9})\\s*");

    /** Measures the offset of a node's clock. Throws SourceException if every try failed. */
    public static @Nullable ClockReading measure(Node node, RunClock clock) {
        if (node.sources().sharedClock()) {
            return new ClockReading(0, 0);
        }
        if (node.sources().clock() == null) {
            return null;
        }
        ClockReading best = null;
        SourceException failure = null;
        for (int i = 0; i < TRIES; i++) {
            try {
                ClockReading reading = tryOnce(node.sources().clock(), clock);
                best = best == null ? reading : best.orNarrower(reading);
            } catch (SourceException error) {
                failure = error;
            }
        }
        if (best == null) {
            throw failure;
        }
        return best;
    }

    /** Measures all clocks for which the target file has a command, before or after the run. */
    public static List<NodeClock> measureAll(List<Node> nodes, RunClock clock, String when) {
        return DaemonThread.mapAll("switchover clock", nodes, node -> described(node, clock, when)).stream()
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<NodeClock> described(Node node, RunClock clock, String when) {
        try {
            return Optional.ofNullable(measure(node, clock))
                    .map(known -> new NodeClock(node.name(), when, known.offsetUs(), known.boundUs(), null));
        } catch (SourceException error) {
            return Optional.of(new NodeClock(node.name(), when, null, null, error.getMessage()));
        }
    }

    private static ClockReading tryOnce(Source.Command source, RunClock clock) {
        long sentNs = clock.nowNs();
        byte[] answer = Transport.fetch(source, null, Transport.TIMEOUT_S, LIMIT_BYTES);
        long receivedNs = clock.nowNs();
        String text = new String(answer, StandardCharsets.ISO_8859_1);
        Matcher match = SECONDS.matcher(text);
        if (!match.matches()) {
            String shown = text.substring(0, Math.min(text.length(), SHOWN_CHARACTERS));
            throw new SourceException("`" + source + "` printed " + ReadableText.quoted(shown)
                    + ", not seconds.nanoseconds as `date +%s.%N` does");
        }
        long nodeNs = Long.parseLong(match.group(1)) * Units.NS_PER_S + Long.parseLong(match.group(2));
        return ClockReading.between(nodeNs - receivedNs, nodeNs - sentNs);
    }
}
